// JSON merge patch (RFC 7396): maps merge, null deletes, everything else replaces.
import { deepEqual } from '../equality.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { getOwn, setOwn } from './own.ts'

/**
 * The document with the patch in it. Neither argument is edited; unchanged parts are shared, and a patch that
 * changes nothing gives `live` itself. The result is an object whenever the patch is one.
 */
export function mergePatch(live: Json | undefined, patch: JsonObject): JsonObject
export function mergePatch(live: Json | undefined, patch: Json): Json
export function mergePatch(live: Json | undefined, patch: Json): Json {
  if (isObject(patch)) return mergeMaps(isObject(live) ? live : undefined, patch)
  return live !== undefined && Array.isArray(patch) && deepEqual(live, patch) ? live : patch
}

function mergeMaps(live: JsonObject | undefined, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = {}
  let changed = live === undefined
  for (const key in live) {
    const value = live[key]
    if (value === undefined) continue
    const wanted = getOwn(patch, key) as Json | undefined
    const next = wanted === undefined ? value : wanted === null ? undefined : mergePatch(value, wanted)
    if (next !== value) changed = true
    if (next !== undefined) setOwn(merged, key, next)
  }
  for (const key in patch) {
    const wanted = patch[key]
    if (wanted === undefined || wanted === null) continue
    if (live && getOwn(live, key) !== undefined) continue
    setOwn(merged, key, mergePatch(undefined, wanted))
    changed = true
  }
  return changed || live === undefined ? merged : live
}
