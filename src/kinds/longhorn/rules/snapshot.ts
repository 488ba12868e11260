// Snapshots: of a volume that is there, that has room for one more, and whose content can be trusted.
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import { snapshotRef, storageVolumeRef } from '../../foreign.ts'
import type { Mutator, Rule, RuleAnswer, RuleLook } from '../../kind.ts'
import { invalid, notFound, required } from '../../kubevirt/rules/causes.ts'
import type { VolumeSpec, VolumeStatus } from './volume.ts'

/** Longhorn's setting snapshot-max-count. */
export const SNAPSHOTS_MAX = 250

interface SnapshotSpec {
  readonly volume?: string
  readonly createSnapshot?: boolean
}

const FINALIZER = 'longhorn.io'
const VOLUME_LABEL = 'longhornvolume'

/** Set by whoever makes it, so that no second write is needed: it stays until its data are gone, and goes with its volume. */
export const snapshotMutator: Mutator = (next, previous, look) => {
  const { volume: name } = (next['spec'] ?? {}) as SnapshotSpec
  if (previous || !name) return next
  const { metadata } = next
  const volume = look.get(storageVolumeRef, metadata.namespace, name)
  const finalizers = metadata.finalizers ?? []
  const owners = metadata.ownerReferences ?? []
  const owner = volume && {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Volume',
    name,
    uid: volume.metadata.uid!,
  }
  return {
    ...next,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [VOLUME_LABEL]: name },
      finalizers: finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER],
      ...(owner && !owners.some(({ uid }) => uid === owner.uid)
        ? { ownerReferences: [...owners, owner] }
        : {}),
    },
  }
}

export const snapshotRule: Rule = (next, previous, look) => {
  if (!next) return previous ? deletion(previous, look) : {}
  const spec = (next['spec'] ?? {}) as SnapshotSpec
  const old = previous?.['spec'] as SnapshotSpec | undefined
  if (!spec.volume) return { causes: [required('spec.volume', 'Required value: name the volume')] }
  if (old)
    return old.volume === spec.volume
      ? {}
      : { causes: [invalid('spec.volume', 'spec.volume cannot be changed: a snapshot is of one volume')] }
  if (!spec.createSnapshot) return {}
  return { causes: creationCauses(next, spec.volume, look) }
}

function creationCauses(next: KubeObject, name: string, look: RuleLook): readonly Cause[] {
  const { namespace } = next.metadata
  const volume = look.get(storageVolumeRef, namespace, name)
  if (!volume) return [notFound('spec.volume', `volume ${name} not found`)]
  const status = volume['status'] as VolumeStatus | undefined
  if (volume.metadata.deletionTimestamp)
    return [invalid('spec.volume', `volume ${name} is being deleted; no snapshot of it can be taken`)]
  if (status?.robustness === 'faulted')
    return [
      invalid(
        'spec.volume',
        `volume ${name} is faulted: a snapshot would hold nothing that can be trusted. Bring a copy back first`,
      ),
    ]
  const most = (volume['spec'] as VolumeSpec | undefined)?.snapshotMaxCount || SNAPSHOTS_MAX
  const present = look
    .list(snapshotRef, namespace, name)
    .filter((one) => (one['spec'] as SnapshotSpec | undefined)?.volume === name).length
  return present >= most
    ? [
        invalid(
          'spec.volume',
          `volume ${name} has ${present} snapshots and may have ${most} (spec.snapshotMaxCount): delete some first`,
        ),
      ]
    : []
}

/** A snapshot that is being copied stays until the copy is whole. */
function deletion(snapshot: KubeObject, look: RuleLook): RuleAnswer {
  const { name, namespace } = snapshot.metadata
  const { volume } = (snapshot['spec'] ?? {}) as SnapshotSpec
  const source = `snap://${volume}/${name}`
  const user = look.list(storageVolumeRef, namespace, source).find((one) => {
    const spec = one['spec'] as VolumeSpec | undefined
    const state = (one['status'] as VolumeStatus | undefined)?.cloneStatus?.state
    return spec?.dataSource === source && state !== 'completed' && state !== 'failed'
  })
  return user && !user.metadata.deletionTimestamp
    ? {
        refuse: {
          code: 409,
          reason: 'Conflict',
          message: `snapshot ${name} is being copied into volume ${user.metadata.name}; delete it when that is done`,
        },
      }
    : {}
}
