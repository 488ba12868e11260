// `croft up`: the server in the foreground until it is told to stop, or in the background. Whatever keeps it from
// starting is one sentence with a next step.

import { aborted } from '../base/aborted.ts'
import { formatDuration } from '../base/duration.ts'
import type { Failure } from '../base/result.ts'
import { CliError, usageError } from '../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../cli/command.ts'
import { absolute, connectionTo, DEFAULT_DATA } from '../cli/connect.ts'
import { type ListenAddress, listenAddress, listenText } from '../cli/listen.ts'
import { progressOf } from '../cli/progress.ts'
import { parseKubeconfig } from '../client/kubeconfig.ts'
import { whyNoNodeName } from '../cluster/node-names.ts'
import type { RealHost } from '../host/real/index.ts'
import { ownIdentity } from '../host/real/process-identity.ts'
import { say } from '../words/say.ts'
import { firstPassword, keepFirstPassword } from './first-password.ts'
import { findRunning, forgetRunning, type Running, writeRunning } from './running.ts'
import { makeHost, type Server, serverUrl, startServer } from './up.ts'
import { CROFT_VERSION } from './version.ts'

/** A store of some hundred thousand objects on a slow disk is read in this time. Milliseconds. */
const READY_TIMEOUT_MS = 60_000
const LOOK_MS = 50
/** What is still being done when the server is told to stop gets this long. Milliseconds. */
const STOP_TIMEOUT_MS = 20_000
/** A log above this is set aside at the next start, and the one before that is dropped. Bytes. */
const LOG_MAX_BYTES = 16 * 1024 * 1024

export interface UpWish {
  readonly dataFolder: string
  readonly listen: ListenAddress
  readonly timeoutMs: number
  readonly nodeName?: string
  readonly nodeIp?: string
}

export function dataFolderOf(call: Call, { terminal }: World): string {
  return absolute(call.text('data') ?? terminal.env('CROFT_DATA') ?? DEFAULT_DATA, terminal.folder)
}

export async function up(call: Call, world: World): Promise<number> {
  const wish: UpWish = {
    dataFolder: dataFolderOf(call, world),
    listen: listenAddress(call),
    timeoutMs: call.duration('timeout') ?? READY_TIMEOUT_MS,
    ...placeWords(call),
  }
  await refuseJoined(world, wish.dataFolder)
  const running = await findRunning(world.host, wish.dataFolder)
  if (call.on('detach')) {
    const server = running ?? (await startDetached(world, wish))
    if (running) world.terminal.note(`${alreadyRuns(running, wish)}\n`)
    await greet(world, wish, server)
    return EXIT.done
  }
  if (running)
    throw new CliError({
      what: alreadyRuns(running, wish),
      next: `Stop it with "croft down${dataWords(wish)}", or watch it: tail -f ${wish.dataFolder}/log/croft.log`,
      code: EXIT.failed,
      reason: 'AlreadyRunning',
    })
  return serve(world, wish)
}

/** Throws for what cannot be a node's name or address. */
export function placeWords(call: Call): { readonly nodeName?: string; readonly nodeIp?: string } {
  const nodeName = call.text('node-name')
  const nodeIp = call.text('node-ip')
  const wrong = nodeName === undefined ? undefined : whyNoNodeName(nodeName)
  if (wrong !== undefined) throw usageError(`--node-name ${wrong}.`)
  if (nodeIp !== undefined && !/^\d{1,3}(\.\d{1,3}){3}$/.test(nodeIp))
    throw usageError(`--node-ip "${nodeIp}" is no IPv4 address.`, 'For instance --node-ip 10.0.0.5')
  return { ...(nodeName === undefined ? {} : { nodeName }), ...(nodeIp === undefined ? {} : { nodeIp }) }
}

/** A folder belongs to a server or to a host that joined, not to both. */
async function refuseJoined({ host }: World, dataFolder: string): Promise<void> {
  if (!(await host.files.stat(`${dataFolder}/node.json`)).ok) return
  throw new CliError({
    what: `${dataFolder} belongs to a host that joined another server.`,
    next: `Start its agent with "croft join --data ${dataFolder}", or choose another folder with --data.`,
    code: EXIT.failed,
    reason: 'Joined',
  })
}

function alreadyRuns(running: Running, { dataFolder }: UpWish): string {
  return `Croft already runs with ${dataFolder}: process ${running.process.pid}, ${running.url}.`
}

