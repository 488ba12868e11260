// Rules of list and map types in a user's schema.
import { type Cause, cause } from '../../base/errors.ts'
import type { Schema } from '../../base/schema.ts'

const LIST_TYPES = ['atomic', 'set', 'map'] as const
const MAP_TYPES = ['atomic', 'granular'] as const

export function checkListType(schema: Schema, path: string): readonly Cause[] {
  const causes: Cause[] = []
  const type = schema['x-kubernetes-list-type'] as string | undefined
  const mapType = schema['x-kubernetes-map-type'] as string | undefined
  if (type !== undefined) {
    const at = `${path}.x-kubernetes-list-type`
    if (!LIST_TYPES.includes(type as 'set')) causes.push(cause.notSupported(at, type, LIST_TYPES))
    const why = 'must be array if x-kubernetes-list-type is specified'
    if (schema.type === undefined) causes.push(cause.required(`${path}.type`, why))
    else if (schema.type !== 'array') causes.push(cause.invalid(`${path}.type`, schema.type, why))
  }
  if (mapType !== undefined) {
    const at = `${path}.x-kubernetes-map-type`
    if (!MAP_TYPES.includes(mapType as 'atomic')) causes.push(cause.notSupported(at, mapType, MAP_TYPES))
    const why = 'must be object if x-kubernetes-map-type is specified'
    if (schema.type === undefined) causes.push(cause.required(`${path}.type`, why))
    else if (schema.type !== 'object') causes.push(cause.invalid(`${path}.type`, schema.type, why))
  }
  if (schema.items) {
    if (type === 'set') checkSet(schema.items, path, causes)
    if (type === 'map') checkKeyed(schema, schema.items, path, causes)
  }
  if (type !== 'map' && (schema['x-kubernetes-list-map-keys'] ?? []).length > 0) {
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
    causes.push(cause.invalid(`${path}.x-kubernetes-list-type`, type ?? null, why))
  }
  return causes
}

function checkSet(items: Schema, path: string, causes: Cause[]): void {
  if (items.nullable) {
    const why = 'cannot be nullable when x-kubernetes-list-type is set'
    causes.push(cause.forbidden(`${path}.items.nullable`, why))
  }
  if (
    items.type === 'array' &&
    items['x-kubernetes-list-type'] !== undefined &&
    items['x-kubernetes-list-type'] !== 'atomic'
  ) {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
    causes.push(cause.invalid(`${path}.items.x-kubernetes-list-type`, items['x-kubernetes-list-type'], why))
  }
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
    causes.push(
      cause.invalid(`${path}.items.x-kubernetes-map-type`, items['x-kubernetes-map-type'] ?? null, why),
    )
  }
}

function checkKeyed(schema: Schema, items: Schema, path: string, causes: Cause[]): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (keys.length === 0) {
    const why = 'must not be empty if x-kubernetes-list-type is map'
    causes.push(cause.required(`${path}.x-kubernetes-list-map-keys`, why))
  }
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    causes.push(cause.invalid(`${path}.items.type`, items.type ?? '', why))
  }
  if (items.nullable) {
    const why = 'cannot be nullable when x-kubernetes-list-type is map'
    causes.push(cause.forbidden(`${path}.items.nullable`, why))
  }
  for (const [index, key] of keys.entries()) {
    const field = items.properties?.[key]
    if (!field) {
      const why = 'entries must all be names of item properties'
      causes.push(cause.invalid(`${path}.x-kubernetes-list-map-keys[${index}]`, key, why))
      continue
    }
    causes.push(...checkKey(field, key, items, path))
  }
}

function checkKey(field: Schema, key: string, items: Schema, path: string): readonly Cause[] {
  const causes: Cause[] = []
  const at = `${path}.items.properties[${key}]`
  if (field.nullable) {
    const why = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'
    causes.push(cause.forbidden(`${at}.nullable`, why))
  }
  if (field.default === undefined && !items.required?.includes(key)) {
    const why =
      'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property'
    causes.push(cause.required(`${at}.default`, why))
  }
  if (field.type === 'object' || field.type === 'array') {
    const why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
    causes.push(cause.invalid(`${at}.type`, field.type, why))
  }
  return causes
}
