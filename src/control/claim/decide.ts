// Decides one PersistentVolumeClaim: bind it to a volume that is there, have one made by Longhorn, grow it, and let
// it go when nobody uses it any more.
import type { JsonObject } from '../../base/json.ts'
import { parseQuantity, toBigIntBytes } from '../../base/quantity.ts'
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Action, Decision, ObjectRef } from '../../kinds/decide.ts'
import type { StorageClass } from '../../kinds/kubernetes/storage-class.ts'
import type { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { type ConditionLike, withConditions, withoutConditions } from '../conditions.ts'
import { LONGHORN_NAMESPACE } from '../data-volume.ts'
import { SELECTED_NODE } from '../scheduling/claims.ts'
import { findVolume, isFor } from './match.ts'
import {
  backingImageOf,
  bytesText,
  LONGHORN_DRIVER,
  longhornVolume,
  persistentVolume,
  wantedBytes,
  wrongParameter,
  wrongSize,
} from './provision.ts'
import type { ReadySource, SourceAnswer } from './source.ts'

export const CLAIM_PROTECTION = 'kubernetes.io/pvc-protection'
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed'
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller'
const PROVISIONER = 'volume.kubernetes.io/storage-provisioner'
const PROVISIONER_BETA = 'volume.beta.kubernetes.io/storage-provisioner'

export interface SeenClaim {
  readonly claim: PersistentVolumeClaim
  /** The volume that the claim names. */
  readonly bound: PersistentVolume | undefined
  /** Volumes of the same class, and those kept for this claim. */
  readonly candidates: readonly PersistentVolume[]
  readonly storageClass: StorageClass | undefined
  /** The Longhorn volume behind the bound one. */
  readonly longhorn: Volume | undefined
  /** What all its replicas have committed to. */
  readonly record?: VolumeEpoch | undefined
  readonly image: BackingImage | undefined
  /** What it is to be filled from; undefined for a claim that starts empty or from an image. */
  readonly source?: SourceAnswer | undefined
  /** Names of Pods on a node that have not ended. */
  readonly users: readonly string[]
}

const NOTHING: Decision = { actions: [] }

export function decideClaim(seen: SeenClaim, now: number): Decision {
  const { claim, bound } = seen
  if (claim.metadata.deletionTimestamp !== undefined) return decideEnd(seen)
  if (!claim.spec?.volumeName) return decideUnbound(seen)
  if (bound === undefined) return decideWithout(seen)
  if (!isFor(bound, claim)) {
    const keeper = bound.spec?.claimRef
    if (keeper !== undefined) {
      return pending(
        claim,
        'FailedBinding',
        `volume "${bound.metadata.name}" already bound to a different claim.`,
      )
    }
    return { actions: [keep(bound, claim)] }
  }
  if (!bound.spec?.claimRef?.uid) return { actions: [keep(bound, claim)] }
  return decideBound(seen, bound, now)
}

/** A claim that is in use stays until its last Pod has ended. */
function decideEnd({ claim, users }: SeenClaim): Decision {
  const finalizers = claim.metadata.finalizers ?? []
  if (!finalizers.includes(CLAIM_PROTECTION) || users.length > 0) return NOTHING
  const rest = finalizers.filter((word) => word !== CLAIM_PROTECTION)
  return { actions: [patch(claim, { metadata: { finalizers: rest } })] }
}

function decideWithout({ claim }: SeenClaim): Decision {
  if (claim.metadata.annotations?.[BIND_COMPLETED] === undefined) {
    return { actions: [], status: { ...statusOf(claim), phase: 'Pending' } }
  }
  const message = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!'
  const told = claim.status?.phase === 'Lost'
  return {
    actions: told ? [] : [note(claim, 'Warning', 'ClaimLost', message)],
    status: { ...statusOf(claim), phase: 'Lost' },
  }
}

function decideUnbound(seen: SeenClaim): Decision {
  const { claim, candidates, storageClass } = seen
  const found = findVolume(claim, candidates)
  if (found !== undefined) return { actions: [keep(found, claim), take(claim, found, true)] }
  const className = claim.spec?.storageClassName
  if (!className) {
    return pending(
      claim,
      'FailedBinding',
      'no persistent volumes available for this claim and no storage class is set',
    )
  }
  if (storageClass === undefined) {
    return pending(
      claim,
      'ProvisioningFailed',
      `storageclass.storage.k8s.io "${className}" not found`,
      'Warning',
    )
  }
  const selected = claim.metadata.annotations?.[SELECTED_NODE]
  if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && selected === undefined) {
    const message = 'waiting for first consumer to be created before binding'
    return pending(claim, 'WaitForFirstConsumer', message)
  }
  return provision(seen, storageClass)
}

