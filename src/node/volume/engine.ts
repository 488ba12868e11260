// The engine of a volume on this node: commits the epoch that makes it the only writer, opens the replicas' exports
// under names that were never used before, and tells where the machine's QEMU finds them. The engine itself is a
// block node inside that QEMU; no byte of a guest passes here.
import type { ApiError } from '../../base/errors.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { DONE, RETRY, type WorkAnswer } from '../keyed-work.ts'
import type { DiskBacking, NbdChild } from '../plan/backing.ts'
import { addExport, fenceExports, openExports, type ReplicaDaemon } from './daemon.ts'
import { nodeOf } from './layers.ts'
import { replicaPlace } from './layout.ts'
import { readMeta, writeMeta } from './meta.ts'
import type { VolumeContext } from './replica.ts'
import { reportStatus } from './report.ts'

export interface EngineContext extends VolumeContext {
  /** Where volumes are reached that are attached here, by volume name. */
  readonly endpoints: Map<string, DiskBacking>
  readonly endpointChanged: (volumeName: string) => void
  /** Uids of engines that lost a replica under a running machine; they start again only after they were stopped. */
  readonly broken: Set<string>
}

interface Member {
  readonly replica: Replica
  readonly daemon: ReplicaDaemon
}

const VOLUME_LABEL = 'longhornvolume'

export async function reconcileEngine(context: EngineContext, engine: Engine): Promise<WorkAnswer> {
  const wanted = engine.spec?.desireState === 'running' && engine.spec.nodeID === context.nodeName
  return wanted && !engine.metadata.deletionTimestamp
    ? runEngine(context, engine)
    : restEngine(context, engine)
}

function membersOf(context: EngineContext, engine: Engine): readonly Member[] {
  const names = Object.keys(engine.spec?.replicaAddressMap ?? {})
  return context.look
    .list(Replica, engine.metadata.namespace)
    .filter((replica) => names.includes(replica.metadata.name!))
    .flatMap((replica) => {
      const daemon = context.daemons.get(replica.metadata.uid!)
      return daemon ? [{ replica, daemon }] : []
    })
}

const exportName = (replica: Replica, epoch: number, incarnation: string): string =>
  `${replica.metadata.name}-${epoch}-${incarnation}`

function childOf(context: EngineContext, { replica }: Member, name: string): NbdChild {
  return { server: { unix: replicaPlace(context.runFolder, replica).nbdSocket }, exportName: name }
}

function setEndpoint(
  context: EngineContext,
  volumeName: string,
  children: readonly NbdChild[] | undefined,
): void {
  const before = JSON.stringify(context.endpoints.get(volumeName))
  if (children) context.endpoints.set(volumeName, { kind: 'nbd', children })
  else context.endpoints.delete(volumeName)
  if (JSON.stringify(context.endpoints.get(volumeName)) !== before) context.endpointChanged(volumeName)
}

async function runEngine(context: EngineContext, engine: Engine): Promise<WorkAnswer> {
  const volumeName = engine.spec?.volumeName ?? ''
  if (context.broken.has(engine.metadata.uid!) || engine.status?.currentState === 'error') return DONE
  const members = membersOf(context, engine)
  if (members.length < Object.keys(engine.spec?.replicaAddressMap ?? {}).length || members.length === 0)
    return lostReplica(context, engine, volumeName)
  const kept = await keptChildren(context, engine, members)
  if (!kept.ok) return RETRY
  const opened = kept.value ? ok(kept.value) : await openEpoch(context, engine, members)
  if (!opened.ok) {
    const { reason, message } = opened.failure
    context.host.log.warn('engine does not start', { engine: engine.metadata.name, reason, message })
    return RETRY
  }
  setEndpoint(context, volumeName, opened.value)
  await reportRunning(context, engine, members, opened.value)
  return DONE
}

