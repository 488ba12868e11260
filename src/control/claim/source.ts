// What a claim is to be filled from: a VolumeSnapshot or another claim, resolved to what Longhorn calls it.
import { parseQuantity, toBigIntBytes } from '../../base/quantity.ts'
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Look } from '../../kinds/decide.ts'
import { readSnapshotHandle } from '../../kinds/snapshot/rules.ts'
import { VolumeSnapshot } from '../../kinds/snapshot/volume-snapshot.ts'
import { VolumeSnapshotContent } from '../../kinds/snapshot/volume-snapshot-content.ts'

const DRIVER = 'driver.longhorn.io'

export interface ReadySource {
  /** `snap://volume/snapshot` or `vol://volume`. */
  readonly dataSource: string
  /** Bytes that the claim must have at least. */
  readonly leastBytes: bigint
  /** How the source is called in messages. */
  readonly called: string
}

export interface SourceAnswer {
  readonly ready?: ReadySource
  /** Why it cannot be used yet. */
  readonly waits?: string
}

interface Reference {
  readonly apiGroup?: string | null
  readonly kind?: string
  readonly name?: string
  readonly namespace?: string
}

function referenceOf({ spec }: PersistentVolumeClaim): Reference | undefined {
  const reference = (spec?.dataSourceRef ?? spec?.dataSource) as Reference | undefined
  return reference?.name ? reference : undefined
}

/** `kind/namespace/name` of what the claim is made from, for an index. */
export function sourceKeyOf(claim: PersistentVolumeClaim): string | undefined {
  const reference = referenceOf(claim)
  return reference && `${reference.kind}/${claim.metadata.namespace}/${reference.name}`
}

/** Undefined for a claim that starts empty. */
export function claimSource(claim: PersistentVolumeClaim, look: Look): SourceAnswer | undefined {
  const reference = referenceOf(claim)
  if (!reference) return undefined
  const { namespace } = claim.metadata
  if (reference.namespace && reference.namespace !== namespace)
    return { waits: 'a source in another namespace is not served; make the claim where its source is' }
  if (reference.kind === 'VolumeSnapshot') return fromSnapshot(look, namespace, reference.name!)
  if (reference.kind === 'PersistentVolumeClaim') return fromClaim(look, namespace, reference.name!)
  return {
    waits: `nothing here fills claims from a ${reference.kind}; use a VolumeSnapshot or a PersistentVolumeClaim`,
  }
}

function fromSnapshot(look: Look, namespace: string | undefined, name: string): SourceAnswer {
  const snapshot = look.get(VolumeSnapshot, namespace, name)
  if (!snapshot) return { waits: `error getting snapshot ${name}: volumesnapshot "${name}" not found` }
  if (snapshot.metadata.deletionTimestamp) return { waits: `snapshot ${name} is currently being deleted` }
  if (snapshot.status?.readyToUse !== true)
    return {
      waits: `snapshot ${name} is not Ready${snapshot.status?.error?.message ? `: ${snapshot.status.error.message}` : ''}`,
    }
  const content = look.get(
    VolumeSnapshotContent,
    undefined,
    snapshot.status.boundVolumeSnapshotContentName ?? '',
  )
  const handle = readSnapshotHandle(content?.status?.snapshotHandle ?? content?.spec.source.snapshotHandle)
  if (!content || content.spec.driver !== DRIVER || !handle)
    return { waits: `snapshot ${name} is not one of driver ${DRIVER}` }
  return {
    ready: {
      dataSource: `snap://${handle.volume}/${handle.snapshot}`,
      leastBytes: BigInt(content.status?.restoreSize ?? 0),
      called: `snapshot ${name}`,
    },
  }
}

function fromClaim(look: Look, namespace: string | undefined, name: string): SourceAnswer {
  const source = look.get(PersistentVolumeClaim, namespace, name)
  if (!source)
    return { waits: `error getting PVC ${name} (to clone): persistentvolumeclaim "${name}" not found` }
  const volume = source.spec?.volumeName
    ? look.get(PersistentVolume, undefined, source.spec.volumeName)
    : undefined
  if (source.status?.phase !== 'Bound' || !volume)
    return { waits: `the PVC ${name} to clone is not bound yet` }
  if (source.metadata.deletionTimestamp) return { waits: `the PVC ${name} to clone is being deleted` }
  const { csi } = volume.spec ?? {}
  if (csi?.driver !== DRIVER) return { waits: `the volume of PVC ${name} is not one of driver ${DRIVER}` }
  return {
    ready: {
      dataSource: `vol://${csi.volumeHandle}`,
      leastBytes: quantityBytes(volume.spec?.capacity?.['storage']),
      called: `PVC ${name}`,
    },
  }
}

function quantityBytes(text: string | number | undefined): bigint {
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return quantity === undefined ? 0n : toBigIntBytes(quantity)
}
