// How a value merges under server-side apply: as one leaf, as a map field by field, or as a list item by item.
// Where the schema is silent the value itself tells: maps merge, lists do not.
import { isObject, type Json, type JsonObject } from '../json.ts'
import { getOwn } from '../patch/own.ts'
import type { Schema } from '../schema.ts'
import { keyElement, valueElement } from './fieldset.ts'

export type Shape = 'leaf' | 'map' | 'set' | 'keyed'

/** The shape of a value that is there (null included). */
export function shapeOf(schema: Schema | undefined, value: Json): Shape {
  if (Array.isArray(value)) return listShape(schema)
  if (isObject(value)) return schema?.['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'map'
  if (value !== null) return 'leaf'
  // Null takes the shape that the schema wants; without one it is the beginning of a map.
  if (schema?.type === 'array') return listShape(schema)
  if (schema?.['x-kubernetes-map-type'] === 'atomic') return 'leaf'
  return isScalar(schema) ? 'leaf' : 'map'
}

function isScalar(schema: Schema | undefined): boolean {
  if (!schema) return false
  return schema.type === undefined ? schema['x-kubernetes-int-or-string'] === true : schema.type !== 'object'
}

function listShape(schema: Schema | undefined): Shape {
  const type = schema?.['x-kubernetes-list-type']
  return type === 'map' ? 'keyed' : type === 'set' ? 'set' : 'leaf'
}

/** The schema of a field; undefined where the schema says nothing about it. */
export function fieldSchema(schema: Schema | undefined, field: string): Schema | undefined {
  if (!schema) return undefined
  const { properties, additionalProperties } = schema
  if (properties) {
    const named = getOwn(properties, field) as Schema | undefined
    if (named) return named
  }
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Whether the schema names the field itself, as against allowing any. */
export function declares(schema: Schema | undefined, field: string): boolean {
  const properties = schema?.properties
  return properties !== undefined && Object.hasOwn(properties, field)
}

/** Whether the field may be there at all. */
export function allows(schema: Schema | undefined, field: string): boolean {
  if (!schema || declares(schema, field)) return true
  if (schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-embedded-resource']) return true
  const { additionalProperties } = schema
  // A schema that names no fields at all describes a map of anything.
  return additionalProperties === undefined ? schema.properties === undefined : additionalProperties !== false
}

/**
 * The path element of an item of a set or keyed list. Undefined when the item has no identity: not an object in a
 * keyed list, none of its keys present, or not a scalar in a set.
 */
export function itemElement(schema: Schema | undefined, shape: Shape, item: Json): string | undefined {
  if (shape === 'set') return typeof item === 'object' ? undefined : valueElement(item)
  if (!isObject(item)) return undefined
  const names = schema?.['x-kubernetes-list-map-keys'] ?? []
  const [only] = names
  if (names.length === 1 && only !== undefined) {
    const value = item[only] ?? keyDefault(schema, only)
    // The common case, spelt out: it runs once for every container, port and condition of every write.
    if (typeof value === 'string') return `k:{${JSON.stringify(only)}:${JSON.stringify(value)}}`
  }
  const keys: Record<string, Json> = {}
  let found = false
  for (const name of names) {
    const value = item[name] ?? keyDefault(schema, name)
    if (value === undefined) continue
    keys[name] = value
    found = true
  }
  return found ? keyElement(keys as JsonObject) : undefined
}

function keyDefault(schema: Schema | undefined, name: string): Json | undefined {
  return schema?.items?.properties?.[name]?.default
}