async function reportRunning(
  context: EngineContext,
  engine: Engine,
  members: readonly Member[],
  children: readonly NbdChild[],
): Promise<void> {
  const [first] = children
  const socket = first && 'unix' in first.server ? first.server.unix : ''
  await reportStatus(context.client, Engine, engine, {
    currentState: 'running',
    started: true,
    ownerID: context.nodeName,
    endpoint: `nbd+unix:///${first?.exportName}?socket=${socket}`,
    currentSize: engine.spec?.volumeSize ?? '0',
    replicaModeMap: Object.fromEntries(members.map(({ replica }) => [replica.metadata.name!, 'RW'])),
    currentReplicaAddressMap: engine.spec?.replicaAddressMap ?? {},
  })
}

/** A replica whose daemon is gone cannot be continued from: what was acknowledged but not flushed may be lost. */
async function lostReplica(context: EngineContext, engine: Engine, volumeName: string): Promise<WorkAnswer> {
  if (context.endpoints.has(volumeName)) {
    context.broken.add(engine.metadata.uid!)
    setEndpoint(context, volumeName, undefined)
    await reportStatus(context.client, Engine, engine, { currentState: 'error', endpoint: '' })
  }
  return DONE
}

/** The exports of the epoch on record, when all of them are still open: the same engine goes on. */
async function keptChildren(
  context: EngineContext,
  engine: Engine,
  members: readonly Member[],
): Promise<Result<readonly NbdChild[] | undefined>> {
  const record = context.look.get(VolumeEpoch, engine.metadata.namespace, engine.spec?.volumeName ?? '')
  if (!record || record.spec.engine?.name !== engine.metadata.name) return ok(undefined)
  const children: NbdChild[] = []
  for (const member of members) {
    const entry = record.spec.inSync.find((one) => one.replica === member.replica.metadata.name)
    if (!entry) return ok(undefined)
    const name = exportName(member.replica, Number(record.spec.epoch), entry.incarnation)
    const open = await openExports(member.daemon)
    if (!open.ok) return open
    if (!open.value.includes(name)) return ok(undefined)
    children.push(childOf(context, member, name))
  }
  return ok(children)
}

/**
 * Commit first, then fence, then open: whoever reads the record knows that no write is acknowledged by an older
 * engine once one common member is fenced.
 */
async function openEpoch(
  context: EngineContext,
  engine: Engine,
  members: readonly Member[],
): Promise<Result<readonly NbdChild[]>> {
  const committed = await commit(context, engine, members)
  if (!committed.ok) return committed
  const { epoch, incarnations } = committed.value
  const children: NbdChild[] = []
  for (const member of members) {
    const incarnation = incarnations.get(member.replica.metadata.name!)!
    const name = exportName(member.replica, epoch, incarnation)
    const opened = await openMember(context, member, { epoch, incarnation, name })
    if (!opened.ok) return opened
    children.push(childOf(context, member, name))
  }
  return ok(children)
}

interface Opening {
  readonly epoch: number
  readonly incarnation: string
  readonly name: string
}

async function openMember(
  context: EngineContext,
  { replica, daemon }: Member,
  { epoch, incarnation, name }: Opening,
): Promise<Result<void>> {
  const place = replicaPlace(context.runFolder, replica)
  const meta = await readMeta(context.host.files, place.meta)
  if (!meta.ok) return meta
  if (!meta.value)
    return failed({ reason: 'ReplicaMetaMissing', message: `${place.meta} is gone`, retry: 'later' })
  const fenced = await fenceExports(context.host, daemon)
  if (!fenced.ok) return fenced
  const written = await writeMeta(context.host.files, place.meta, {
    ...meta.value,
    epoch,
    incarnation,
    cleanShutdown: false,
  })
  return written.ok ? addExport(daemon, name, nodeOf(meta.value.head)) : written
}

interface Committed {
  readonly epoch: number
  readonly incarnations: ReadonlyMap<string, string>
}

