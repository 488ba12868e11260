// What becomes of the bookkeeping of replicas when the engine, a node or a disk says something new: given up, healthy
// again, or brought back from the committed set. A replica is given up only while another one has all the data.
import { formatTime } from '../../base/time.ts'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { engineRuns, isServing, isWritten, neededForStart, type ReplicaView } from './replicas.ts'

/** A start waits this long for a member that its node has not given up; then it goes on without. */
export const START_WAIT_MS = 20_000

export type SpecChange = Partial<NonNullable<Replica['spec']>>

export interface FailureSeen {
  readonly volume: Volume
  readonly engine: Engine | undefined
  readonly epoch: VolumeEpoch | undefined
  readonly views: readonly ReplicaView[]
  /** A node wants the volume. */
  readonly isWanted: boolean
  readonly autoSalvage: boolean
}

export interface FailureAnswer {
  /** Changes of spec, by the name of the replica. */
  readonly changes: ReadonlyMap<string, SpecChange>
  readonly wakeAt?: number
}

export function givenUp({ replica }: ReplicaView, now: number): SpecChange {
  const at = formatTime(now)
  const { healthyAt, rebuildRetryCount = 0 } = replica.spec ?? {}
  return {
    failedAt: at,
    lastFailedAt: at,
    healthyAt: '',
    desireState: 'stopped',
    // One that was whole is brought up to date at once; one that never became whole is tried less and less often.
    rebuildRetryCount: healthyAt ? 0 : rebuildRetryCount + 1,
  }
}

export function decideFailures(seen: FailureSeen, now: number): FailureAnswer {
  if (engineRuns(seen.engine)) return { changes: whileRunning(seen, now) }
  if (seen.isWanted) {
    const waiting = whileStarting(seen, now)
    if (waiting.changes.size > 0 || waiting.wakeAt !== undefined) return waiting
  }
  return { changes: salvage(seen) }
}

function whileRunning({ volume, engine, views }: FailureSeen, now: number): ReadonlyMap<string, SpecChange> {
  const changes = new Map<string, SpecChange>()
  const several = views.length > 1 || (volume.spec?.numberOfReplicas ?? 1) > 1
  const good = views.filter((view) => view.mode === 'RW')
  const inMap = (view: ReplicaView): boolean => engine?.spec?.replicaAddressMap?.[view.name] !== undefined
  for (const view of views.filter((one) => !one.failed)) {
    if (view.mode === 'RW') {
      if (several && !view.replica.spec?.healthyAt && !view.leaving)
        changes.set(view.name, {
          healthyAt: formatTime(now),
          lastHealthyAt: formatTime(now),
          rebuildRetryCount: 0,
        })
      continue
    }
    if (good.length === 0) continue
    const broke = view.replica.status?.currentState === 'error' || !view.alive
    const late = !inMap(view) && !view.running && view.silentMs >= START_WAIT_MS
    if (view.mode === 'ERR' || broke || late) changes.set(view.name, givenUp(view, now))
  }
  return changes
}

/** A start goes on without the members that do not come, as long as one of the committed set has come. */
function whileStarting({ views, epoch }: FailureSeen, now: number): FailureAnswer {
  const needed = neededForStart(views, epoch)
  const absent = needed.filter((view) => !view.running)
  if (absent.length === 0) return { changes: new Map() }
  const hopeless = absent.filter((view) => !view.alive || view.silentMs >= START_WAIT_MS)
  // None is given up while none has come; others of the set may be taken back instead.
  const givenUpNow = absent.length === needed.length ? [] : hopeless
  const rest = absent.filter((view) => !hopeless.includes(view))
  return {
    changes: new Map(givenUpNow.map((view) => [view.name, givenUp(view, now)])),
    ...(rest.length > 0
      ? { wakeAt: now + START_WAIT_MS - Math.min(...rest.map((view) => view.silentMs)) }
      : {}),
  }
}

/** Has come, or may still come by itself. */
function mayServe(view: ReplicaView): boolean {
  return isServing(view) && (view.running || (view.alive && view.silentMs < START_WAIT_MS))
}

/**
 * When all of the committed set was given up or does not come, those of it that answer are taken back; nobody else
 * ever is.
 */
function salvage({ views, epoch, autoSalvage, isWanted }: FailureSeen): ReadonlyMap<string, SpecChange> {
  if (!autoSalvage || !isWritten(epoch)) return new Map()
  const members = views.filter((view) => view.inSync)
  if (members.length === 0 || members.some(isWanted ? mayServe : isServing)) return new Map()
  return new Map(
    members
      .filter((view) => view.failed && view.alive && !view.leaving)
      .map((view) => [view.name, { failedAt: '' }]),
  )
}
