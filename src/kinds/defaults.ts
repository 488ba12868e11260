// Defaulting as structural schemas define it: a default fills an absent field and replaces a null that may not be
// one; parents are not invented for the sake of a default below them. For built-in kinds the ever-written fields
// appear with their zero values. Values are never edited.
import type { Json, JsonObject } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { type Compiled, childrenOf, compile, reachesDefaults } from './compiled.ts'
import { setOwn, withChanges } from './prune.ts'

export function applyDefaults<T extends Json>(value: T, schema: Schema): T {
  return filled(value, compile(schema)) as T
}

function filled(value: Json, node: Compiled): Json {
  if (typeof value !== 'object' || value === null || !reachesDefaults(node)) return value
  return Array.isArray(value) ? filledList(value, node) : filledObject(value as JsonObject, node)
}

function filledList(value: readonly Json[], node: Compiled): readonly Json[] {
  const { items } = childrenOf(node)
  if (!items) return value
  let copy: Json[] | undefined
  for (let index = 0; index < value.length; index += 1) {
    const before = value[index] as Json
    const given = before === null && !items.nullable && items.default !== undefined ? items.default : before
    const after = filled(given, items)
    if (after !== before) {
      copy ??= [...value]
      copy[index] = after
    }
  }
  return copy ?? value
}

function filledObject(value: JsonObject, node: Compiled): JsonObject {
  const { fields, filled: fillable, values } = childrenOf(node)
  let copy: Record<string, Json | undefined> | undefined
  for (const [name, field] of fillable) {
    const before = Object.hasOwn(value, name) ? value[name] : undefined
    if (before !== undefined && !(before === null && field.default !== undefined && !field.nullable)) continue
    copy ??= { ...value }
    copy[name] = filled(zeroOrDefault(field), field)
  }
  const source = copy ?? value
  for (const name of Object.keys(value)) {
    const field = fields.get(name) ?? values
    if (!field) continue
    const before = source[name] as Json
    const replaceNull = before === null && !field.nullable && field.default !== undefined
    const after = filled(replaceNull ? (field.default as Json) : before, field)
    if (after === before) continue
    copy ??= withChanges(value, NO_CHANGES) as Record<string, Json | undefined>
    setOwn(copy, name, after)
  }
  return copy ?? value
}

const NO_CHANGES: ReadonlyMap<string, Json | undefined> = new Map()

function zeroOrDefault(field: Compiled): Json {
  if (field.default !== undefined) return field.default
  if (field.intOrString) return field.quantity ? '0' : 0
  switch (field.type) {
    case 'string':
      return field.schema.format === 'date-time' ? null : ''
    case 'integer':
    case 'number':
      return 0
    case 'boolean':
      return false
    case 'object':
      return field.schema.additionalProperties === undefined ? {} : null
    default:
      return null
  }
}
