// What a form changes: only those fields, against the newest object. A field that somebody else changed meanwhile is a
// conflict, which the user decides; everything else of the object stays as it is. Pure, but for `save`.
import { isObject, type JsonObject } from '../../../src/base/json.ts'
import type { KubeObject } from '../../../src/base/object.ts'
import { ApiFailure, call } from './api.ts'
import { type Place, pathOf } from './kinds.ts'

export interface Conflict {
  /** `spec.runStrategy` */
  readonly path: string
  readonly theirs: unknown
  readonly mine: unknown
}

/** The merge patch (RFC 7396) that makes `to` of `from`; undefined where nothing differs. Lists are replaced whole. */
export function patchOf(from: unknown, to: unknown): JsonObject | undefined {
  if (!isObject(from) || !isObject(to)) return undefined
  const patch: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, next] = [from[key], to[key]]
    if (isSame(old, next)) continue
    if (next === undefined) patch[key] = null
    else patch[key] = isObject(old) && isObject(next) ? patchOf(old, next) : next
  }
  return Object.keys(patch).length === 0 ? undefined : (patch as JsonObject)
}

/** Where the patch changes what is no longer as the form saw it, unless both want the same. */
export function conflictsOf(patch: JsonObject, seen: unknown, newest: unknown, at = ''): readonly Conflict[] {
  return Object.entries(patch).flatMap(([key, mine]) => {
    const path = at === '' ? key : `${at}.${key}`
    const old = isObject(seen) ? seen[key] : undefined
    const now = isObject(newest) ? newest[key] : undefined
    if (isObject(mine) && isObject(now)) return conflictsOf(mine, old, now, path)
    if (isSame(old, now) || isSame(now, mine === null ? undefined : mine)) return []
    return [{ path, theirs: now, mine }]
  })
}

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, index) => isSame(one, b[index]))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => isSame(a[key], b[key]))
}

export type Saved =
  | { readonly is: 'saved' }
  | { readonly is: 'conflict'; readonly conflicts: readonly Conflict[] }

/** Attempts where somebody else writes other fields at the same moment. */
const ATTEMPTS = 5

/** Throws ApiFailure with what the server refuses. `force` takes the user's own values in a conflict. */
export async function save<T extends KubeObject>(
  place: Place<T>,
  seen: T,
  wanted: T,
  force = false,
): Promise<Saved> {
  const patch = patchOf(seen, wanted)
  if (!patch) return { is: 'saved' }
  const path = pathOf(place, seen.metadata.namespace, seen.metadata.name)
  for (let attempt = 1; ; attempt++) {
    const newest = await call<T>(path)
    if (newest.metadata.uid !== seen.metadata.uid)
      throw new ApiFailure(409, 'Conflict', 'the object was deleted and made anew meanwhile')
    const conflicts = force ? [] : conflictsOf(patch, seen, newest)
    if (conflicts.length > 0) return { is: 'conflict', conflicts }
    const { resourceVersion } = newest.metadata
    try {
      await call(path, {
        method: 'PATCH',
        contentType: 'application/merge-patch+json',
        body: { ...patch, metadata: { ...(patch['metadata'] as object | undefined), resourceVersion } },
      })
      return { is: 'saved' }
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 409 || attempt === ATTEMPTS) throw error
    }
  }
}
