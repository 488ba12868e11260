// Lists that may not hold the same thing twice: sets, and lists keyed by fields of their items.
import { type Cause, cause } from '../base/errors.ts'
import { isObject, type Json, type JsonObject } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { canonicalText } from './canonical-text.ts'
import { type Compiled, childrenOf, compile } from './compiled.ts'

/** Duplicates in sets and keyed lists, and items of keyed lists that are no objects. */
export function validateListTypes(value: Json, schema: Schema, path = ''): readonly Cause[] {
  const causes: Cause[] = []
  walk(value, compile(schema), path, causes)
  return causes
}

function walk(value: Json, node: Compiled, path: string, causes: Cause[]): void {
  if (typeof value !== 'object' || value === null) return
  const { fields, items, values } = childrenOf(node)
  if (Array.isArray(value)) {
    const kind = node.schema['x-kubernetes-list-type']
    if (kind === 'set') checkSet(value, path, causes)
    else if (kind === 'map') checkKeyed(value, node.schema['x-kubernetes-list-map-keys'] ?? [], path, causes)
    if (items)
      for (const [index, item] of value.entries()) walk(item as Json, items, `${path}[${index}]`, causes)
    return
  }
  const object = value as JsonObject
  for (const name of Object.keys(object)) {
    const inner = object[name]
    if (typeof inner !== 'object' || inner === null) continue
    const field = fields.get(name)
    if (field) walk(inner, field, path === '' ? name : `${path}.${name}`, causes)
    else if (values) walk(inner, values, `${path}[${name}]`, causes)
  }
}

/** Each value that is there more than once is told once, at its second place. */
function tellOnce(texts: Iterable<readonly [string, number]>, tell: (index: number) => void): void {
  const seen = new Map<string, number>()
  for (const [text, index] of texts) {
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    if (times === 2) tell(index)
  }
}

function checkSet(value: readonly Json[], path: string, causes: Cause[]): void {
  if (value.length < 2) return
  tellOnce(
    value.map((item, index) => [canonicalText(item), index] as const),
    (index) => causes.push(cause.duplicate(`${path}[${index}]`, value[index])),
  )
}

function checkKeyed(value: readonly Json[], keys: readonly string[], path: string, causes: Cause[]): void {
  const texts: (readonly [string, number])[] = []
  const keyOf = (item: JsonObject): JsonObject =>
    Object.fromEntries(keys.filter((key) => item[key] !== undefined).map((key) => [key, item[key]]))
  for (const [index, item] of value.entries()) {
    if (isObject(item)) texts.push([canonicalText(keyOf(item)), index])
    else if (item === null) texts.push(['{}', index])
    else {
      const why = 'must be an object for an array of list-type map'
      causes.push(cause.invalid(`${path}[${index}]`, item, why))
    }
  }
  tellOnce(texts, (index) => {
    const item = value[index]
    causes.push(cause.duplicate(`${path}[${index}]`, isObject(item) ? keyOf(item) : {}))
  })
}
