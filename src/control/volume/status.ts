// The status of a volume, computed whole from what was seen: Longhorn's words for state, robustness and conditions.
import { formatTime } from '../../base/time.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import type { VolumeState } from './attachment.ts'

export interface Workload {
  readonly podName: string
  readonly podStatus: string
}

/** The claim that the volume is bound to and who uses it. */
export interface ClaimFacts {
  readonly pvName: string
  readonly pvStatus: string
  readonly namespace: string
  readonly pvcName: string
  readonly workloads: readonly Workload[]
}

export interface StatusSeen {
  readonly volume: Volume
  readonly engine: Engine | undefined
  readonly state: VolumeState
  readonly claim: ClaimFacts | undefined
  /** Why not every replica has a place; absent when all have. */
  readonly shortage: string | undefined
  /** True when no replica with all the data can be had. */
  readonly allFailed: boolean
  /** The engine's node does not answer: what it said last counts for nothing. */
  readonly engineLost?: boolean
  /** Size that all replicas have, where the record says one. Bytes. */
  readonly sizeBytes?: bigint | undefined
  /** Snapshots above which people are warned. */
  readonly snapshotWarning?: number
  /** Why the backing image is not usable yet; absent when it is, or none is asked for. */
  readonly imageWait: string | undefined
  /** How far it has been filled, for a volume that is a copy. */
  readonly cloneStatus?: object | undefined
}

/** Longhorn's setting snapshot-count-warning-threshold. */
const SNAPSHOT_WARNING = 100

export type Robustness = 'healthy' | 'degraded' | 'faulted' | 'unknown'

/** Longhorn's rule: counted from the replicas that the engine reads and writes, and only while attached. */
export function robustnessOf({ volume, engine, state, allFailed, engineLost }: StatusSeen): Robustness {
  if (engineLost) return 'unknown'
  if (state !== 'attached') return allFailed ? 'faulted' : 'unknown'
  const modes = Object.values(engine?.status?.replicaModeMap ?? {})
  const good = modes.filter((mode) => mode === 'RW').length
  if (good === 0) return 'faulted'
  return good >= (volume.spec?.numberOfReplicas ?? 1) ? 'healthy' : 'degraded'
}

interface ConditionWish {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
}

function conditionsOf(seen: StatusSeen): readonly ConditionWish[] {
  const { shortage, imageWait } = seen
  const snapshots = Object.keys(seen.engine?.status?.snapshots ?? {}).filter((name) => name !== 'volume-head')
  const tooMany = snapshots.length > (seen.snapshotWarning ?? SNAPSHOT_WARNING)
  return [
    shortage === undefined
      ? { type: 'Scheduled', status: 'True' }
      : {
          type: 'Scheduled',
          status: 'False',
          reason: 'ReplicaSchedulingFailure',
          message: `replica scheduling failed: ${shortage}`,
        },
    imageWait === undefined
      ? { type: 'WaitForBackingImage', status: 'False' }
      : { type: 'WaitForBackingImage', status: 'True', reason: 'Waiting', message: imageWait },
    tooMany
      ? {
          type: 'TooManySnapshots',
          status: 'True',
          reason: 'TooManySnapshots',
          message: `the volume has ${snapshots.length} snapshots; delete some: at ${seen.volume.spec?.snapshotMaxCount ?? 250} no more can be made`,
        }
      : { type: 'TooManySnapshots', status: 'False' },
  ]
}

/** A condition keeps its transition time while its status stays. */
function mergeConditions(
  present: readonly {
    readonly type?: string
    readonly status?: string
    readonly lastTransitionTime?: string
  }[],
  wishes: readonly ConditionWish[],
  now: number,
): readonly object[] {
  return wishes.map((wish) => {
    const before = present.find((condition) => condition.type === wish.type)
    const since = before?.status === wish.status ? before.lastTransitionTime : formatTime(now)
    return {
      reason: '',
      message: '',
      ...wish,
      lastProbeTime: '',
      lastTransitionTime: since ?? formatTime(now),
    }
  })
}

/** Whether all replicas still have to grow; by the engine while it runs, else by the record. */
function growth({ volume, engine, sizeBytes }: StatusSeen): { readonly expansionRequired?: boolean } {
  const wanted = BigInt(volume.spec?.size ?? 0)
  const current = engine?.status?.currentSize
  const isRunning = engine?.status?.currentState === 'running'
  if (isRunning && current) return { expansionRequired: BigInt(current) < wanted }
  return sizeBytes === undefined || sizeBytes === 0n ? {} : { expansionRequired: sizeBytes < wanted }
}

export function volumeStatus(seen: StatusSeen, now: number): Readonly<Record<string, unknown>> {
  const { volume, state, claim } = seen
  const before = volume.status
  const robustness = robustnessOf(seen)
  const degradedNow = robustness === 'degraded' && before?.robustness !== 'degraded'
  return {
    ...before,
    state,
    robustness,
    currentNodeID: state === 'attached' ? (volume.spec?.nodeID ?? '') : '',
    conditions: mergeConditions(before?.conditions ?? [], conditionsOf(seen), now),
    ...(degradedNow ? { lastDegradedAt: formatTime(now) } : {}),
    ...(claim
      ? {
          kubernetesStatus: {
            pvName: claim.pvName,
            pvStatus: claim.pvStatus,
            namespace: claim.namespace,
            pvcName: claim.pvcName,
            workloadsStatus: claim.workloads.map((workload) => ({
              ...workload,
              workloadName: '',
              workloadType: '',
            })),
          },
        }
      : {}),
    ...growth(seen),
    ...(seen.cloneStatus ? { cloneStatus: seen.cloneStatus } : {}),
  }
}
