// One qemu-storage-daemon per replica: it holds the qcow2 chain open and serves it by NBD to one engine at a time.
// It outlives us: it is started detached, its identity is on the disk before it is used, and it is found again after
// a restart. It never exports anything by itself; exports are opened by epoch (engine.ts).
import { shortHash } from '../../base/derived-name.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Files, Host, ProcessIdentity } from '../../host/host.ts'
import type { RunAs } from '../plan/facts.ts'
import { launchArgv } from '../plan/launch.ts'
import { connectQmp, type Qmp } from '../qmp/qmp.ts'
import { holdersOf, saysLocked, whenUnlocked } from './file-lock.ts'
import { chainNodes, layersOf, settled } from './layers.ts'
import type { ReplicaPlace } from './layout.ts'
import { type ReplicaMeta, readMeta, writeMeta } from './meta.ts'
import { INHERITED_NBD_SERVER, listeningArgv } from './tcp-listen.ts'
import { TLS_CLIENT } from './tls.ts'

/** The daemon opens its image in tens of milliseconds; a disk that is busy may need longer. */
const START_TIMEOUT_MS = 15_000
const START_POLL_MS = 4
const QMP_TIMEOUT_MS = 5_000
const QUIT_TIMEOUT_MS = 5_000
const EXPORT_GONE_POLL_MS = 10
const EXPORT_GONE_TIMEOUT_MS = 5_000
const INCARNATION_LENGTH = 10
/** Exports of frozen layers carry no writes; an epoch does not touch them. */
export const LAYER_EXPORT_PREFIX = 'ro-'

export interface ReplicaDaemon {
  readonly process: ProcessIdentity
  readonly qmp: Qmp
  /** Where other hosts reach it; absent: only this host does, by its unix socket. */
  readonly tcp?: DaemonAddress
}

export interface DaemonAddress {
  readonly host: string
  readonly port: number
  /** Only with a certificate of the cluster. */
  readonly tls?: boolean
}

/**
 * A word for this life of the daemon, made from what names a process for ever: after a crash it is another one, so
 * that nobody takes a daemon that lost its memory for the one that acknowledged the last writes.
 */
export function incarnationOf({ bootId, pid, startTicks }: ProcessIdentity): string {
  return shortHash(`${bootId}/${pid}/${startTicks}`, INCARNATION_LENGTH)
}

export function daemonArgv(place: ReplicaPlace, meta: ReplicaMeta, listen?: DaemonListen): readonly string[] {
  return withSockets(place, chainNodes(place.folder, meta), listen)
}

function withSockets(
  place: ReplicaPlace,
  nodes: readonly Readonly<Record<string, unknown>>[],
  listen?: DaemonListen,
): readonly string[] {
  const tls = listen?.tlsFolder === undefined ? '' : `,tls-creds=${TLS_SERVER},tls-authz=${NODES_ONLY}`
  const nbd = listen
    ? `${INHERITED_NBD_SERVER}${tls}`
    : `addr.type=unix,addr.path=${place.nbdSocket},max-connections=0`
  const argv = daemonWords(place, [...tlsWords(listen?.tlsFolder), ...nodeWords(nodes)], nbd)
  return listen ? listeningArgv(argv, { ...listen, portFile: portFile(place) }) : argv
}

/** Address of this host on the network of the other hosts; port 0: any free one. */
export interface DaemonListen {
  readonly host: string
  readonly port: number
  /** Certificates of this node as QEMU wants them; absent: everybody may connect. */
  readonly tlsFolder?: string
}

const TLS_SERVER = 'tls-server'
const NODES_ONLY = 'nodes-only'
/** The cluster's CA signs users' certificates too; only nodes may touch replicas. Glob over the subject. */
const NODE_SUBJECT = '*CN=system:node:*'