/** How the data folder is named in commands to try. */
export function dataWords({ dataFolder }: { readonly dataFolder: string }): string {
  return dataFolder === DEFAULT_DATA ? '' : ` --data ${dataFolder}`
}

// --- in the foreground ---

async function serve(world: World, wish: UpWish): Promise<number> {
  const { terminal } = world
  const host = makeHost()
  const began = host.clock.monotonic()
  const stopping = new AbortController()
  terminal.onInterrupt(() => {
    // Asked twice, it does not wait for anything.
    if (stopping.signal.aborted) terminal.exit(EXIT.failed)
    stopping.abort()
  })
  terminal.onBug((error) => host.log.error('a bug ends this process; guests run on', { error }))
  const listen = await withPort(host, wish.listen)
  const { dataFolder, nodeName, nodeIp } = wish
  const started = await startServer(
    {
      dataFolder,
      listen,
      croftRoot: world.root,
      ...(nodeName === undefined ? {} : { nodeName }),
      ...(nodeIp === undefined ? {} : { nodeIp }),
    },
    host,
  )
  if (!started.ok) throw startError(world, wish, started.failure)
  const { firstLogin } = started.value
  if (firstLogin) await keepFirstPassword(host.files, wish.dataFolder, firstLogin.password)
  const running = {
    process: ownIdentity(),
    url: serverUrl(listen),
    version: CROFT_VERSION,
    startedAt: host.clock.now(),
  }
  const noted = await writeRunning(host.files, wish.dataFolder, running)
  if (!noted.ok) host.log.warn('croft down will not find this server', { failure: noted.failure.message })
  host.log.info('ready', {
    url: running.url,
    data: wish.dataFolder,
    afterMs: Math.round(host.clock.monotonic() - began),
  })
  if (terminal.outIsTerminal) await greet(world, wish, running)
  await aborted(stopping.signal)
  return stop(host, wish, started.value)
}

async function stop(host: RealHost, wish: UpWish, server: Server): Promise<number> {
  host.log.info('stopping; guests run on')
  const late = Promise.withResolvers<'late'>()
  const cancel = host.clock.after(STOP_TIMEOUT_MS, () => late.resolve('late'))
  const how = await Promise.race([server.stop().then(() => 'stopped' as const), late.promise])
  cancel()
  await forgetRunning(host.files, wish.dataFolder)
  if (how === 'stopped') host.log.info('stopped')
  else host.log.error('not stopped in time, ending anyway', { afterMs: STOP_TIMEOUT_MS })
  return how === 'stopped' ? EXIT.done : EXIT.failed
}

/** Port 0 means a free one; it has to be known before certificates and addresses are made. */
async function withPort(host: RealHost, listen: ListenAddress): Promise<ListenAddress> {
  if (listen.port !== 0) return listen
  const listening = await host.net.listenStream(listen, (stream) => stream.close())
  if (!listening.ok) return listen
  await listening.value.close(0)
  const { address } = listening.value
  return 'port' in address ? { ...listen, port: address.port } : listen
}

function startError({ language }: World, { listen, dataFolder }: UpWish, failure: Failure): CliError {
  const problem = { code: EXIT.failed, reason: failure.reason }
  if (failure.reason === 'AddressInUse')
    return new CliError({
      ...problem,
      what: say(language, 'cli.up.portTaken', { port: listen.port }),
      next: say(language, 'cli.up.portTaken.next', { address: listen.host }),
    })
  if (['PermissionDenied', 'ReadOnly', 'NotAFolder'].includes(failure.reason))
    return new CliError({
      ...problem,
      what: say(language, 'cli.up.notWritable', { path: dataFolder, reason: failure.message }),
      next: 'Start croft as root, or choose another folder with --data.',
    })
  return new CliError({
    ...problem,
    what: 'Croft does not start.',
    why: failure.message,
    next: 'croft doctor',
  })
}

// --- in the background ---

export async function startDetached(world: World, wish: UpWish): Promise<Running> {
  const { nodeName, nodeIp } = wish
  const words = ['up', '--data', wish.dataFolder, '--listen', listenText(wish.listen)]
  if (nodeName !== undefined) words.push('--node-name', nodeName)
  if (nodeIp !== undefined) words.push('--node-ip', nodeIp)
  return startInBackground(world, { ...wish, words, isReady: () => isReady(world, wish) })
}

