// managedFields: who wrote which field. Kept for every write; the arithmetic is base/apply's.
import type { Tracked } from '../../base/apply/track.ts'
import { trackUpdate as track } from '../../base/apply/track.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'
import type { Served } from '../served.ts'
import { timestamp } from './metadata.ts'

export function trackCreate(work: Work, object: KubeObject): KubeObject {
  return track({ ...trackedOf(work), before: undefined, after: object })
}

export function trackUpdate(work: Work, previous: KubeObject, next: KubeObject): KubeObject {
  return track({ ...trackedOf(work), before: previous, after: next })
}

export function trackedOf({ served, call, now }: Work): Tracked {
  const { subresource } = call
  const ignored = ignoredBy(served, subresource)
  return {
    schema: served.kind.schema,
    manager: call.options.fieldManager || call.user.username,
    apiVersion: served.apiVersion,
    now: timestamp(now),
    ...(subresource === undefined ? {} : { subresource }),
    ...(ignored.length > 0 ? { ignored } : {}),
  }
}

type Paths = readonly (readonly string[])[]
const MAIN: Paths = [['status']]
const byStatusDoor = new WeakMap<Served, Paths>()

/** Fields that the door which is written through never changes. */
function ignoredBy(served: Served, subresource: string | undefined): Paths {
  if (served.kind.subresources['status'] === undefined) return []
  if (subresource === undefined) return MAIN
  if (subresource !== 'status') return []
  const known = byStatusDoor.get(served)
  if (known) return known
  const others = Object.keys(served.kind.schema.properties ?? {}).filter(
    (field) => field !== 'status' && field !== 'apiVersion' && field !== 'kind',
  )
  const paths = others
    .filter((field) => field !== 'metadata' || served.kind.habit === 'custom')
    .map((field) => [field])
  byStatusDoor.set(served, paths)
  return paths
}