/** One object for those who connect to us, one for what we connect to. */
function tlsWords(folder: string | undefined): readonly string[] {
  if (folder === undefined) return []
  const object = (id: string, endpoint: string): string =>
    `tls-creds-x509,id=${id},endpoint=${endpoint},dir=${folder},verify-peer=on`
  const nodesOnly = {
    'qom-type': 'authz-list',
    id: NODES_ONLY,
    policy: 'deny',
    rules: [{ match: NODE_SUBJECT, policy: 'allow', format: 'glob' }],
  }
  return [
    ...['--object', object(TLS_SERVER, 'server')],
    ...['--object', object(TLS_CLIENT, 'client')],
    ...['--object', JSON.stringify(nodesOnly)],
  ]
}

const nodeWords = (nodes: readonly Readonly<Record<string, unknown>>[]): readonly string[] =>
  nodes.flatMap((node) => ['--blockdev', JSON.stringify(node)])

const portFile = (place: ReplicaPlace): string => `${place.socketFolder}/port`

function daemonWords(place: ReplicaPlace, words: readonly string[], nbdServer: string): readonly string[] {
  return [
    'qemu-storage-daemon',
    ...['--chardev', `socket,id=qmp,path=${place.qmpSocket},server=on,wait=off`],
    ...['--monitor', 'chardev=qmp'],
    ...words,
    ...['--nbd-server', nbdServer],
  ]
}

/** For one daemon's user alone; the folders above only let it pass. */
export async function makePrivateFolder(files: Files, path: string): Promise<Result<void>> {
  const above = await files.makeFolder(path.slice(0, path.lastIndexOf('/')), 0o711)
  return above.ok ? files.makeFolder(path, 0o750) : above
}

async function forgetDaemon(host: Host, place: ReplicaPlace): Promise<void> {
  await host.files.remove(place.daemon)
  await host.files.remove(place.socketFolder)
}

type Saved = ProcessIdentity & Pick<ReplicaDaemon, 'tcp'>

async function savedIdentity(host: Host, place: ReplicaPlace): Promise<Saved | undefined> {
  const text = await host.files.readText(place.daemon)
  if (!text.ok) return undefined
  try {
    return JSON.parse(text.value) as Saved
  } catch {
    return undefined
  }
}

/** The process that was started for this replica last; it may have ended. */
export function daemonProcess(host: Host, place: ReplicaPlace): Promise<ProcessIdentity | undefined> {
  return savedIdentity(host, place)
}

/** The daemon that runs already for this replica, if one does. */
export async function adoptDaemon(
  host: Host,
  place: ReplicaPlace,
): Promise<Result<ReplicaDaemon | undefined>> {
  const saved = await savedIdentity(host, place)
  const { tcp, ...process } = saved ?? { pid: 0, startTicks: 0, bootId: '' }
  if (!saved || !(await host.exec.isAlive(process))) {
    await forgetDaemon(host, place)
    return ok(undefined)
  }
  const qmp = await connectQmp(host, place.qmpSocket, { oob: false, timeoutMs: QMP_TIMEOUT_MS })
  return qmp.ok ? ok({ process, qmp: qmp.value, ...(tcp ? { tcp } : {}) }) : qmp
}

async function startFailure(
  host: Host,
  place: ReplicaPlace,
  argv: readonly string[],
  why: Failure,
): Promise<Failure> {
  const log = await host.files.readText(place.log)
  const said = log.ok ? log.value.trim().split('\n').slice(-3).join(' ') : ''
  if (saysLocked(said)) {
    const holders = await holdersOf(host.files, place.folder)
    return {
      reason: 'ReplicaLocked',
      message: `another program has the files of ${place.folder} open: ${holders.join(', ') || 'it names none of them on its command line'}; end it`,
      retry: 'later',
      command: argv.join(' '),
      stderr: said,
    }
  }
  return {
    reason: 'ReplicaStartFailed',
    message: said === '' ? why.message : `the storage daemon of the replica did not start: ${said}`,
    retry: 'later',
    command: argv.join(' '),
    stderr: said,
  }
}

