// What a write would really change, so that the loop writes only then. Pure.
import { deepEqual } from '../base/equality.ts'
import { isObject, type Json, type JsonObject } from '../base/json.ts'

/** Whether the merge patch leaves the value as it is. */
export function isNoChange(value: unknown, patch: JsonObject): boolean {
  for (const [key, wanted] of Object.entries(patch)) {
    if (wanted === undefined) continue
    const present = isObject(value) ? value[key] : undefined
    if (wanted === null) {
      if (present !== undefined && present !== null) return false
    } else if (isObject(wanted)) {
      // An empty object creates the field where it is absent.
      if (!isObject(present) || !isNoChange(present, wanted)) return false
    } else if (!deepEqual(present, wanted)) {
      return false
    }
  }
  return true
}

/** Merge patch that turns `before` into `after`; undefined when they say the same. */
export function mergePatchBetween(before: unknown, after: JsonObject): JsonObject | undefined {
  const old: JsonObject = isObject(before) ? before : {}
  const patch: Record<string, Json> = {}
  for (const [key, wanted] of Object.entries(after)) {
    if (wanted === undefined) continue
    const present = old[key]
    if (isObject(wanted) && isObject(present)) {
      const inner = mergePatchBetween(present, wanted)
      if (inner !== undefined) patch[key] = inner
    } else if (!deepEqual(present, wanted)) {
      patch[key] = wanted
    }
  }
  for (const [key, present] of Object.entries(old)) {
    if (present !== undefined && after[key] === undefined) patch[key] = null
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}
