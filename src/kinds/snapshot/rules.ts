// Snapshots of claims: one source, never changed; a class of a type that is served; a handle that can be read.
import { deepEqual } from '../../base/equality.ts'
import type { Cause } from '../../base/errors.ts'
import { claimRef, snapshotClassRef } from '../foreign.ts'
import type { Mutator, Rule } from '../kind.ts'
import { invalid, notFound, required } from '../kubevirt/rules/causes.ts'
import { LONGHORN_DRIVER } from '../longhorn/rules/storage-class.ts'

/** `snap://volume/snapshot`: a snapshot beside the data. */
const SNAPSHOT_HANDLE = /^snap:\/\/([a-z0-9][a-z0-9_.-]*)\/([A-Za-z0-9][A-Za-z0-9_.-]*)$/
/** Holds a VolumeSnapshot that data were made for. Kubernetes' own words. */
export const SOURCE_PROTECTION = 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection'
export const BOUND_PROTECTION = 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'
const TYPES = ['snap']
const TYPES_LATER: Readonly<Record<string, string>> = { bak: 'backups', bi: 'exported images' }

export interface SnapshotHandle {
  readonly volume: string
  readonly snapshot: string
}

export function readSnapshotHandle(handle: string | undefined): SnapshotHandle | undefined {
  const match = SNAPSHOT_HANDLE.exec(handle ?? '')
  return match ? { volume: match[1]!, snapshot: match[2]! } : undefined
}

interface SnapshotSpec {
  readonly source?: {
    readonly persistentVolumeClaimName?: string
    readonly volumeSnapshotContentName?: string
  }
  readonly volumeSnapshotClassName?: string
}

/** Set by whoever makes it, so that no second write is needed for it. */
export const volumeSnapshotMutator: Mutator = (next, previous) => {
  if (previous) return next
  const finalizers = next.metadata.finalizers ?? []
  const { source } = (next['spec'] ?? {}) as SnapshotSpec
  const wanted = source?.persistentVolumeClaimName
    ? [SOURCE_PROTECTION, BOUND_PROTECTION]
    : [BOUND_PROTECTION]
  const missing = wanted.filter((word) => !finalizers.includes(word))
  return missing.length === 0
    ? next
    : { ...next, metadata: { ...next.metadata, finalizers: [...finalizers, ...missing] } }
}

export const volumeSnapshotRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as SnapshotSpec
  const old = previous?.['spec'] as SnapshotSpec | undefined
  const { persistentVolumeClaimName: claim, volumeSnapshotContentName: content } = spec.source ?? {}
  const causes: Cause[] = []
  if ((claim === undefined) === (content === undefined))
    causes.push(
      invalid(
        'spec.source',
        'exactly one of persistentVolumeClaimName and volumeSnapshotContentName is needed',
      ),
    )
  if (spec.volumeSnapshotClassName === '')
    causes.push(invalid('spec.volumeSnapshotClassName', 'spec.volumeSnapshotClassName must not be empty'))
  if (old && !deepEqual(old.source, spec.source))
    causes.push(invalid('spec.source', 'spec.source cannot be changed after the snapshot is made'))
  if (!old && claim && causes.length === 0) {
    // Clients make snapshots for claims that they have just made; only one that is not there at all is a slip.
    const found = look.get(claimRef, next.metadata.namespace, claim)
    if (found?.metadata.deletionTimestamp)
      causes.push(
        invalid(
          'spec.source.persistentVolumeClaimName',
          `claim ${claim} is being deleted; keep it, or name another`,
        ),
      )
  }
  return { causes }
}

interface ClassFields {
  readonly driver?: string
  readonly parameters?: Readonly<Record<string, string>>
}

export const snapshotClassRule: Rule = (next, previous) => {
  if (!next) return {}
  const { driver, parameters } = next as ClassFields
  const old = previous as ClassFields | undefined
  const causes: Cause[] = []
  if (old && (old.driver !== driver || !deepEqual(old.parameters, parameters)))
    causes.push(invalid('driver', 'driver and parameters cannot be changed after the class is made'))
  const type = parameters?.['type'] ?? ''
  if (driver === LONGHORN_DRIVER && type !== '' && !TYPES.includes(type) && !TYPES_LATER[type])
    causes.push(
      invalid('parameters[type]', `parameter type must be snap, bak or bi, not ${JSON.stringify(type)}`),
    )
  const later = driver === LONGHORN_DRIVER ? TYPES_LATER[type || 'bak'] : undefined
  const warnings =
    later && causes.length === 0
      ? [`snapshots of this class are ${later}, which are not served yet; for local snapshots use type=snap`]
      : []
  return { causes, warnings }
}

interface ContentSpec {
  readonly driver?: string
  readonly source?: { readonly volumeHandle?: string; readonly snapshotHandle?: string }
  readonly sourceVolumeMode?: string
  readonly volumeSnapshotRef?: { readonly name?: string; readonly namespace?: string }
  readonly volumeSnapshotClassName?: string
}

export const contentRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as ContentSpec
  const old = previous?.['spec'] as ContentSpec | undefined
  const { volumeHandle, snapshotHandle } = spec.source ?? {}
  const causes: Cause[] = []
  if ((volumeHandle === undefined) === (snapshotHandle === undefined))
    causes.push(invalid('spec.source', 'exactly one of volumeHandle and snapshotHandle is needed'))
  if (!spec.volumeSnapshotRef?.name || !spec.volumeSnapshotRef.namespace)
    causes.push(
      required('spec.volumeSnapshotRef', 'both spec.volumeSnapshotRef.name and namespace are needed'),
    )
  if (old && !deepEqual(old.source, spec.source))
    causes.push(invalid('spec.source', 'spec.source cannot be changed after the content is made'))
  if (old?.sourceVolumeMode && old.sourceVolumeMode !== spec.sourceVolumeMode)
    causes.push(invalid('spec.sourceVolumeMode', 'spec.sourceVolumeMode cannot be changed'))
  const isOurs = spec.driver === LONGHORN_DRIVER
  if (!old && isOurs && snapshotHandle !== undefined && !readSnapshotHandle(snapshotHandle))
    causes.push(
      invalid(
        'spec.source.snapshotHandle',
        `${JSON.stringify(snapshotHandle)} is no handle of a local snapshot: it must read snap://volume/snapshot`,
      ),
    )
  const className = spec.volumeSnapshotClassName
  if (!old && className && volumeHandle !== undefined && !look.get(snapshotClassRef, undefined, className))
    causes.push(notFound('spec.volumeSnapshotClassName', `snapshot class ${className} not found`))
  return { causes }
}