/** Starts a daemon that holds nothing yet: for a replica that is about to be rebuilt. */
export async function startBareDaemon(
  host: Host,
  place: ReplicaPlace,
  runAs: RunAs | undefined,
  listen?: DaemonListen,
): Promise<Result<ReplicaDaemon>> {
  const made = await makePrivateFolder(host.files, place.folder)
  if (!made.ok) return made
  return launchDaemon(host, place, { argv: withSockets(place, [], listen), files: [], runAs, listen })
}

/** Starts the daemon; it has opened the image when this resolves. */
export async function startDaemon(
  host: Host,
  place: ReplicaPlace,
  runAs: RunAs | undefined,
  listen?: DaemonListen,
): Promise<Result<ReplicaDaemon>> {
  const meta = await readMeta(host.files, place.meta)
  if (!meta.ok) return meta
  if (!meta.value || meta.value.joining)
    return failed({
      reason: 'ReplicaIncomplete',
      message: `${place.folder} does not hold all layers of its volume; the replica has to be rebuilt`,
      retry: 'never',
    })
  const whole = settled(meta.value)
  if (whole !== meta.value) {
    const written = await writeMeta(host.files, place.meta, whole)
    if (!written.ok) return written
  }
  const files = [whole.head, ...layersOf(whole).map((layer) => layer.file)]
  return launchDaemon(host, place, { argv: daemonArgv(place, whole, listen), files, runAs, listen })
}

interface Launch {
  readonly argv: readonly string[]
  /** Within the replica's folder; the daemon's user owns them. */
  readonly files: readonly string[]
  readonly runAs: RunAs | undefined
  readonly listen?: DaemonListen | undefined
}

/** A predecessor that was just killed may not have let go of the files yet. */
function launchDaemon(host: Host, place: ReplicaPlace, launch: Launch): Promise<Result<ReplicaDaemon>> {
  return whenUnlocked(
    host.clock,
    () => launchOnce(host, place, launch),
    (answer) => !answer.ok && answer.failure.reason === 'ReplicaLocked',
  )
}

async function launchOnce(
  host: Host,
  place: ReplicaPlace,
  { argv, files, runAs, listen }: Launch,
): Promise<Result<ReplicaDaemon>> {
  await Promise.all([host.files.remove(place.socketFolder), host.files.remove(place.log)])
  const made = await makePrivateFolder(host.files, place.socketFolder)
  if (!made.ok) return made
  if (runAs) {
    const paths = [place.socketFolder, place.folder, ...files.map((file) => `${place.folder}/${file}`)]
    const owned = await Promise.all(paths.map((path) => host.files.chown(path, runAs.uid, runAs.gid)))
    const refused = owned.find((one) => !one.ok)
    if (refused && !refused.ok) return refused
  }
  const started = await host.exec.startDetached(
    launchArgv(argv, { cgroupFiles: [], ...(runAs ? { runAs } : {}) }),
    { cwd: place.folder, stdoutPath: place.log, stderrPath: place.log },
  )
  if (!started.ok) return started
  // It comes up while its identity is written down; nobody is told of it before that.
  const [saved, begun] = await Promise.all([
    host.files.writeDurable(place.daemon, JSON.stringify(started.value), 0o600),
    awaitMonitor(host, place, argv, started.value),
  ])
  if (!saved.ok) {
    if (begun.ok) begun.value.qmp.close()
    await host.exec.kill(started.value, 'SIGKILL')
    return saved
  }
  return begun.ok && listen ? withPort(host, place, begun.value, listen) : begun
}

