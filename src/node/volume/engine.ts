// The engines of this node as the API wants them: opens volumes, keeps the committed set what the engine's map says,
// and tells what is. The engine itself is a block node inside the machine's QEMU; no byte of a guest passes here.
import type { Result } from '../../base/result.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import { DONE, RETRY, type WorkAnswer } from '../keyed-work.ts'
import type { DiskBacking, NbdChild } from '../plan/backing.ts'
import { reportBroken, reportRunning, reportStopped } from './engine-report.ts'
import { LiveEngine } from './live-engine.ts'
import { hasEnded, membersOf, replicasOf } from './members.ts'
import { openVolume } from './open-volume.ts'
import { RebuildWork } from './rebuild-work.ts'
import { type RecordKeeper, recordKeeper, recordOf } from './record-keeper.ts'
import type { VolumeContext } from './replica.ts'
import type { StandingDisk } from './standing.ts'

/** Between two looks at replicas that an engine waits for. Milliseconds. */
const WAIT_MS = 500

export interface EngineContext extends VolumeContext {
  /** Engines that serve, by volume name. */
  readonly live: Map<string, LiveVolumeWork>
  /** Machines' disks, by volume name; also while no engine serves yet. */
  readonly stands: Map<string, Set<StandingDisk>>
  readonly setEndpoint: (volumeName: string, backing: DiskBacking | undefined) => void
  readonly wakeEngineOf: (namespace: string, engineName: string) => void
  readonly wakeSnapshots: (namespace: string, volumeName: string) => void
  /** When each engine that does not serve yet was first asked to, by uid. Monotonic milliseconds. */
  readonly waitingSince: Map<string, number>
}

export interface LiveVolumeWork {
  readonly engine: LiveEngine
  readonly rebuild: RebuildWork
}

export async function reconcileEngine(context: EngineContext, engine: Engine): Promise<WorkAnswer> {
  const wanted = engine.spec?.desireState === 'running' && engine.spec.nodeID === context.nodeName
  if (wanted && !engine.metadata.deletionTimestamp) return runEngine(context, engine)
  return restEngine(context, engine)
}

const volumeOf = (engine: Engine): string => engine.spec?.volumeName ?? ''
const mapOf = (engine: Engine): readonly string[] => Object.keys(engine.spec?.replicaAddressMap ?? {})

async function runEngine(context: EngineContext, engine: Engine): Promise<WorkAnswer> {
  const volumeName = volumeOf(engine)
  const work = context.live.get(volumeName)
  if (engine.status?.currentState === 'error') {
    // Told before, perhaps by us before a restart: a machine that still stands there must not go on.
    for (const stand of context.stands.get(volumeName) ?? []) stand.lost()
    return DONE
  }
  if (!work) return startEngine(context, engine)
  if (work.engine.needsReopen) {
    await closeWork(context, volumeName)
    return startEngine(context, engine)
  }
  return keepEngine(context, engine, work)
}

function keeperOf({ client, host }: EngineContext, engine: Engine): RecordKeeper {
  return recordKeeper(
    client,
    { namespace: engine.metadata.namespace!, volumeName: volumeOf(engine) },
    host.clock,
  )
}

// --- start ---

async function startEngine(context: EngineContext, engine: Engine): Promise<WorkAnswer> {
  const uid = engine.metadata.uid!
  const { clock, log } = context.host
  const since = context.waitingSince.get(uid) ?? clock.monotonic()
  context.waitingSince.set(uid, since)
  const started = await takeUpOrOpen(context, engine, clock.monotonic() - since)
  if (started.ok) {
    context.waitingSince.delete(uid)
    return keepEngine(context, engine, started.value)
  }
  const { reason, message, retry } = started.failure
  log.warn('engine does not start', { engine: engine.metadata.name, reason, message })
  if (reason === 'ReplicasMissing') return { againMs: WAIT_MS }
  return retry === 'never' && reason !== 'EngineReplaced' ? DONE : RETRY
}

async function takeUpOrOpen(
  context: EngineContext,
  engine: Engine,
  waitedMs: number,
): Promise<Result<LiveVolumeWork>> {
  const volumeName = volumeOf(engine)
  const keeper = keeperOf(context, engine)
  const read = await keeper.read()
  if (!read.ok) return read
  const stands = context.stands.get(volumeName)
  const { engine: owner, inSync } = read.value
  const mine = owner?.name === engine.metadata.name && owner?.nodeID === context.nodeName
  // A sole replica has no other that it could differ from.
  if (mine && ((stands?.size ?? 0) > 0 || inSync.length === 1)) {
    const work = makeWork(context, engine, read.value)
    const unbroken = await isSoleUnbroken(context, engine, read.value)
    if (unbroken || inSync.length > 1 || (stands?.size ?? 0) > 0) {
      for (const stand of stands ?? []) work.engine.stand(stand)
      context.live.set(volumeName, work)
      const taken = await work.engine.take()
      if (taken.ok || work.engine.broken !== undefined) return { ok: true, value: work }
      context.live.delete(volumeName)
      await work.rebuild.stop()
      work.engine.letGo()
      return taken
    }
  }
  if ((stands?.size ?? 0) > 0) for (const stand of stands ?? []) stand.lost()
  const opened = await openVolume({ context, keeper, engine, waitedMs })
  if (!opened.ok) return opened
  const work = makeWork(context, engine, opened.value.record)
  for (const { replica, why } of opened.value.lost)
    work.engine.lost.set(replica, { why, at: context.host.clock.monotonic() })
  const settled = await work.engine.settle(opened.value.record)
  if (!settled.ok) return settled
  context.live.set(volumeName, work)
  return { ok: true, value: work }
}

