// What is wrong with an applied configuration before anything is merged: fields that the schema does not know, and
// list items that cannot be told apart.
import { isObject, type Json } from '../json.ts'
import type { Schema } from '../schema.ts'
import { keyText, pathText } from './fieldset.ts'
import { allows, fieldSchema, itemElement, type Shape, shapeOf } from './shape.ts'

/** The faults, worded as Kubernetes does: `.spec.ports: duplicate entries for key [port=80,protocol="TCP"]`. */
export function checkApplied(schema: Schema | undefined, value: Json): readonly string[] {
  const faults: string[] = []
  check(schema, value, { path: [], faults })
  return faults
}

interface Walk {
  readonly path: string[]
  readonly faults: string[]
}

function check(schema: Schema | undefined, value: Json, walk: Walk): void {
  if (!schema) return
  if (isObject(value)) {
    for (const key in value) {
      const item = value[key]
      if (item === undefined) continue
      walk.path.push(`f:${key}`)
      if (allows(schema, key)) check(fieldSchema(schema, key), item, walk)
      else walk.faults.push(`${pathText(walk.path)}: field not declared in schema`)
      walk.path.pop()
    }
  } else if (Array.isArray(value)) checkList(schema, shapeOf(schema, value), value, walk)
}

function checkList(schema: Schema, shape: Shape, list: readonly Json[], walk: Walk): void {
  const seen = new Set<string>()
  for (const [index, item] of list.entries()) {
    const element = shape === 'leaf' ? `i:${index}` : itemElement(schema, shape, item)
    const place = pathText(walk.path)
    if (element === undefined) {
      walk.faults.push(`${place}: element ${index}: ${withoutIdentity(schema, shape, item)}`)
      continue
    }
    if (seen.has(element)) walk.faults.push(`${place}: duplicate entries for key ${elementText(element)}`)
    seen.add(element)
    walk.path.push(element)
    check(schema.items, item, walk)
    walk.path.pop()
  }
}

function elementText(element: string): string {
  return element.startsWith('k:') ? `[${keyText(element.slice(2))}]` : `[=${element.slice(2)}]`
}

function withoutIdentity(schema: Schema, shape: Shape, item: Json): string {
  if (shape === 'set') return 'associative list without keys has an element that is not a scalar'
  if (!isObject(item)) return 'associative list with keys may not have non-map elements'
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  return `associative list with keys has an element that omits key field ${keys.map((key) => `"${key}"`).join(', ')} (and doesn't have default value)`
}