function provision(seen: SeenClaim, storageClass: StorageClass): Decision {
  const { claim, image } = seen
  const { provisioner } = storageClass
  if (provisioner !== LONGHORN_DRIVER) {
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`
    const annotations = { [PROVISIONER]: provisioner, [PROVISIONER_BETA]: provisioner }
    const waiting = pending(claim, 'ExternalProvisioning', message)
    return { ...waiting, actions: [...waiting.actions, patch(claim, { metadata: { annotations } })] }
  }
  const wrong = wrongParameter(storageClass)
  if (wrong !== undefined) {
    const message = `storage class "${storageClass.metadata.name}": ${wrong}`
    return pending(claim, 'ProvisioningFailed', message, 'Warning')
  }
  const oversize = wrongSize(claim)
  if (oversize !== undefined) return pending(claim, 'ProvisioningFailed', oversize, 'Warning')
  const { source } = seen
  if (source?.waits !== undefined) return pending(claim, 'ProvisioningFailed', source.waits, 'Warning')
  if (source?.ready) return provisionCopy(claim, storageClass, source.ready)
  const imageName = backingImageOf(claim, storageClass)
  if (imageName !== undefined && image === undefined) {
    const message = `backing image ${imageName} of the claim does not exist in ${LONGHORN_NAMESPACE}`
    return pending(claim, 'ProvisioningFailed', message, 'Warning')
  }
  const least = BigInt(image?.status?.virtualSize ?? 0)
  if (wantedBytes(claim) < least) {
    const message = `the claim asks for ${bytesText(wantedBytes(claim))}, but image ${imageName} holds a disk of ${bytesText(least)}: ask for at least that`
    return pending(claim, 'ProvisioningFailed', message, 'Warning')
  }
  return made(claim, storageClass, longhornVolume(claim, storageClass))
}

/** A copy has all of its content itself, so that it stands on no image, whatever its class says. */
function provisionCopy(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  source: ReadySource,
): Decision {
  if (wantedBytes(claim) < source.leastBytes) {
    const message = `requested volume size ${bytesText(wantedBytes(claim))} is less than the size ${bytesText(source.leastBytes)} of the source ${source.called}: ask for at least that`
    return pending(claim, 'ProvisioningFailed', message, 'Warning')
  }
  const whole = longhornVolume(claim, storageClass)
  const { backingImage: _image, ...spec } = whole.spec ?? {}
  return made(claim, storageClass, {
    ...whole,
    spec: { ...spec, dataSource: source.dataSource, cloneMode: 'full-copy' },
  })
}

function made(claim: PersistentVolumeClaim, storageClass: StorageClass, longhorn: Volume): Decision {
  const volume = persistentVolume(claim, storageClass)
  return {
    actions: [
      { do: 'create', kind: Volume, object: longhorn },
      { do: 'create', kind: PersistentVolume, object: volume, afterOthers: true },
      note(
        claim,
        'Normal',
        'ProvisioningSucceeded',
        `Successfully provisioned volume ${volume.metadata.name}`,
      ),
      take(claim, volume, false),
    ],
  }
}

/** Keeps the volume for this claim: the first half of the binding, a compare-and-swap. */
function keep(volume: PersistentVolume, claim: PersistentVolumeClaim): Action {
  const { namespace = '', name = '', uid = '' } = claim.metadata
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid }
  const { resourceVersion } = volume.metadata
  return {
    do: 'patch',
    target: { kind: PersistentVolume, name: volume.metadata.name ?? '' },
    patch: {
      ...(isFor(volume, claim) ? {} : { metadata: { annotations: { [BOUND_BY_CONTROLLER]: 'yes' } } }),
      spec: { claimRef },
    },
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}

/** Names the volume in the claim: the second half. */
function take(claim: PersistentVolumeClaim, volume: PersistentVolume, found: boolean): Action {
  const provisioned = { [PROVISIONER]: LONGHORN_DRIVER, [PROVISIONER_BETA]: LONGHORN_DRIVER }
  return patch(claim, {
    metadata: {
      annotations: {
        ...(found ? {} : provisioned),
        [BIND_COMPLETED]: 'yes',
        [BOUND_BY_CONTROLLER]: 'yes',
      },
    },
    spec: { volumeName: volume.metadata.name ?? '' },
  })
}

function decideBound(seen: SeenClaim, bound: PersistentVolume, now: number): Decision {
  const { claim } = seen
  const status = {
    ...statusOf(claim),
    phase: 'Bound',
    accessModes: bound.spec?.accessModes ?? [],
    capacity: bound.spec?.capacity ?? {},
  }
  const actions: Action[] =
    claim.metadata.annotations?.[BIND_COMPLETED] === undefined
      ? [patch(claim, { metadata: { annotations: { [BIND_COMPLETED]: 'yes' } } })]
      : []
  const growth = decideGrowth(seen, bound, now)
  return {
    actions: [...actions, ...growth.actions],
    status: { ...status, ...growth.status } as JsonObject,
  }
}

/** A claim that was made larger: the Longhorn volume first, the PersistentVolume when that has grown. */
function decideGrowth(seen: SeenClaim, bound: PersistentVolume, now: number): Decision {
  const { claim, longhorn } = seen
  const conditions = (claim.status?.conditions ?? []) as readonly ConditionLike[]
  const wanted = wantedBytes(claim)
  const present = quantityBytes(bound.spec?.capacity?.['storage'])
  if (longhorn === undefined || present === 0n || wanted <= present) {
    const rest = withoutConditions(conditions, ['Resizing'])
    return rest.length === conditions.length
      ? NOTHING
      : { actions: [], status: { conditions: rest as never } }
  }
  const resizing = { type: 'Resizing', status: 'True' } as const
  const status = { conditions: withConditions(conditions, [resizing], now) as never }
  if (BigInt(longhorn.spec?.size ?? '0') < wanted) {
    const target = refOf(Volume, longhorn)
    return { actions: [{ do: 'patch', target, patch: { spec: { size: String(wanted) } } }], status }
  }
  // All replicas have grown when their record says so; while attached, the engine's agent tells of the guest, too.
  const recorded = seen.record?.spec.size
  const isBehind = recorded !== undefined && BigInt(recorded) < wanted
  if (isBehind || longhorn.status?.expansionRequired === true) return { actions: [], status }
  const target: ObjectRef = { kind: PersistentVolume, name: bound.metadata.name ?? '' }
  const capacity = { storage: bytesText(wanted) }
  return { actions: [{ do: 'patch', target, patch: { spec: { capacity } } }], status }
}

function quantityBytes(text: string | number | undefined): bigint {
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return quantity === undefined ? 0n : toBigIntBytes(quantity)
}

function pending(
  claim: PersistentVolumeClaim,
  reason: string,
  message: string,
  type: 'Normal' | 'Warning' = 'Normal',
): Decision {
  return {
    actions: [note(claim, type, reason, message)],
    status: { ...statusOf(claim), phase: 'Pending' },
  }
}

function statusOf(claim: PersistentVolumeClaim): JsonObject {
  return (claim.status ?? {}) as JsonObject
}

function refOf(
  kind: typeof Volume | typeof PersistentVolumeClaim,
  object: Volume | PersistentVolumeClaim,
): ObjectRef {
  const { namespace = '', name = '', uid = '' } = object.metadata
  return { kind, namespace, name, uid }
}

function patch(claim: PersistentVolumeClaim, change: JsonObject): Action {
  return { do: 'patch', target: refOf(PersistentVolumeClaim, claim), patch: change }
}

function note(
  claim: PersistentVolumeClaim,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): Action {
  return { do: 'note', about: refOf(PersistentVolumeClaim, claim), type, reason, message }
}