function randomWord({ host }: EngineContext): string {
  return [...host.random.bytes(4)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Compare-and-swap of the record, read from the API itself: a stale cache must not decide who writes. */
async function commit(
  context: EngineContext,
  engine: Engine,
  members: readonly Member[],
): Promise<Result<Committed>> {
  const { namespace } = engine.metadata
  const volumeName = engine.spec?.volumeName ?? ''
  try {
    const record = await context.client.get(VolumeEpoch, volumeName, { namespace: namespace! })
    const epoch = Number(record.spec.epoch) + 1
    const before = record.spec.inSync.map((member) => member.replica)
    const stale =
      before.length > 0 && members.filter(({ replica }) => !before.includes(replica.metadata.name!))
    if (stale && stale.length > 0)
      return failed({
        reason: 'ReplicaNotInSync',
        message: `replica ${stale[0]!.replica.metadata.name} is not in the committed set of epoch ${record.spec.epoch}`,
        retry: 'later',
      })
    const incarnations = new Map(members.map(({ replica }) => [replica.metadata.name!, randomWord(context)]))
    await context.client.update(VolumeEpoch, {
      ...record,
      spec: {
        ...record.spec,
        epoch,
        engine: { name: engine.metadata.name!, incarnation: randomWord(context), nodeID: context.nodeName },
        inSync: [...incarnations].map(([replica, incarnation]) => ({ replica, incarnation })),
        cleanShutdown: false,
      },
    })
    return ok({ epoch, incarnations })
  } catch (error) {
    return failed(commitFailure(error as ApiError))
  }
}

function commitFailure(error: ApiError): {
  readonly reason: string
  readonly message: string
  readonly retry: 'later'
} {
  return { reason: 'EpochNotCommitted', message: error.message, retry: 'later' }
}

/** The machine is gone: close the exports, note the clean end, and say so. */
async function restEngine(context: EngineContext, engine: Engine): Promise<WorkAnswer> {
  const volumeName = engine.spec?.volumeName ?? ''
  const state = engine.status?.currentState
  const mine = context.endpoints.has(volumeName) || engine.status?.ownerID === context.nodeName
  setEndpoint(context, volumeName, undefined)
  context.broken.delete(engine.metadata.uid!)
  if (!mine || (state !== 'running' && state !== 'error')) return DONE
  const replicas = context.look
    .list(Replica, engine.metadata.namespace)
    .filter((replica) => replica.metadata.labels?.[VOLUME_LABEL] === volumeName)
  for (const replica of replicas) {
    const daemon = context.daemons.get(replica.metadata.uid!)
    if (!daemon) continue
    const fenced = await fenceExports(context.host, daemon)
    if (!fenced.ok) return RETRY
    await noteClean(context, replica, state === 'running')
  }
  await closeRecord(context, engine, state === 'running')
  await reportStatus(context.client, Engine, engine, {
    currentState: 'stopped',
    started: false,
    endpoint: '',
    replicaModeMap: {},
  })
  return DONE
}

async function noteClean(context: EngineContext, replica: Replica, clean: boolean): Promise<void> {
  const { files } = context.host
  const place = replicaPlace(context.runFolder, replica)
  const meta = await readMeta(files, place.meta)
  if (meta.ok && meta.value) await writeMeta(files, place.meta, { ...meta.value, cleanShutdown: clean })
}

async function closeRecord(context: EngineContext, engine: Engine, clean: boolean): Promise<void> {
  const volumeName = engine.spec?.volumeName ?? ''
  const record = context.look.get(VolumeEpoch, engine.metadata.namespace, volumeName)
  if (!record || record.spec.engine?.name !== engine.metadata.name) return
  await context.client.patch(
    VolumeEpoch,
    volumeName,
    {
      metadata: { resourceVersion: record.metadata.resourceVersion! },
      spec: { cleanShutdown: clean, engine: null } as never,
    },
    { namespace: engine.metadata.namespace! },
  )
}
