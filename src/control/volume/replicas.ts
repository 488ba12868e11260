// The replicas of one volume as its decider sees them: what the engine says of each, whether the committed set holds
// it, and whether its disk answers. Everything else about redundancy is decided from these views.
import { parseTime } from '../../base/time.ts'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { DiskFacts } from './placement.ts'

/** On a replica that is to go once the engine works without it; its value says why. */
export const LEAVING = 'croft.io/leaving'

export interface ReplicaView {
  readonly replica: Replica
  readonly name: string
  readonly nodeID: string
  readonly diskUUID: string
  /** What the running engine says: RW, WO or ERR; empty while it says nothing or does not run. */
  readonly mode: string
  /** In the committed set: it has every acknowledged write. */
  readonly inSync: boolean
  readonly failed: boolean
  readonly leaving: boolean
  /** Its daemon serves, as far as its node can be asked. */
  readonly running: boolean
  /** Its node answers and its disk is there. */
  readonly alive: boolean
  /** New data may come to its disk. */
  readonly usable: boolean
  readonly evicting: boolean
  /** Milliseconds since it was last heard of or told anything. */
  readonly silentMs: number
}

export interface ViewInput {
  readonly engine: Engine | undefined
  readonly epoch: VolumeEpoch | undefined
  readonly disks: readonly DiskFacts[]
  readonly lostNodes: ReadonlySet<string>
  readonly silentMs: (name: string) => number
}

function viewOf(replica: Replica, { engine, epoch, disks, lostNodes, silentMs }: ViewInput): ReplicaView {
  const name = replica.metadata.name!
  const { nodeID = '', diskID = '', failedAt, evictionRequested } = replica.spec ?? {}
  const disk = disks.find((one) => one.diskUUID === diskID && one.nodeID === nodeID)
  return {
    replica,
    name,
    nodeID,
    diskUUID: diskID,
    mode: engineRuns(engine) ? (engine?.status?.replicaModeMap?.[name] ?? '') : '',
    inSync: (epoch?.spec.inSync ?? []).some((member) => member.replica === name),
    failed: Boolean(failedAt),
    leaving: replica.metadata.annotations?.[LEAVING] !== undefined,
    running: replica.status?.currentState === 'running' && !lostNodes.has(nodeID),
    alive: disk?.alive ?? disk?.usable ?? false,
    usable: disk?.usable ?? false,
    evicting: (disk?.evicting ?? false) || evictionRequested === true,
    // A fraction left would be slept for ever: the wall clock has none.
    silentMs: Math.ceil(silentMs(name)),
  }
}

/** All views; one that was to leave stays when it turns out to be the last that has all data. */
export function viewsOf(replicas: readonly Replica[], input: ViewInput): readonly ReplicaView[] {
  const views = replicas.map((replica) => viewOf(replica, input))
  const others = views.some((view) => isServing(view) && (view.inSync || view.mode === 'RW'))
  return others ? views : views.map((view) => (view.inSync ? { ...view, leaving: false } : view))
}

export function engineRuns(engine: Engine | undefined): boolean {
  return engine?.status?.currentState === 'running' && engine.spec?.desireState === 'running'
}

/** May serve: not given up and not on its way out. */
export function isServing(view: ReplicaView): boolean {
  return !view.failed && !view.leaving
}

/** Those that a start waits for: the committed set; before the first epoch, when nothing is written yet, all. */
export function neededForStart(
  views: readonly ReplicaView[],
  epoch: VolumeEpoch | undefined,
): readonly ReplicaView[] {
  const serving = views.filter(isServing)
  return isWritten(epoch) ? serving.filter((view) => view.inSync) : serving
}

/** Whether an engine ever served the volume. */
export function isWritten(epoch: VolumeEpoch | undefined): boolean {
  return Number(epoch?.spec.epoch ?? 0) > 0
}

/** Milliseconds since 1970; undefined where the field is empty. */
export function timeOf(text: string | undefined): number | undefined {
  return text ? parseTime(text) : undefined
}
