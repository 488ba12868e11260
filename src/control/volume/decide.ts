// Decides one Longhorn volume: its children, where its replicas lie, whether it is attached, and how it goes away.
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { setFinalizers } from '../finalizers.ts'
import { type AttachmentAnswer, decideAttachment } from './attachment.ts'
import { createEngine, createEpoch, createReplica, LONGHORN_FINALIZER } from './children.ts'
import { type DiskFacts, type PlacementRules, placeReplicas } from './placement.ts'
import { type ClaimFacts, volumeStatus } from './status.ts'

export interface SeenVolume {
  readonly volume: Volume
  readonly engine: Engine | undefined
  readonly epoch: VolumeEpoch | undefined
  readonly replicas: readonly Replica[]
  readonly wantedNode: string | undefined
  readonly disks: readonly DiskFacts[]
  readonly rules: PlacementRules
  /** The cluster's setting, for volumes that follow it. */
  readonly softNodeAntiAffinity: boolean
  readonly claim: ClaimFacts | undefined
  readonly imageWait: string | undefined
}

export function decideVolume(seen: SeenVolume, now: number): Decision {
  return seen.volume.metadata.deletionTimestamp ? decideDeletion(seen) : decideLife(seen, now)
}

function remove(kind: typeof Engine | typeof Replica | typeof VolumeEpoch, object: Engine | Replica): Action {
  const { name, namespace, uid } = object.metadata
  return { do: 'delete', target: { kind, namespace: namespace!, name: name!, uid: uid! } }
}

/** Stop everything, then let the agents remove their files, then let the volume go. */
function decideDeletion(seen: SeenVolume): Decision {
  const { volume, engine, epoch, replicas } = seen
  const finalizers = volume.metadata.finalizers ?? []
  const status = { ...volume.status, state: 'deleting' }
  if (engine && !engine.metadata.deletionTimestamp) {
    const stopped = decideAttachment({ volume, engine, replicas, wantedNode: undefined })
    if (stopped.state !== 'detached') return { actions: stopped.actions, status }
    return { actions: [remove(Engine, engine)], status }
  }
  const standing = replicas.filter((replica) => !replica.metadata.deletionTimestamp)
  if (standing.length > 0) return { actions: standing.map((replica) => remove(Replica, replica)), status }
  if (engine || replicas.length > 0) return { actions: [], status }
  if (epoch && !epoch.metadata.deletionTimestamp)
    return { actions: [remove(VolumeEpoch, epoch as unknown as Engine)], status }
  if (!finalizers.includes(LONGHORN_FINALIZER)) return { actions: [], status }
  return {
    actions: [
      setFinalizers(
        Volume,
        volume,
        finalizers.filter((word) => word !== LONGHORN_FINALIZER),
      ),
    ],
  }
}

function decideLife(seen: SeenVolume, now: number): Decision {
  const { volume, engine, epoch } = seen
  const finalizers = volume.metadata.finalizers ?? []
  const living = seen.replicas.filter((replica) => !replica.metadata.deletionTimestamp)
  const serving = living.filter((replica) => !replica.spec?.failedAt)
  const placement = place(seen, living, serving)
  const attachment: AttachmentAnswer =
    engine && serving.length > 0
      ? decideAttachment({ volume, engine, replicas: serving, wantedNode: seen.wantedNode })
      : {
          actions: [],
          state: living.length === 0 ? 'creating' : ((volume.status?.state ?? 'detached') as never),
        }
  const actions: readonly Action[] = [
    ...(finalizers.includes(LONGHORN_FINALIZER)
      ? []
      : [setFinalizers(Volume, volume, [...finalizers, LONGHORN_FINALIZER])]),
    // Replicas first: their node makes the files while the rest is written down.
    ...placement.actions,
    ...(engine ? [] : [createEngine(volume)]),
    ...(epoch ? [] : [createEpoch(volume)]),
    ...attachment.actions,
  ]
  const status = volumeStatus(
    {
      volume,
      engine,
      state: attachment.state,
      claim: seen.claim,
      shortage: placement.shortage,
      allFailed: living.length > 0 && serving.length === 0,
      imageWait: seen.imageWait,
    },
    now,
  )
  return { actions, status: status as Decision['status'] & object }
}

interface PlacementAnswer {
  readonly actions: readonly Action[]
  readonly shortage: string | undefined
}

/**
 * Replicas that the volume lacks. More than the first are only placed before the volume's first attachment: a later
 * one must be rebuilt from the others before it may serve.
 */
function place(seen: SeenVolume, living: readonly Replica[], serving: readonly Replica[]): PlacementAnswer {
  const { volume } = seen
  const missing = (volume.spec?.numberOfReplicas ?? 1) - serving.length
  if (missing <= 0) return { actions: [], shortage: undefined }
  const anti = volume.spec?.replicaSoftAntiAffinity
  const placed = placeReplicas(
    {
      sizeBytes: BigInt(volume.spec?.size ?? 0),
      count: missing,
      nodeSelector: volume.spec?.nodeSelector ?? [],
      diskSelector: volume.spec?.diskSelector ?? [],
      softNodeAntiAffinity:
        anti === undefined || anti === 'ignored' ? seen.softNodeAntiAffinity : anti === 'enabled',
      present: living.map((replica) => ({
        nodeID: replica.spec?.nodeID ?? '',
        diskUUID: replica.spec?.diskID ?? '',
      })),
    },
    seen.disks,
    seen.rules,
  )
  const fresh = Number(seen.epoch?.spec.epoch ?? 0) === 0
  const actions = fresh
    ? placed.disks.map((disk, index) => createReplica(volume, disk, seen.replicas, index))
    : []
  return { actions, shortage: placed.shortage }
}