/** The same engine can go on with its only replica: nothing is committed anew after a restart of ours. */
async function isSoleUnbroken(
  context: EngineContext,
  engine: Engine,
  record: ReturnType<typeof recordOf>,
): Promise<boolean> {
  const [sole, ...others] = record.inSync
  if (!sole || others.length > 0) return false
  const members = await membersOf(context, engine.metadata.namespace!, volumeOf(engine))
  const seen = await members.find((member) => member.replica === sole.replica)?.ask(WAIT_MS)
  return seen?.state === 'present' && seen.report.incarnation === sole.incarnation
}

function makeWork(
  context: EngineContext,
  engine: Engine,
  record: ReturnType<typeof recordOf>,
): LiveVolumeWork {
  const onChange = (): void => context.wakeEngineOf(engine.metadata.namespace!, engine.metadata.name!)
  const onEndpoint = (volumeName: string, children: readonly NbdChild[] | undefined): void =>
    context.setEndpoint(volumeName, children ? { kind: 'nbd', children } : undefined)
  const live = new LiveEngine({ context, onEndpoint, onChange }, engine, record)
  return { engine: live, rebuild: new RebuildWork(context, live, onChange) }
}

// --- life ---

async function keepEngine(
  context: EngineContext,
  engine: Engine,
  { engine: live, rebuild }: LiveVolumeWork,
): Promise<WorkAnswer> {
  const names = mapOf(engine)
  for (const name of live.lost.keys()) if (!names.includes(name)) live.lost.delete(name)
  await findLost(context, live)
  if (live.broken !== undefined) {
    await reportBroken(context, engine)
    return DONE
  }
  live.watch(live.record.inSync.length > 1 || names.length > 1)
  const unwanted = live.record.inSync.map((one) => one.replica).filter((name) => !names.includes(name))
  if (unwanted.length > 0 && unwanted.length < live.record.inSync.length)
    await live.repair({ suspects: new Set(unwanted) })
  const size = Number(engine.spec?.volumeSize ?? 0)
  const growth =
    size > live.record.sizeBytes && rebuild.target === undefined && !live.isMerging
      ? await live.grow(size)
      : undefined
  rebuild.look(names)
  context.wakeSnapshots(engine.metadata.namespace!, live.volumeName)
  await reportRunning(context, { engine, live, rebuild, growth })
  return growth && !growth.ok ? RETRY : DONE
}

/** What the room knows better than any question: daemons of this host that ended. */
async function findLost(context: EngineContext, live: LiveEngine): Promise<void> {
  if (live.moving !== undefined) return
  const replicas = replicasOf(context, live.namespace, live.volumeName)
  const { epoch, inSync, joining } = live.record
  const gone: string[] = []
  for (const { replica, incarnation } of [...inSync, ...(joining ? [joining] : [])]) {
    const object = replicas.find((one) => one.metadata.name === replica)
    if (object?.spec?.nodeID === context.nodeName && (await hasEnded(context, object, incarnation)))
      gone.push(replica)
  }
  // What was seen meanwhile may be of a record that is no more.
  if (live.moving !== undefined || live.record.epoch !== epoch) return
  if (inSync.every(({ replica }) => gone.includes(replica)))
    live.breakFor(
      'the storage of every replica in step ended, so writes that the guest believes in may be gone',
    )
  else for (const replica of gone) live.suspect(replica)
}

// --- rest ---

async function closeWork(context: EngineContext, volumeName: string): Promise<boolean> {
  const work = context.live.get(volumeName)
  if (!work) return false
  const clean = work.engine.isClean && work.engine.broken === undefined
  await work.rebuild.stop()
  work.engine.close()
  context.live.delete(volumeName)
  return clean
}

/** The machine is gone: close the exports, note how it ended, and say so. */
async function restEngine(context: EngineContext, engine: Engine): Promise<WorkAnswer> {
  const volumeName = volumeOf(engine)
  const { namespace } = engine.metadata
  const state = engine.status?.currentState
  const known = context.live.has(volumeName)
  const clean = await closeWork(context, volumeName)
  context.setEndpoint(volumeName, undefined)
  context.waitingSince.delete(engine.metadata.uid!)
  const mine = known || engine.status?.ownerID === context.nodeName
  if (!mine || (state !== 'running' && state !== 'error')) return DONE
  for (const stand of context.stands.get(volumeName) ?? []) stand.lost()
  const members = await membersOf(context, namespace!, volumeName)
  for (const member of members) {
    const closed = await member.close(clean)
    // One that lost its files has nothing to note, and nothing open.
    if (!closed.ok && closed.failure.reason === 'ExportStuck') return RETRY
  }
  await closeRecord(context, engine, clean)
  await reportStopped(context, engine)
  return DONE
}

async function closeRecord(context: EngineContext, engine: Engine, clean: boolean): Promise<void> {
  const { namespace } = engine.metadata
  const object = await context.client.get(VolumeEpoch, volumeOf(engine), { namespace: namespace! })
  if (object.spec.engine?.name !== engine.metadata.name) return
  const { engine: _, joining: __, ...record } = recordOf(object)
  const keeper = keeperOf(context, engine)
  const done = await keeper.commit({ ...record, cleanShutdown: clean }, recordOf(object))
  if (!done.ok) throw new Error(done.failure.message)
}
