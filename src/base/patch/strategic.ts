// Strategic merge patch: Kubernetes' own patch form, where the schema says which lists merge item by item and by
// which key. Fields that the schema does not know merge as maps and replace as lists.
import { deepEqual } from '../equality.ts'
import { ApiError, refuse } from '../errors.ts'
import { isObject, type Json, type JsonObject, printJson } from '../json.ts'
import type { Schema } from '../schema.ts'
import { getOwn, setOwn } from './own.ts'
import { type ListPatch, mergeKeyedList, mergePrimitiveList } from './strategic-list.ts'

const PATCH = '$patch'
const RETAIN_KEYS = '$retainKeys'
const ORDER_PREFIX = '$setElementOrder/'
const DELETE_PREFIX = '$deleteFromPrimitiveList/'

/**
 * The object with the patch in it. Neither argument is edited and unchanged parts are shared; a patch that changes
 * nothing gives `live` itself. Throws ApiError: 400 when the patch is malformed, 422 when it lacks a merge key.
 */
export function strategicPatch(live: JsonObject, patch: JsonObject, schema?: Schema): JsonObject {
  return mergeMap(live, patch, schema)
}

function mergeMap(live: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  const directive = patch[PATCH]
  if (directive === 'replace') return plain(patch, schema)
  if (directive === 'delete') return {}
  if (directive !== undefined && directive !== 'merge')
    throw refuse.badRequest(`unknown patch type: ${printJson(directive)} in map: ${printJson(patch)}`)
  const retained = retainedKeys(patch)
  const merged: Record<string, Json> = {}
  let changed = false
  for (const key in live) {
    const value = live[key]
    if (value === undefined) continue
    const next = retained && !retained.has(key) ? undefined : mergeField(value, key, patch, schema)
    if (next !== value) changed = true
    if (next !== undefined) setOwn(merged, key, next)
  }
  for (const key in patch) {
    const field = fieldOf(key)
    if (field === undefined || getOwn(live, field) !== undefined || Object.hasOwn(merged, field)) continue
    const next = mergeField(undefined, field, patch, schema)
    if (next === undefined) continue
    setOwn(merged, field, next)
    changed = true
  }
  return changed ? merged : live
}

/** The field that a key of a patch speaks of; undefined for directives on the map itself. */
function fieldOf(key: string): string | undefined {
  if (key === PATCH || key === RETAIN_KEYS) return undefined
  if (key.startsWith(ORDER_PREFIX)) return key.slice(ORDER_PREFIX.length)
  if (key.startsWith(DELETE_PREFIX)) return key.slice(DELETE_PREFIX.length)
  return key
}

function retainedKeys(patch: JsonObject): ReadonlySet<unknown> | undefined {
  const list = patch[RETAIN_KEYS]
  if (list === undefined) return undefined
  if (!Array.isArray(list)) throw refuse.badRequest('invalid patch format of retainKeys')
  const retained = new Set<unknown>(list)
  for (const key in patch) {
    const field = fieldOf(key)
    if (field !== undefined && patch[key] !== null && !retained.has(field))
      throw refuse.badRequest("patch content doesn't match retainKeys list")
  }
  return retained
}

/** One field of a map, with the directives about it; undefined when it is to be absent. */
function mergeField(
  value: Json | undefined,
  key: string,
  patch: JsonObject,
  schema: Schema | undefined,
): Json | undefined {
  const wanted = getOwn(patch, key) as Json | undefined
  if (wanted === null) return undefined
  const order = list(getOwn(patch, ORDER_PREFIX + key), 'setElementOrder list')
  const deletions = list(getOwn(patch, DELETE_PREFIX + key), 'primitive list')
  if (wanted === undefined && !order && !deletions) return value
  const field = childSchema(schema, key)
  const listed = Array.isArray(value) ? value : undefined
  if (Array.isArray(wanted) || (wanted === undefined && listed)) {
    const merges = strategies(field).includes('merge') || (wanted === undefined && order === undefined)
    if (!merges && Array.isArray(wanted)) return replaced(value, plain(wanted, field))
    return mergeList(listed, { items: (wanted as readonly Json[]) ?? [], order, deletions }, field)
  }
  if (wanted === undefined) return value
  if (isObject(wanted)) {
    if (!isObject(value) || strategies(field).includes('replace')) {
      // A map whose content is deleted outright leaves no field behind when there was none.
      if (value === undefined && wanted[PATCH] === 'delete') return undefined
      return replaced(value, plain(wanted, field))
    }
    return mergeMap(value, wanted, field)
  }
  return wanted
}

function replaced(value: Json | undefined, wanted: Json): Json {
  return value !== undefined && deepEqual(value, wanted) ? value : wanted
}

function list(value: unknown, what: string): readonly Json[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw refuse.badRequest(`invalid patch format of ${what}`)
  return value
}

function mergeList(live: readonly Json[] | undefined, patch: ListPatch, field: Schema | undefined): Json {
  const mergeKey = field?.['x-kubernetes-patch-merge-key']
  const items = field?.items
  for (const item of patch.items)
    if (Array.isArray(item))
      throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
        causes: [{ reason: 'FieldValueInvalid', message: 'lists of lists are not supported', field: '' }],
      })
  const maps = isObject(patch.items[0]) || isObject(live?.[0]) || isObject(patch.order?.[0])
  const merged =
    maps && mergeKey !== undefined
      ? mergeKeyedList(live ?? [], patch, mergeKey, {
          merge: (item, change) => mergeMap(item, change, items),
          fresh: (item) => plain(item, items),
        })
      : mergePrimitiveList(live ?? [], patch)
  return live && deepEqual(live, merged) ? live : merged
}

/** A value of a patch as it stands in an object: without directives, and without the nulls that delete. */
function plain<T extends Json>(value: T, schema: Schema | undefined): T
function plain(value: Json, schema: Schema | undefined): Json {
  if (Array.isArray(value)) {
    const kept = value.filter((item) => !(isObject(item) && isItemDirective(item)))
    return kept.map((item) => plain(item, schema?.items))
  }
  if (!isObject(value)) return value
  const made: Record<string, Json> = {}
  for (const key in value) {
    const item = value[key]
    if (item === undefined || item === null || fieldOf(key) !== key) continue
    if (isObject(item) && item[PATCH] === 'delete') continue
    setOwn(made, key, plain(item, childSchema(schema, key)))
  }
  return made
}

function isItemDirective(item: JsonObject): boolean {
  return item[PATCH] === 'delete' || (item[PATCH] === 'replace' && Object.keys(item).length === 1)
}

function strategies(schema: Schema | undefined): readonly string[] {
  return schema?.['x-kubernetes-patch-strategy']?.split(',') ?? []
}

function childSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (!schema) return undefined
  const { properties, additionalProperties } = schema
  const named = properties && (getOwn(properties, key) as Schema | undefined)
  if (named) return named
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}