export interface Background {
  readonly dataFolder: string
  readonly timeoutMs: number
  /** The command that runs there, without the program. */
  readonly words: readonly string[]
  readonly isReady: (running: Running) => Promise<boolean>
  /** What stands before the program: a way into another network, for instance. */
  readonly before?: readonly string[]
}

/** Starts a croft of its own and waits until it is ready; what it says when it gives up is said here. */
export async function startInBackground(world: World, wish: Background): Promise<Running> {
  const { host, self } = world
  const log = `${wish.dataFolder}/log/croft.log`
  const at = await prepareLog(world, wish, log)
  const started = await host.exec.startDetached([...(wish.before ?? []), ...self, ...wish.words], {
    cwd: '/',
    stdoutPath: log,
    stderrPath: log,
  })
  if (!started.ok)
    throw new CliError({
      what: 'Croft does not start.',
      why: started.failure.message,
      code: EXIT.failed,
      reason: started.failure.reason,
    })
  const progress = progressOf(world)
  progress.step('Starting croft')
  const until = host.clock.monotonic() + wish.timeoutMs
  try {
    for (;;) {
      const running = await findRunning(host, wish.dataFolder)
      if (running?.process.pid === started.value.pid && (await wish.isReady(running))) return running
      if (!(await host.exec.isAlive(started.value))) throw await endedError(world, log, at)
      if (host.clock.monotonic() > until) throw lateError(wish, log)
      await host.clock.sleep(LOOK_MS)
    }
  } finally {
    progress.end()
  }
}

/** Makes the log's folder; gives the length of the log so far. */
async function prepareLog(
  { host, language }: World,
  { dataFolder }: Pick<Background, 'dataFolder'>,
  log: string,
): Promise<number> {
  const made = await host.files.makeFolder(dataFolder, 0o711)
  const folder = made.ok ? await host.files.makeFolder(log.replace(/\/[^/]*$/, ''), 0o700) : made
  if (!folder.ok)
    throw new CliError({
      what: say(language, 'cli.up.notWritable', { path: dataFolder, reason: folder.failure.message }),
      next: 'Start croft as root, or choose another folder with --data.',
      code: EXIT.failed,
      reason: folder.failure.reason,
    })
  const stat = await host.files.stat(log)
  if (!stat.ok) return 0
  if (stat.value.sizeBytes <= LOG_MAX_BYTES) return stat.value.sizeBytes
  await host.files.rename(log, `${log}.1`)
  return 0
}

/** What the server itself said when it gave up. */
async function endedError({ host }: World, log: string, from: number): Promise<CliError> {
  const read = await host.files.readAt(log, from, LOG_MAX_BYTES)
  const lines = read.ok ? new TextDecoder().decode(read.value).trim().split('\n') : []
  const said = (prefix: string): string | undefined =>
    lines.findLast((line) => line.startsWith(prefix))?.slice(prefix.length)
  const why = said('  why: ')
  return new CliError({
    what: said('croft: ') ?? `Croft ended while it started: ${lines.at(-1) ?? 'it said nothing'}`,
    ...(why === undefined ? {} : { why }),
    next: said('  next: ') ?? `Its log: ${log}`,
    code: EXIT.failed,
    reason: 'StartFailed',
  })
}

function lateError({ timeoutMs }: Pick<Background, 'timeoutMs'>, log: string): CliError {
  return new CliError({
    what: `Croft is not ready after ${formatDuration(timeoutMs)}; it goes on starting.`,
    next: `Its log: ${log}`,
    code: EXIT.timedOut,
    reason: 'TimedOut',
  })
}

async function isReady(world: World, { dataFolder }: UpWish): Promise<boolean> {
  const text = await world.host.files.readText(`${dataFolder}/kubeconfig`)
  const config = text.ok ? parseKubeconfig(text.value) : undefined
  if (!config?.ok) return false
  try {
    await connectionTo(config.value, world, { dataFolder, namespace: 'default' }).ask('GET', '/readyz')
    return true
  } catch {
    return false
  }
}

// --- what a person is told ---

export async function greet(world: World, { dataFolder }: UpWish, running: Running): Promise<void> {
  const { terminal, language } = world
  terminal.out(`${running.url}\n`)
  const password = await firstPassword(world.host.files, dataFolder)
  if (password !== undefined) terminal.note(`${say(language, 'cli.up.login', { user: 'admin', password })}\n`)
  terminal.note(`${say(language, 'cli.up.kubeconfig', { path: `${dataFolder}/kubeconfig` })}\n`)
}
