// Decides one PersistentVolume: its phase, and what becomes of it and of the Longhorn volume behind it when its
// claim is gone. Data is deleted only after the API itself, not a cache, said that the claim is gone.
import type { JsonObject } from '../base/json.ts'
import { formatTime } from '../base/time.ts'
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Action, Decider, Decision, ObjectRef } from '../kinds/decide.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { LONGHORN_DRIVER } from './claim/provision.ts'
import { LONGHORN_NAMESPACE } from './data-volume.ts'

export const VOLUME_PROTECTION = 'kubernetes.io/pv-protection'
const CLAIM_UID = 'volume-claim-uid'

export interface SeenPersistentVolume {
  readonly volume: PersistentVolume
  readonly claim: PersistentVolumeClaim | undefined
  readonly longhorn: Volume | undefined
}

export function decidePersistentVolume(seen: SeenPersistentVolume, now: number): Decision {
  const { volume } = seen
  const phase = phaseOf(seen)
  const status = statusWith(volume, phase, now)
  if (phase === 'Released' && isOurs(volume)) {
    const actions = reclaim(seen)
    if (actions.length > 0) return { actions, status }
  }
  if (volume.metadata.deletionTimestamp !== undefined && phase !== 'Bound') {
    const finalizers = volume.metadata.finalizers ?? []
    const rest = finalizers.filter((word) => word !== VOLUME_PROTECTION)
    if (rest.length < finalizers.length) {
      return {
        actions: [{ do: 'patch', target: refOf(volume), patch: { metadata: { finalizers: rest } } }],
        status,
      }
    }
  }
  return { actions: [], status }
}

function phaseOf({ volume, claim }: SeenPersistentVolume): string {
  const wanted = volume.spec?.claimRef
  if (!wanted?.uid) return 'Available'
  if (claim === undefined || claim.metadata.uid !== wanted.uid) return 'Released'
  return claim.spec?.volumeName === volume.metadata.name ? 'Bound' : (volume.status?.phase ?? 'Pending')
}

function isOurs(volume: PersistentVolume): boolean {
  return (
    volume.spec?.persistentVolumeReclaimPolicy === 'Delete' && volume.spec.csi?.driver === LONGHORN_DRIVER
  )
}

/** First the Longhorn volume with its data, then, when that is gone, the object that stood for it. */
function reclaim({ volume, longhorn }: SeenPersistentVolume): readonly Action[] {
  const wanted = volume.spec?.claimRef
  const gone: ObjectRef = {
    kind: PersistentVolumeClaim,
    namespace: wanted?.namespace ?? '',
    name: wanted?.name ?? '',
    uid: wanted?.uid ?? '',
  }
  if (longhorn !== undefined) {
    if (longhorn.metadata.deletionTimestamp !== undefined) return []
    const { namespace = '', name = '', uid = '' } = longhorn.metadata
    return [{ do: 'delete', target: { kind: Volume, namespace, name, uid }, onlyIf: { absent: [gone] } }]
  }
  if (volume.metadata.deletionTimestamp !== undefined) return []
  const handle = volume.spec?.csi?.volumeHandle ?? ''
  const standing: ObjectRef = { kind: Volume, namespace: LONGHORN_NAMESPACE, name: handle }
  return [{ do: 'delete', target: refOf(volume), onlyIf: { absent: [gone, standing] } }]
}

function statusWith(volume: PersistentVolume, phase: string, now: number): JsonObject {
  const present = (volume.status ?? {}) as JsonObject
  if (present['phase'] === phase) return present
  return { ...present, phase, lastPhaseTransitionTime: formatTime(now) }
}

function refOf({ metadata }: PersistentVolume): ObjectRef {
  return { kind: PersistentVolume, name: metadata.name ?? '', uid: metadata.uid ?? '' }
}

export const persistentVolumeDecider: Decider<typeof PersistentVolume, SeenPersistentVolume> = {
  name: 'persistent-volume',
  step: 3,
  kind: PersistentVolume,
  indexes: [
    {
      kind: PersistentVolume,
      name: CLAIM_UID,
      values: (object) => {
        const uid = (object as PersistentVolume).spec?.claimRef?.uid
        return uid ? [uid] : []
      },
    },
  ],
  watches: [
    {
      kind: PersistentVolumeClaim,
      keys: ({ metadata }, look) =>
        look
          .byIndex(PersistentVolume, CLAIM_UID, metadata.uid ?? '')
          .map((volume) => volume.metadata.name ?? ''),
    },
    // The volume that we make has the PersistentVolume's name.
    { kind: Volume, keys: ({ metadata }) => [metadata.name ?? ''] },
  ],
  gather(volume, look) {
    const wanted = volume.spec?.claimRef
    const handle = volume.spec?.csi?.volumeHandle
    return {
      volume,
      claim: wanted?.name ? look.get(PersistentVolumeClaim, wanted.namespace, wanted.name) : undefined,
      longhorn: handle ? look.get(Volume, LONGHORN_NAMESPACE, handle) : undefined,
    }
  },
  decide: decidePersistentVolume,
}
