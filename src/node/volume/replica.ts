// One replica on this node: its files, its daemon, and what the API hears of them.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import type { Files, Host } from '../../host/host.ts'
import { Node } from '../../kinds/core/node.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Look } from '../../kinds/decide.ts'
import { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { backingImagePath } from '../image/layout.ts'
import { DONE, RETRY, type WorkAnswer } from '../keyed-work.ts'
import type { RunAs } from '../plan/facts.ts'
import type { StartGate } from '../start-gate.ts'
import { cloneSourceOf, fillClone } from './clone-fill.ts'
import {
  adoptDaemon,
  type DaemonListen,
  makePrivateFolder,
  openExports,
  type ReplicaDaemon,
  startBareDaemon,
  startDaemon,
  stopDaemon,
} from './daemon.ts'
import { HEAD_FILE, type ReplicaPlace, replicaPlace } from './layout.ts'
import type { Member } from './member.ts'
import { readMeta, writeMeta } from './meta.ts'
import { type EmptyQcow2, emptyQcow2 } from './qcow2.ts'
import { reportStatus } from './report.ts'
import { Turns } from './standing.ts'

const FINALIZER = 'longhorn.io'
/** What ends these wakes the replica by itself. */
const WAKES: ReadonlySet<string> = new Set(['BackingImageNotReady', 'CloneUnderWay'])
/** Replicas of one host share unix sockets, so no port is open. */
const LOCAL_ADDRESS = '127.0.0.1'

/** How this host is reached by the others of a cluster. */
export interface HostAddress {
  readonly ip: string
  /** Certificates of the node, in a folder as QEMU wants them. */
  readonly tlsFolder: string
}

export interface VolumeContext {
  readonly host: Host
  readonly client: Client
  readonly look: Look
  readonly nodeName: string
  readonly starts: StartGate
  readonly runFolder: string
  readonly runAs: RunAs | undefined
  /** Daemons that run, by the replica's uid. */
  readonly daemons: Map<string, ReplicaDaemon>
  /** What starts and ends the daemon of a replica is done by one at a time, by the replica's uid. */
  readonly turns: Map<string, Turns>
  /** The engine of the volume looks again: a replica of it came or went. */
  readonly wakeEngine: (replica: Replica) => void
  readonly wakeReplica: (replica: Replica) => void
  /** Replicas that are being filled from another volume, by uid. */
  readonly fills: Set<string>
  /** Absent: this host is alone. */
  readonly address?: HostAddress
  /** A replica of another host, where there is a link to its agent. */
  readonly remoteMember?: (replica: Replica) => Member | undefined
  readonly remoteBare?: (
    replica: Replica,
  ) => Promise<Result<{ readonly member: Member; readonly incarnation: string }>>
}

function inTurn<T>(context: VolumeContext, replica: Replica, act: () => Promise<T>): Promise<T> {
  const uid = replica.metadata.uid!
  const turns = context.turns.get(uid) ?? new Turns()
  context.turns.set(uid, turns)
  return turns.run(act)
}

export function reconcileReplica(context: VolumeContext, replica: Replica): Promise<WorkAnswer> {
  return inTurn(context, replica, () => reconcileInTurn(context, replica))
}

async function reconcileInTurn(context: VolumeContext, replica: Replica): Promise<WorkAnswer> {
  const place = replicaPlace(context.runFolder, replica)
  if (replica.metadata.deletionTimestamp) return removeReplica(context, replica, place)
  return replica.spec?.desireState === 'running'
    ? runReplica(context, replica, place)
    : restReplica(context, replica, place)
}

function waiting(reason: string, message: string): Partial<Replica['status'] & object> {
  return {
    currentState: 'stopped',
    started: false,
    conditions: [
      {
        type: 'InstanceCreation',
        status: 'False',
        reason,
        message,
        lastProbeTime: '',
        lastTransitionTime: '',
      },
    ],
  }
}

async function runReplica(
  context: VolumeContext,
  replica: Replica,
  place: ReplicaPlace,
): Promise<WorkAnswer> {
  const daemon = await ensureDaemon(context, replica, place)
  if (!daemon.ok) {
    const { reason, message, retry } = daemon.failure
    context.host.log.warn('replica does not run', { replica: replica.metadata.name, reason, message })
    await reportStatus(context.client, Replica, replica, waiting(reason, message))
    // A missing image wakes the replica by its own event when it is there.
    return retry === 'never' || WAKES.has(reason) ? DONE : RETRY
  }
  await reportStatus(context.client, Replica, replica, {
    currentState: 'running',
    started: true,
    ip: daemon.value.tcp?.host ?? LOCAL_ADDRESS,
    storageIP: daemon.value.tcp?.host ?? LOCAL_ADDRESS,
    port: daemon.value.tcp?.port ?? 0,
    ownerID: context.nodeName,
    conditions: [],
  })
  context.wakeEngine(replica)
  return DONE
}

/** Makes the files ahead of the first start, so that a start finds them ready. */
async function restReplica(
  context: VolumeContext,
  replica: Replica,
  place: ReplicaPlace,
): Promise<WorkAnswer> {
  const uid = replica.metadata.uid!
  const daemon = context.daemons.get(uid) ?? (await adopted(context, replica, place))
  if (daemon) {
    context.daemons.delete(uid)
    await stopDaemon(context.host, place, daemon)
  }
  const counts = countsNow(context, replica)
  // Without a record the volume was made this moment.
  const ahead = !counts.ok || counts.value
  const files = ahead ? await ensureFiles(context, replica, place) : ok(undefined)
  await reportStatus(
    context.client,
    Replica,
    replica,
    files.ok
      ? { currentState: 'stopped', started: false, ownerID: context.nodeName, conditions: [] }
      : waiting(files.failure.reason, files.failure.message),
  )
  if (files.ok || WAKES.has(files.failure.reason)) return DONE
  return files.failure.retry === 'never' ? DONE : RETRY
}

async function adopted(
  context: VolumeContext,
  replica: Replica,
  place: ReplicaPlace,
): Promise<ReplicaDaemon | undefined> {
  const found = await adoptDaemon(context.host, place)
  return found.ok && found.value ? knowDaemon(context, replica, found.value) : undefined
}

/** The daemon of a replica of this host; ours from before a restart may not have been looked at yet. */
export async function daemonOf(context: VolumeContext, replica: Replica): Promise<ReplicaDaemon | undefined> {
  const known = context.daemons.get(replica.metadata.uid!)
  if (known) return known
  const place = replicaPlace(context.runFolder, replica)
  // Its monitor serves one of us: two at one time would wait for each other.
  return inTurn(
    context,
    replica,
    async () => context.daemons.get(replica.metadata.uid!) ?? (await adopted(context, replica, place)),
  )
}

/** One that dies is noticed by its monitor; the replica is then looked at again. In turn. */
function knowDaemon(context: VolumeContext, replica: Replica, daemon: ReplicaDaemon): ReplicaDaemon {
  const uid = replica.metadata.uid!
  context.daemons.set(uid, daemon)
  void daemon.qmp.closed.then(() => {
    if (context.daemons.get(uid) !== daemon) return
    context.daemons.delete(uid)
    context.host.log.error('the storage daemon of a replica ended', { replica: replica.metadata.name })
    context.wakeEngine(replica)
    context.wakeReplica(replica)
  })
  return daemon
}

async function ensureDaemon(
  context: VolumeContext,
  replica: Replica,
  place: ReplicaPlace,
): Promise<Result<ReplicaDaemon>> {
  const uid = replica.metadata.uid!
  const known = context.daemons.get(uid)
  if (known) return ok(known)
  const found = await adoptDaemon(context.host, place)
  if (!found.ok) return found
  if (found.value) return ok(knowDaemon(context, replica, found.value))
  const started = await startFor(context, replica, place)
  return started.ok ? ok(knowDaemon(context, replica, started.value)) : started
}

/** One that does not count holds nothing until its engine rebuilds it. */
async function startFor(
  context: VolumeContext,
  replica: Replica,
  place: ReplicaPlace,
  whom: 'all' | 'own' = 'all',
): Promise<Result<ReplicaDaemon>> {
  const counts = countsNow(context, replica)
  if (!counts.ok) return counts
  const { host, runAs, starts } = context
  const listen = whom === 'all' ? listenOf(context) : undefined
  if (!counts.value) return starts.run('daemon', () => startBareDaemon(host, place, runAs, listen))
  const files = await ensureFiles(context, replica, place)
  return files.ok ? starts.run('daemon', () => startDaemon(host, place, runAs, listen)) : files
}

/** By TCP as soon as there is another host that could need this replica. */
function listenOf({ address, look }: VolumeContext): DaemonListen | undefined {
  if (!address || look.list(Node).length < 2) return undefined
  return { host: address.ip, port: 0, tlsFolder: address.tlsFolder }
}

/**
 * A daemon of the time when this host was alone, asked for by another one: it is started anew by TCP, unless somebody
 * stands on it. In turn.
 */
export function reachable(context: VolumeContext, replica: Replica): Promise<Result<ReplicaDaemon>> {
  return inTurn(context, replica, async () => {
    const uid = replica.metadata.uid!
    const place = replicaPlace(context.runFolder, replica)
    const present = context.daemons.get(uid) ?? (await adopted(context, replica, place))
    if (!present)
      return failed({
        reason: 'ReplicaNotRunning',
        message: `replica ${replica.metadata.name} does not run on ${context.nodeName}`,
        retry: 'later',
      })
    if (present.tcp || !listenOf(context)) return ok(present)
    const exports = await openExports(present)
    if (!exports.ok) return exports
    if (exports.value.length > 0)
      return failed({
        reason: 'ReplicaLocalOnly',
        message: `replica ${replica.metadata.name} was started while ${context.nodeName} was alone; other hosts reach it once its volume was detached`,
        retry: 'later',
      })
    context.daemons.delete(uid)
    await stopDaemon(context.host, place, present)
    const started = await startFor(context, replica, place)
    // Better reached by its own host alone than by nobody.
    const running = started.ok ? started : await startFor(context, replica, place, 'own')
    return running.ok ? ok(knowDaemon(context, replica, running.value)) : running
  })
}

/** Whether the committed record says that this replica has every write; all have before the first engine. */
function countsNow({ look }: VolumeContext, replica: Replica): Result<boolean> {
  const record = look.get(VolumeEpoch, replica.metadata.namespace, replica.spec?.volumeName ?? '')
  if (!record)
    return failed({
      reason: 'RecordMissing',
      message: `volume ${replica.spec?.volumeName} has no record yet`,
      retry: 'later',
    })
  const { epoch, inSync } = record.spec
  return ok(Number(epoch) === 0 || inSync.some((member) => member.replica === replica.metadata.name))
}

/**
 * Ends what serves the replica and starts a daemon that holds nothing: it was struck off the record, so nothing of it
 * is needed, and its files must be free.
 */
export function bareDaemon(context: VolumeContext, replica: Replica): Promise<Result<ReplicaDaemon>> {
  return inTurn(context, replica, () => bareInTurn(context, replica))
}

async function bareInTurn(context: VolumeContext, replica: Replica): Promise<Result<ReplicaDaemon>> {
  const place = replicaPlace(context.runFolder, replica)
  const { host, daemons, runAs } = context
  const old = daemons.get(replica.metadata.uid!) ?? (await adopted(context, replica, place))
  if (old) {
    daemons.delete(replica.metadata.uid!)
    await stopDaemon(host, place, old)
  }
  const started = await startBareDaemon(host, place, runAs, listenOf(context))
  return started.ok ? ok(knowDaemon(context, replica, started.value)) : started
}

interface Backing {
  readonly path: string
  readonly virtualSize: bigint
}

/** The image that the replica stands on, once its copy on this disk is whole. */
export function backingOf({ look }: VolumeContext, replica: Replica): Result<Backing | undefined> {
  const name = replica.spec?.backingImage
  if (!name) return ok(undefined)
  const image = look.get(BackingImage, replica.metadata.namespace, name)
  const state = image?.status?.diskFileStatusMap?.[replica.spec?.diskID ?? '']?.state
  if (!image || state !== 'ready')
    return failed({
      reason: 'BackingImageNotReady',
      message: `backing image ${name} is not ready on this disk yet`,
      retry: 'later',
    })
  return ok({
    path: backingImagePath(replica.spec?.diskPath ?? '', name, image.metadata.uid!),
    virtualSize: BigInt(image.status?.virtualSize ?? 0),
  })
}

/** Folder, head and record; the record is written last, so a crash in between only means: made again. */
async function ensureFiles(
  context: VolumeContext,
  replica: Replica,
  place: ReplicaPlace,
): Promise<Result<void>> {
  const { files } = context.host
  const meta = await readMeta(files, place.meta)
  if (!meta.ok) return meta
  if (meta.value) return ok(undefined)
  const record = context.look.get(VolumeEpoch, replica.metadata.namespace, replica.spec?.volumeName ?? '')
  // An empty file in the place of one that was lost would be served as if the volume were empty.
  if (record && Number(record.spec.epoch) > 0)
    return failed({
      reason: 'ReplicaFilesMissing',
      message: `${place.folder} has no files of its replica any more, which served epoch ${record.spec.epoch}; put them back, or delete the replica so that it is rebuilt from another one`,
      retry: 'later',
    })
  const source = cloneSourceOf(context, replica)
  if (source) return fillClone(context, replica, source)
  const backing = backingOf(context, replica)
  if (!backing.ok) return backing
  const sizeBytes = BigInt(replica.spec?.volumeSize ?? 0)
  if (backing.value && backing.value.virtualSize > sizeBytes)
    return failed({
      reason: 'VolumeTooSmall',
      message: `the volume has ${sizeBytes} bytes, its image needs ${backing.value.virtualSize}; ask for a larger volume`,
      retry: 'never',
    })
  const made = await makePrivateFolder(files, place.folder)
  if (!made.ok) return made
  await files.remove(place.head)
  const created = await writeHead(files, place.head, {
    sizeBytes: Number(sizeBytes),
    ...(backing.value ? { backingPath: backing.value.path } : {}),
  })
  if (!created.ok) return created
  const written = await writeMeta(files, place.meta, {
    formatVersion: 1,
    volume: replica.spec?.volumeName ?? '',
    replica: replica.metadata.name!,
    sizeBytes: Number(sizeBytes),
    head: HEAD_FILE,
    ...(backing.value ? { backingFile: backing.value.path } : {}),
    epoch: 0,
    incarnation: '',
    cleanShutdown: true,
  })
  return written
}

/** The record that is written after it says that the file is whole, so the file is on the disk before. */
export async function writeHead(files: Files, path: string, what: EmptyQcow2): Promise<Result<void>> {
  const { pieces, lengthBytes } = emptyQcow2(what)
  const file = await files.open(path, 'create-new', 0o600)
  if (!file.ok) return file
  const steps = [
    () => file.value.truncate(lengthBytes),
    ...pieces.map(
      ({ at, bytes }) =>
        () =>
          file.value.write(bytes, at),
    ),
    () => file.value.sync(),
  ]
  let done: Result<void> = ok(undefined)
  for (const step of steps) if (done.ok) done = await step()
  await file.value.close()
  return done
}

/** The daemon ends, the files go, then the object may. */
async function removeReplica(
  context: VolumeContext,
  replica: Replica,
  place: ReplicaPlace,
): Promise<WorkAnswer> {
  const { host, client, daemons } = context
  const uid = replica.metadata.uid!
  const daemon = daemons.get(uid) ?? (await adopted(context, replica, place))
  if (daemon) {
    daemons.delete(uid)
    await stopDaemon(host, place, daemon)
  }
  for (const path of [place.folder, place.socketFolder]) {
    const removed = await host.files.remove(path)
    if (!removed.ok) {
      host.log.warn('replica files stay', {
        replica: replica.metadata.name,
        message: removed.failure.message,
      })
      return RETRY
    }
  }
  const finalizers = (replica.metadata.finalizers ?? []).filter((word) => word !== FINALIZER)
  if (finalizers.length !== (replica.metadata.finalizers ?? []).length)
    await client.patch(
      Replica,
      replica.metadata.name!,
      { metadata: { finalizers } },
      {
        namespace: replica.metadata.namespace!,
      },
    )
  return DONE
}
