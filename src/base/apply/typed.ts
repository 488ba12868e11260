// Values seen through their schema: the set of fields in one, what changed between two, what two give together, and
// what is left of one without some fields. Server-side apply is made of these.
import { deepEqual } from '../equality.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { getOwn, setOwn } from '../patch/own.ts'
import type { Schema } from '../schema.ts'
import { childOf, draftSet, emptySet, type FieldSet, type FieldSetDraft } from './fieldset.ts'
import { declares, fieldSchema, itemElement, type Shape, shapeOf } from './shape.ts'

/** What differs between two values. A field that is in both and differs, or is new, is `changed`. */
export interface Comparison {
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/** The fields that a value speaks of, as the applier of it owns them. */
export function fieldsOf(schema: Schema | undefined, value: Json): FieldSet {
  const set = draftSet()
  collect(schema, value, set)
  set.own = false
  return set
}

function collect(schema: Schema | undefined, value: Json, at: FieldSetDraft): void {
  const shape = shapeOf(schema, value)
  if (shape === 'leaf') at.own = true
  else if (isObject(value)) collectMap(schema, value, at)
  else if (Array.isArray(value)) collectList(schema, value, shape, at)
}

function collectMap(schema: Schema | undefined, value: JsonObject, at: FieldSetDraft): void {
  for (const key in value) {
    const item = value[key]
    if (item === undefined) continue
    const child = childOf(at, `f:${key}`)
    collect(fieldSchema(schema, key), item, child)
    // Named fields exist by their content; entries of maps, nulls and empty maps are something by themselves.
    if (item === null || (isObject(item) && isEmpty(item)) || !declares(schema, key)) child.own = true
    if (!child.own && !child.children) at.children?.delete(`f:${key}`)
  }
}

function isEmpty(value: JsonObject): boolean {
  for (const key in value) if (value[key] !== undefined) return false
  return true
}

function collectList(
  schema: Schema | undefined,
  list: readonly Json[],
  shape: Shape,
  at: FieldSetDraft,
): void {
  const items = indexItems(schema, shape, list)
  for (const [element, found] of items) {
    const child = childOf(at, element)
    const [only] = found
    // Of items that share a key only the key as such can be owned.
    if (found.length === 1 && only !== undefined) collect(schema?.items, only, child)
    child.own = true
  }
}

/** Items by path element, in order of appearance. */
function indexItems(
  schema: Schema | undefined,
  shape: Shape,
  list: readonly Json[] | undefined,
): Map<string, Json[]> {
  const items = new Map<string, Json[]>()
  for (const item of list ?? []) {
    const element = itemElement(schema, shape, item)
    // Stored lists may hold items without identity; nobody can own these.
    if (element === undefined) continue
    const known = items.get(element)
    if (known) known.push(item)
    else items.set(element, [item])
  }
  return items
}

/** Compares two values of one schema; undefined stands for an absent value. */
export function compareTyped(
  schema: Schema | undefined,
  before: Json | undefined,
  after: Json | undefined,
): Comparison {
  const changed = draftSet()
  const removed = draftSet()
  compare(schema, before, after, { changed, removed })
  changed.own = false
  removed.own = false
  return { changed: trimmed(changed), removed: trimmed(removed) }
}

/** Nodes are made on the way down, so some may have stayed without content. */
function trimmed(set: FieldSetDraft): FieldSet {
  return trim(set) ? set : emptySet
}

function trim(set: FieldSetDraft): boolean {
  if (set.children) {
    for (const [element, child] of set.children) if (!trim(child)) set.children.delete(element)
    if (set.children.size === 0) set.children = undefined
  }
  return set.own || set.children !== undefined
}

interface Marks {
  readonly changed: FieldSetDraft
  readonly removed: FieldSetDraft
}

function below({ changed, removed }: Marks, element: string): Marks {
  return { changed: childOf(changed, element), removed: childOf(removed, element) }
}

function compare(
  schema: Schema | undefined,
  before: Json | undefined,
  after: Json | undefined,
  at: Marks,
): void {
  if (before === after) return
  const shapeBefore = before === undefined || before === null ? undefined : shapeOf(schema, before)
  const shapeAfter = after === undefined || after === null ? undefined : shapeOf(schema, after)
  const shape = shapeAfter ?? shapeBefore ?? shapeOf(schema, null)
  if (shapeBefore && shapeAfter && shapeBefore !== shapeAfter) {
    compareAs(schema, { before, after: undefined }, shapeBefore, at)
    compareAs(schema, { before: undefined, after }, shapeAfter, at)
    at.removed.own = false
    at.changed.own = true
    return
  }
  const leaf = compareAs(schema, { before, after }, shape, at)
  if (leaf) return
  if (before === undefined) at.changed.own = true
  else if (after === undefined) at.removed.own = true
}

interface Pair {
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** Compares as one shape; says whether the value was taken as a leaf. */
function compareAs(schema: Schema | undefined, { before, after }: Pair, shape: Shape, at: Marks): boolean {
  // Nothing on either side: the difference between null, empty and absent is a change of the field itself.
  if (shape === 'leaf' || (isHollow(before) && isHollow(after))) {
    if (after === undefined) at.removed.own = true
    else if (before === undefined || !deepEqual(before, after)) at.changed.own = true
    return true
  }
  if (shape === 'map') compareMaps(schema, mapOf(before), mapOf(after), at)
  else compareLists(schema, { before, after }, shape, at)
  return false
}

function isHollow(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) ? value.length === 0 : isObject(value) && isEmpty(value)
}

function mapOf(value: Json | undefined): JsonObject | undefined {
  return value !== undefined && isObject(value) ? value : undefined
}
function listOf(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined
}

function compareMaps(
  schema: Schema | undefined,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  at: Marks,
): void {
  for (const key in before) {
    const left = before[key]
    if (left === undefined) continue
    const right = after && (getOwn(after, key) as Json | undefined)
    if (left === right) continue
    const field = fieldSchema(schema, key)
    if (right === undefined) markWhole(field, left, childOf(at.removed, `f:${key}`))
    else compare(field, left, right, below(at, `f:${key}`))
  }
  for (const key in after) {
    const right = after[key]
    if (right === undefined || (before && getOwn(before, key) !== undefined)) continue
    markWhole(fieldSchema(schema, key), right, childOf(at.changed, `f:${key}`))
  }
}

/** Marks a value that is on one side only, with all that is in it. */
function markWhole(schema: Schema | undefined, value: Json, at: FieldSetDraft): void {
  at.own = true
  if (isHollow(value)) return
  const shape = shapeOf(schema, value)
  if (shape === 'leaf') return
  if (isObject(value)) {
    for (const key in value) {
      const item = value[key]
      if (item !== undefined) markWhole(fieldSchema(schema, key), item, childOf(at, `f:${key}`))
    }
  } else if (Array.isArray(value)) {
    for (const [element, [first, ...others]] of indexItems(schema, shape, value)) {
      const child = childOf(at, element)
      child.own = true
      if (others.length === 0 && first !== undefined) markWhole(schema?.items, first, child)
    }
  }
}

function compareLists(schema: Schema | undefined, { before, after }: Pair, shape: Shape, at: Marks): void {
  const left = indexItems(schema, shape, listOf(before))
  const right = indexItems(schema, shape, listOf(after))
  for (const [element, items] of left)
    compareItems(schema?.items, items, right.get(element) ?? [], below(at, element))
  for (const [element, items] of right)
    if (!left.has(element)) compareItems(schema?.items, [], items, below(at, element))
}

/** Items that share a key count as one value; becoming unique, or ceasing to be, is a change of that value. */
function compareItems(
  schema: Schema | undefined,
  before: readonly Json[],
  after: readonly Json[],
  at: Marks,
): void {
  if (before.length <= 1 && after.length <= 1) compare(schema, before[0], after[0], at)
  else if (before.length > 1 && after.length > 1) {
    if (!deepEqual(before, after)) at.changed.own = true
  } else if (before.length > 1) {
    if (after[0] !== undefined) compare(schema, undefined, after[0], at)
    at.removed.own = true
  } else {
    if (before[0] !== undefined) compare(schema, before[0], undefined, at)
    at.changed.own = true
  }
}

/** The live value with the applied one in it; unchanged parts are shared with either. */
export function mergeTyped(
  schema: Schema | undefined,
  live: Json | undefined,
  applied: Json | undefined,
): Json {
  if (applied === undefined || live === applied) return live ?? null
  if (live === undefined) return applied
  const shape = applied === null ? shapeOf(schema, live) : shapeOf(schema, applied)
  if (shape === 'leaf' || (isHollow(live) && isHollow(applied)))
    return deepEqual(live, applied) ? live : applied
  if (shape === 'map') {
    const base = mapOf(live)
    const change = mapOf(applied)
    return base && change ? mergeMaps(schema, base, change) : (change ?? base ?? applied)
  }
  const base = listOf(live)
  const change = listOf(applied)
  return base && change ? mergeLists(schema, shape, base, change) : (change ?? base ?? applied)
}

function mergeMaps(schema: Schema | undefined, live: JsonObject, applied: JsonObject): JsonObject {
  let merged: Record<string, Json | undefined> | undefined
  for (const key in applied) {
    const change = applied[key]
    if (change === undefined) continue
    const value = getOwn(live, key) as Json | undefined
    const next = mergeTyped(fieldSchema(schema, key), value, change)
    if (next === value) continue
    merged ??= { ...live }
    setOwn(merged, key, next)
  }
  return merged ?? live
}

/** Live items keep their places as far as the order of the applied ones allows; these come in their own order. */
function mergeLists(
  schema: Schema | undefined,
  shape: Shape,
  live: readonly Json[],
  applied: readonly Json[],
): Json {
  const element = (item: Json) => itemElement(schema, shape, item)
  const liveElements = live.map(element)
  const appliedElements = applied.map(element)
  const liveItems = indexItems(schema, shape, live)
  const wanted = new Set(appliedElements)
  const shared = appliedElements.filter((one) => one !== undefined && liveItems.has(one))
  const merged: Json[] = []
  const done = new Set<string | undefined>()
  let nextShared = 0
  let left = 0
  let right = 0
  const take = (): void => {
    const one = appliedElements[right]
    const known = one === undefined ? undefined : liveItems.get(one)
    // Items that share a key are replaced, not merged: which of them would it be?
    const base = known?.length === 1 ? known[0] : undefined
    merged.push(mergeTyped(schema?.items, base, applied[right]))
    done.add(one)
    if (one !== undefined && shared[nextShared] === one) nextShared++
    right++
  }
  while (left < live.length || right < applied.length) {
    const one = liveElements[left]
    if (left < live.length && right < applied.length) {
      if (one !== undefined && one === appliedElements[right]) {
        take()
        left++
        continue
      }
      if (wanted.has(one) && nextShared < shared.length && shared[nextShared] !== one) {
        left++
        continue
      }
    }
    if (left < live.length) {
      if (one === undefined || !wanted.has(one)) {
        merged.push(live[left]!)
        left++
        continue
      }
      if (done.has(one)) left++
    }
    if (right < applied.length) take()
  }
  return deepEqual(live, merged) ? live : merged
}

/**
 * The value without the fields in the set. A map or list that had something and is left with nothing becomes null,
 * as does a leaf list or map of which a part is named.
 */
export function removeFields(schema: Schema | undefined, value: Json, set: FieldSet): Json {
  if (!set.children) return value
  const shape = shapeOf(schema, value)
  if (isObject(value)) return shape === 'leaf' ? null : removeFromMap(schema, value, set)
  if (Array.isArray(value)) return shape === 'leaf' ? null : removeFromList(schema, shape, value, set)
  return value
}

function removeFromMap(schema: Schema | undefined, value: JsonObject, set: FieldSet): Json {
  const left: Record<string, Json> = {}
  let changed = false
  let some = false
  for (const key in value) {
    const item = value[key]
    if (item === undefined) continue
    const node = set.children?.get(`f:${key}`)
    if (node?.own) {
      changed = true
      continue
    }
    const next = node ? removeFields(fieldSchema(schema, key), item, node) : item
    if (next !== item) changed = true
    setOwn(left, key, next)
    some = true
  }
  if (!changed) return value
  return some ? left : null
}

function removeFromList(
  schema: Schema | undefined,
  shape: Shape,
  list: readonly Json[],
  set: FieldSet,
): Json {
  const left: Json[] = []
  let changed = false
  for (const item of list) {
    const element = itemElement(schema, shape, item)
    const node = element === undefined ? undefined : set.children?.get(element)
    if (node?.own) {
      changed = true
      continue
    }
    const next = node ? removeFields(schema?.items, item, node) : item
    if (next !== item) changed = true
    left.push(next)
  }
  if (!changed) return list
  return left.length > 0 ? left : null
}