/** Notes the port, so that the daemon is found by it after a restart of ours. */
async function withPort(
  host: Host,
  place: ReplicaPlace,
  daemon: ReplicaDaemon,
  listen: DaemonListen,
): Promise<Result<ReplicaDaemon>> {
  const port = await host.files.readText(portFile(place))
  if (!port.ok) return port
  const tcp = {
    host: listen.host,
    port: Number(port.value),
    ...(listen.tlsFolder === undefined ? {} : { tls: true }),
  }
  const saved = await host.files.writeDurable(place.daemon, JSON.stringify({ ...daemon.process, tcp }), 0o600)
  return saved.ok ? ok({ ...daemon, tcp }) : saved
}

async function awaitMonitor(
  host: Host,
  place: ReplicaPlace,
  argv: readonly string[],
  process: ProcessIdentity,
): Promise<Result<ReplicaDaemon>> {
  const deadline = host.clock.monotonic() + START_TIMEOUT_MS
  for (;;) {
    const qmp = await connectQmp(host, place.qmpSocket, { oob: false, timeoutMs: QMP_TIMEOUT_MS })
    if (qmp.ok) return ok({ process, qmp: qmp.value })
    const alive = await host.exec.isAlive(process)
    if (!alive || host.clock.monotonic() > deadline) {
      await host.exec.kill(process, 'SIGKILL')
      const failure = await startFailure(host, place, argv, qmp.failure)
      await forgetDaemon(host, place)
      return failed(failure)
    }
    await host.clock.sleep(START_POLL_MS)
  }
}

/** Ends the daemon: politely, so that it flushes, then by force. */
export async function stopDaemon(host: Host, place: ReplicaPlace, daemon: ReplicaDaemon): Promise<void> {
  await daemon.qmp.execute('quit')
  daemon.qmp.close()
  const abort = new AbortController()
  const cancel = host.clock.after(QUIT_TIMEOUT_MS, () => abort.abort())
  try {
    await host.exec.waitExit(daemon.process, abort.signal)
  } catch {
    await host.exec.kill(daemon.process, 'SIGKILL')
  } finally {
    cancel()
  }
  await forgetDaemon(host, place)
}

interface ExportInfo {
  readonly id: string
}

/** Ids (which are also the names) of the exports that engines may write through now. */
export async function openExports(
  daemon: ReplicaDaemon,
  timeoutMs?: number,
): Promise<Result<readonly string[]>> {
  const options = timeoutMs === undefined ? {} : { timeoutMs }
  const asked = await daemon.qmp.execute('query-block-exports', {}, options)
  if (!asked.ok) return asked
  const ids = (asked.value as readonly ExportInfo[]).map((one) => one.id)
  return ok(ids.filter((id) => !id.startsWith(LAYER_EXPORT_PREFIX)))
}

export async function addExport(daemon: ReplicaDaemon, name: string, node: string): Promise<Result<void>> {
  const added = await daemon.qmp.execute('block-export-add', {
    type: 'nbd',
    id: name,
    name,
    'node-name': node,
    writable: true,
  })
  return added.ok ? ok(undefined) : added
}

/**
 * Cuts every export that is open, but for the one named, and waits until it is gone: after this no old engine can
 * write here any more.
 */
export async function fenceExports(host: Host, daemon: ReplicaDaemon, keep?: string): Promise<Result<void>> {
  const deadline = host.clock.monotonic() + EXPORT_GONE_TIMEOUT_MS
  for (;;) {
    const open = await openExports(daemon)
    if (!open.ok) return open
    const old = open.value.filter((id) => id !== keep)
    if (old.length === 0) return ok(undefined)
    if (host.clock.monotonic() > deadline)
      return failed({
        reason: 'ExportStuck',
        message: `an export did not close within ${EXPORT_GONE_TIMEOUT_MS} ms: ${old.join(', ')}`,
        retry: 'later',
      })
    for (const id of old) await daemon.qmp.execute('block-export-del', { id, mode: 'hard' })
    const after = await openExports(daemon)
    if (after.ok && after.value.every((id) => id === keep)) return ok(undefined)
    await host.clock.sleep(EXPORT_GONE_POLL_MS)
  }
}
