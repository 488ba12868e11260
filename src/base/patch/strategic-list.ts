// How a strategic merge patch merges lists: items found by their merge key, scalars as a set, and the order in
// which both end up.
import { ApiError, refuse } from '../errors.ts'
import { isObject, type Json, type JsonObject, printJson } from '../json.ts'

/** What a patch says about one list. */
export interface ListPatch {
  readonly items: readonly Json[]
  /** From `$setElementOrder/…`: the wanted order, of keys or of scalars. */
  readonly order: readonly Json[] | undefined
  /** From `$deleteFromPrimitiveList/…`. */
  readonly deletions: readonly Json[] | undefined
}

interface ItemMerge {
  readonly merge: (item: JsonObject, change: JsonObject) => JsonObject
  readonly fresh: (item: JsonObject) => JsonObject
}

/** Merges a list of maps; items are the same when their values at `mergeKey` are. */
export function mergeKeyedList(
  live: readonly Json[],
  patch: ListPatch,
  mergeKey: string,
  { merge, fresh }: ItemMerge,
): Json[] {
  const identity = (item: Json) => identityOf(item, mergeKey)
  const { changes, deleted, replaces } = readDirectives(patch.items, mergeKey)
  if (patch.order) checkOrder(changes.map(identity), patch.order.map(identity))
  if (replaces) return changes.map(fresh)
  const merged = live.filter((item) => !deleted.has(identity(item)))
  // Two items may share a key (environment variables may); the first of them is the one that is changed.
  const places = firstIndexes(merged, identity)
  for (const change of changes) {
    const place = places.get(identity(change))
    const item = place === undefined ? undefined : merged[place]
    if (place !== undefined && isObject(item)) merged[place] = merge(item, change)
    else {
      places.set(identity(change), merged.length)
      merged.push(fresh(change))
    }
  }
  // Cut to the old length: new items have a known place only where deleted ones made room for them.
  return patch.order ? ordered(merged, patch.order, merged.slice(0, live.length), identity) : merged
}

function identityOf(item: Json, mergeKey: string): string {
  const value = isObject(item) ? item[mergeKey] : undefined
  if (value === undefined)
    throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
      causes: [
        {
          reason: 'FieldValueRequired',
          message: `map: ${printJson(item)} does not contain declared merge key: ${mergeKey}`,
          field: mergeKey,
        },
      ],
    })
  return printJson(value)
}

interface Directives {
  readonly changes: readonly JsonObject[]
  readonly deleted: ReadonlySet<string>
  readonly replaces: boolean
}

function readDirectives(items: readonly Json[], mergeKey: string): Directives {
  const changes: JsonObject[] = []
  const deleted = new Set<string>()
  let replaces = false
  for (const item of items) {
    if (!isObject(item)) throw refuse.badRequest('invalid patch format: a list of maps holds something else')
    const directive = item['$patch']
    if (directive === 'delete') deleted.add(identityOf(item, mergeKey))
    else if (directive === 'replace' && item[mergeKey] === undefined) replaces = true
    else if (directive === undefined || directive === 'merge' || directive === 'replace') changes.push(item)
    else throw refuse.badRequest(`unknown patch type: ${printJson(directive)} in map: ${printJson(item)}`)
  }
  return { changes, deleted, replaces }
}

/** Merges a list of scalars as a set. */
export function mergePrimitiveList(live: readonly Json[], { items, order, deletions }: ListPatch): Json[] {
  if (order) checkOrder(items.map(scalarIdentity), order.map(scalarIdentity))
  const deleted = new Set(deletions?.map(scalarIdentity))
  const seen = new Set<string>()
  const merged: Json[] = []
  for (const item of live) {
    const identity = scalarIdentity(item)
    if (deleted.has(identity)) continue
    seen.add(identity)
    merged.push(item)
  }
  for (const item of items) {
    const identity = scalarIdentity(item)
    if (seen.has(identity)) continue
    seen.add(identity)
    merged.push(item)
  }
  return order ? ordered(merged, order, live, scalarIdentity) : merged
}

function scalarIdentity(item: Json): string {
  return printJson(item)
}

/** What a patch adds must stand in the order it asks for, in the same sequence. */
function checkOrder(changes: readonly string[], order: readonly string[]): void {
  let found = 0
  for (const identity of order) if (changes[found] === identity) found++
  if (found < changes.length)
    throw refuse.badRequest(
      `The order in patch list:\n[${changes.join(' ')}]\n doesn't match $setElementOrder list:\n[${order.join(' ')}]\n`,
    )
}

/**
 * Items named in `order` in that order; the others keep their places relative to their neighbours in `places`, as
 * far as these are known there. A named item without a place comes before the others that are left.
 */
function ordered(
  merged: readonly Json[],
  order: readonly Json[],
  places: readonly Json[],
  identity: (item: Json) => string,
): Json[] {
  const wanted = firstIndexes(order, identity)
  const known = firstIndexes(places, identity)
  const named = merged.filter((item) => wanted.has(identity(item)))
  named.sort((a, b) => wanted.get(identity(a))! - wanted.get(identity(b))!)
  const others = merged.filter((item) => !wanted.has(identity(item)))
  const result: Json[] = []
  let next = 0
  for (const item of named) {
    const place = known.get(identity(item))
    while (next < others.length && place !== undefined && known.get(identity(others[next]!))! < place)
      result.push(others[next++]!)
    result.push(item)
  }
  return [...result, ...others.slice(next)]
}

function firstIndexes(items: readonly Json[], identity: (item: Json) => string): Map<string, number> {
  const indexes = new Map<string, number>()
  for (let index = 0; index < items.length; index++) {
    const key = identity(items[index]!)
    if (!indexes.has(key)) indexes.set(key, index)
  }
  return indexes
}
