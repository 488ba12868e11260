// Decides one Longhorn volume: its children, where its replicas lie, whether it is attached, and how it goes away.

import { deepEqual } from '../../base/equality.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { setFinalizers } from '../finalizers.ts'
import { type AttachmentAnswer, decideAttachment } from './attachment.ts'
import { createEngine, createEpoch, createReplica, LONGHORN_FINALIZER } from './children.ts'
import { type CloneSeen, decideClone, isFilled } from './clone.ts'
import { decideFailures, type FailureAnswer, type SpecChange } from './failures.ts'
import type { DiskFacts } from './placement.ts'
import { decideRedundancy, type RedundancyAnswer } from './redundancy.ts'
import {
  engineRuns,
  isServing,
  isWritten,
  LEAVING,
  neededForStart,
  type ReplicaView,
  viewsOf,
} from './replicas.ts'
import type { StorageSettings } from './settings.ts'
import { type ClaimFacts, volumeStatus } from './status.ts'

export interface SeenVolume {
  readonly volume: Volume
  readonly engine: Engine | undefined
  readonly epoch: VolumeEpoch | undefined
  readonly replicas: readonly Replica[]
  readonly wantedNode: string | undefined
  /** A Pod that uses it is about to be bound to a node. */
  readonly isAwaited: boolean
  readonly disks: readonly DiskFacts[]
  readonly settings: StorageSettings
  /** Rebuilds under way in the cluster, by node. */
  readonly rebuilds: ReadonlyMap<string, number>
  /** Nodes whose agent does not answer. */
  readonly lostNodes: ReadonlySet<string>
  /** Nodes that are no more; what lay there cannot be cleaned up by an agent. */
  readonly goneNodes: ReadonlySet<string>
  /** Milliseconds since each replica last changed here, by name. */
  readonly silentMs: Readonly<Record<string, number>>
  /** Where it is filled from, for a volume that is a copy. */
  readonly cloneFrom?: Pick<CloneSeen, 'sourceVolume' | 'sourceSnapshot'>
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

/** Nobody is left who could remove the files of a replica whose node was deleted. */
function releaseGone({ replicas, goneNodes }: SeenVolume): readonly Action[] {
  return replicas
    .filter((replica) => replica.metadata.deletionTimestamp && goneNodes.has(replica.spec?.nodeID ?? ''))
    .filter((replica) => (replica.metadata.finalizers ?? []).includes(LONGHORN_FINALIZER))
    .map((replica) =>
      setFinalizers(
        Replica,
        replica,
        (replica.metadata.finalizers ?? []).filter((word) => word !== LONGHORN_FINALIZER),
      ),
    )
}

/** Stop everything, then let the agents remove their files, then let the volume go. */
function decideDeletion(seen: SeenVolume): Decision {
  const { volume, engine, epoch, replicas } = seen
  const finalizers = volume.metadata.finalizers ?? []
  const status = { ...volume.status, state: 'deleting' }
  if (engine && !engine.metadata.deletionTimestamp) {
    const { lostNodes } = seen
    const stopped = decideAttachment({ volume, engine, replicas, wantedNode: undefined, lostNodes })
    if (stopped.state !== 'detached') return { actions: stopped.actions, status }
    return { actions: [remove(Engine, engine)], status }
  }
  const standing = replicas.filter((replica) => !replica.metadata.deletionTimestamp)
  if (standing.length > 0) return { actions: standing.map((replica) => remove(Replica, replica)), status }
  if (engine || replicas.length > 0) return { actions: releaseGone(seen), status }
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
  const views = viewsOf(living, {
    engine,
    epoch,
    disks: seen.disks,
    lostNodes: seen.lostNodes,
    silentMs: (name) => seen.silentMs[name] ?? 0,
  })
  const failures = decideFailures(
    {
      volume,
      engine,
      epoch,
      views,
      // One that is still being filled is slow, not lost.
      isWanted: seen.wantedNode !== undefined && isFilled(volume),
      autoSalvage: seen.settings.autoSalvage,
    },
    now,
  )
  // What was just given up is decided on when it is written down.
  const redundancy = failures.changes.size > 0 ? undefined : decideRedundancy({ ...seen, views }, now)
  const changes = new Map([...(redundancy?.changes ?? []), ...failures.changes])
  const serving = views.filter((view) => isServing(view) && !changes.get(view.name)?.failedAt)
  const attachment = attach(seen, views, serving)
  const clone = decideClone({
    volume,
    replicas: living,
    sourceVolume: seen.cloneFrom?.sourceVolume,
    sourceSnapshot: seen.cloneFrom?.sourceSnapshot,
  })
  const actions: readonly Action[] = [
    ...(finalizers.includes(LONGHORN_FINALIZER)
      ? []
      : [setFinalizers(Volume, volume, [...finalizers, LONGHORN_FINALIZER])]),
    // Replicas first: their node makes the files while the rest is written down.
    ...placeActions(seen, redundancy),
    ...(engine ? [] : [createEngine(volume)]),
    ...(epoch ? [] : [createEpoch(volume)]),
    ...attachment.actions,
    ...replicaActions(seen, views, changes),
    ...leavingActions(redundancy, views),
    ...releaseGone(seen),
    ...clone.actions,
  ]
  const status = volumeStatus(
    {
      volume,
      engine,
      state: attachment.state,
      claim: seen.claim,
      shortage: redundancy ? redundancy.shortage : shortageBefore(volume),
      allFailed: isLost(views, epoch),
      engineLost: seen.lostNodes.has(engine?.spec?.nodeID ?? ''),
      sizeBytes: epoch?.spec.size === undefined ? undefined : BigInt(epoch.spec.size),
      snapshotWarning: seen.settings.snapshotWarning,
      imageWait: seen.imageWait,
      cloneStatus: clone.status,
    },
    now,
  )
  const wakeAt = earliest(failures, redundancy)
  return {
    actions,
    status: status as Decision['status'] & object,
    // Nodes wait for it before they start a machine.
    urgent: attachment.state === 'attached' && volume.status?.state !== 'attached',
    ...(wakeAt === undefined ? {} : { wakeAt }),
  }
}

function earliest(failures: FailureAnswer, redundancy: RedundancyAnswer | undefined): number | undefined {
  const times = [failures.wakeAt, redundancy?.wakeAt].filter((time) => time !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** While nothing new is decided about places, what was said of them stands. */
function shortageBefore(volume: Volume): string | undefined {
  const scheduled = volume.status?.conditions?.find((condition) => condition.type === 'Scheduled')
  if (scheduled?.status !== 'False') return undefined
  return (scheduled.message ?? '').replace(/^replica scheduling failed: /, '')
}

/** No replica that has all the data may serve. */
function isLost(views: readonly ReplicaView[], epoch: VolumeEpoch | undefined): boolean {
  if (!isWritten(epoch)) return views.length > 0 && !views.some(isServing)
  return !views.some((view) => view.inSync && isServing(view) && view.alive)
}

function attach(
  seen: SeenVolume,
  views: readonly ReplicaView[],
  serving: readonly ReplicaView[],
): AttachmentAnswer {
  const { volume, engine, epoch, lostNodes } = seen
  const needed = neededForStart(serving, epoch)
  if (engine && views.length > 0) {
    // Without one that has all the data there is nothing to start, and what stands is let go.
    const wantedNode = needed.length > 0 || engineRuns(engine) ? seen.wantedNode : undefined
    return decideAttachment({
      volume,
      engine,
      replicas: serving.map((view) => view.replica),
      wantedNode,
      needed: needed.map((view) => view.name),
      isAwaited: seen.isAwaited,
      lostNodes,
    })
  }
  const state = views.length === 0 ? 'creating' : ((volume.status?.state ?? 'detached') as never)
  return { actions: [], state }
}

function placeActions(seen: SeenVolume, redundancy: RedundancyAnswer | undefined): readonly Action[] {
  const { volume, replicas, wantedNode, isAwaited } = seen
  const runs = isAwaited || wantedNode !== undefined
  return (redundancy?.creations ?? []).map((disk, index) =>
    createReplica(volume, disk, { present: replicas, index, runs }),
  )
}

/** A replica's bookkeeping; a size that was reached is the size that the disk is asked for from then on. */
function replicaActions(
  { volume, engine }: SeenVolume,
  views: readonly ReplicaView[],
  changes: ReadonlyMap<string, SpecChange>,
): readonly Action[] {
  const reached = engineRuns(engine) && engine?.status?.currentSize === volume.spec?.size
  return views.flatMap(({ replica, name, mode }) => {
    const grown =
      reached && mode === 'RW' && volume.spec?.size && replica.spec?.volumeSize !== volume.spec.size
        ? { volumeSize: volume.spec.size }
        : {}
    const change: SpecChange = { ...changes.get(name), ...grown }
    const present = (replica.spec ?? {}) as Readonly<Record<string, unknown>>
    const differs = Object.entries(change).some(([key, value]) => !deepEqual(present[key], value))
    if (!differs) return []
    const target = { kind: Replica, namespace: replica.metadata.namespace!, name }
    return [{ do: 'patch', target, patch: { spec: change as never } }]
  })
}

function leavingActions(
  redundancy: RedundancyAnswer | undefined,
  views: readonly ReplicaView[],
): readonly Action[] {
  if (!redundancy) return []
  const marks = views.flatMap((view): readonly Action[] => {
    const why = redundancy.leaving.get(view.name)
    if (!why || view.leaving) return []
    const { namespace } = view.replica.metadata
    return [
      {
        do: 'patch',
        target: { kind: Replica, namespace: namespace!, name: view.name },
        patch: { metadata: { annotations: { [LEAVING]: why } } },
      },
    ]
  })
  return [...marks, ...redundancy.removals.map((view) => remove(Replica, view.replica))]
}
