// `croft join`: makes this host a node of a cluster, the first time with a token, and runs its agent. Whatever keeps it
// from joining is one sentence with a next step.
import { aborted } from '../base/aborted.ts'
import type { Failure } from '../base/result.ts'
import { CliError, usageError } from '../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../cli/command.ts'
import { progressOf } from '../cli/progress.ts'
import { joinCluster, type Membership, readMembership } from '../cluster/membership.ts'
import { localNames } from '../host/real/addresses.ts'
import { realCertificates } from '../host/real/certificates.ts'
import type { RealHost } from '../host/real/index.ts'
import { ownIdentity } from '../host/real/process-identity.ts'
import { dataFolderOf, dataWords, placeWords, startInBackground } from './command-up.ts'
import { type Member, startMember } from './member.ts'
import { findRunning, forgetRunning, type Running, writeRunning } from './running.ts'
import { makeHost } from './up.ts'
import { CROFT_VERSION } from './version.ts'

/** A first look at a slow host's QEMU takes most of it. Milliseconds. */
const READY_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 20_000
const LOOK_MS = 200
const DEFAULT_PORT = 6443
const IP_TIMEOUT_MS = 5_000

interface JoinCall {
  readonly dataFolder: string
  readonly timeoutMs: number
}

export async function join(call: Call, world: World): Promise<number> {
  const wish: JoinCall = {
    dataFolder: dataFolderOf(call, world),
    timeoutMs: call.duration('timeout') ?? READY_TIMEOUT_MS,
  }
  await refuseServer(world, wish.dataFolder)
  const running = await findRunning(world.host, wish.dataFolder)
  if (running) {
    const what = `This host's agent already runs with ${wish.dataFolder}: process ${running.process.pid}.`
    if (call.on('detach')) {
      world.terminal.note(`${what}\n`)
      return EXIT.done
    }
    throw new CliError({
      what,
      next: `Stop it with "croft down${dataWords(wish)}"; machines run on.`,
      code: EXIT.failed,
      reason: 'AlreadyRunning',
    })
  }
  const member = await membershipOf(call, world, wish)
  return call.on('detach') ? startDetached(world, wish, member) : serve(world, wish, member)
}

async function refuseServer({ host }: World, dataFolder: string): Promise<void> {
  if (!(await host.files.stat(`${dataFolder}/state.db`)).ok) return
  throw new CliError({
    what: `${dataFolder} holds a server of its own, which cannot join another.`,
    next: 'Choose another folder with --data, or remove that one if nothing in it is wanted any more.',
    code: EXIT.failed,
    reason: 'IsServer',
  })
}

/** The membership of before, or a new one by the token. */
async function membershipOf(call: Call, world: World, { dataFolder }: JoinCall): Promise<Membership> {
  const parts = { host: world.host, certificates: realCertificates, dataFolder }
  const present = await readMembership(parts)
  if (!present.ok) throw joinError(present.failure)
  const token = await tokenOf(call, world)
  const [address] = call.args
  if (present.value && token === undefined) return present.value
  if (address === undefined || token === undefined)
    throw usageError(
      'This host has not joined yet: the address of a server and a token are wanted.',
      'On the server: croft token create. Here: croft join https://SERVER:6443 --token TOKEN',
    )
  const server = serverOf(address)
  const progress = progressOf(world)
  progress.step(`Joining ${server}`)
  const { nodeName, nodeIp } = placeWords(call)
  const joined = await joinCluster({
    ...parts,
    server,
    token,
    nodeName: nodeName ?? localNames().hostname,
    nodeIp: nodeIp ?? (await ownAddressToward(world, server)),
  })
  progress.end()
  if (!joined.ok) throw joinError(joined.failure)
  world.terminal.note(`Joined ${server} as node ${joined.value.nodeName} (${joined.value.nodeIp}).\n`)
  return joined.value
}

/** On the command line every user of the host can read it, so a file and the environment do, too. */
async function tokenOf(call: Call, { host, terminal }: World): Promise<string | undefined> {
  const file = call.text('token-file')
  if (file === undefined) return call.text('token') ?? terminal.env('CROFT_TOKEN')
  const text = await host.files.readText(file.startsWith('/') ? file : `${terminal.folder}/${file}`)
  if (!text.ok) throw joinError(text.failure)
  return text.value.trim()
}

function serverOf(address: string): string {
  const text = address.includes('://') ? address : `https://${address}`
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw usageError(`"${address}" is no address of a server.`, 'For instance https://10.0.0.1:6443')
  }
  if (url.protocol !== 'https:') throw usageError(`"${address}" does not begin with https://.`)
  return `https://${url.hostname}:${url.port === '' ? (text.endsWith(':443') ? 443 : DEFAULT_PORT) : url.port}`
}

/** The address that this host speaks to the server from is the one under which it is reached from there. */
async function ownAddressToward({ host }: World, server: string): Promise<string> {
  const { hostname } = new URL(server)
  const asked = await host.exec.run(['ip', '-j', 'route', 'get', hostname], { timeoutMs: IP_TIMEOUT_MS })
  const [, source] = /"prefsrc":"([\d.]+)"/.exec(asked.ok ? asked.value.stdout : '') ?? []
  const known = source ?? localNames().addresses.find((address) => !address.includes(':'))
  if (known !== undefined) return known
  throw usageError('This host has no address that others reach it at.', 'Name one with --node-ip')
}

/** Failures are a sentence of what is wrong, and where there is one a second of what to do. */
function joinError({ reason, message }: Failure): CliError {
  const [what = message, ...rest] = message.split(/(?<=[^.])\. (?=[A-Z])/)
  const shown = /^[a-z]+(?=[ ,])/.test(what) ? `${what.charAt(0).toUpperCase()}${what.slice(1)}` : what
  return new CliError({
    what: shown.endsWith('.') ? shown : `${shown}.`,
    ...(rest.length === 0 ? {} : { next: rest.join('. ') }),
    code: EXIT.failed,
    reason,
  })
}

// --- running ---

async function serve(world: World, wish: JoinCall, membership: Membership): Promise<number> {
  const { terminal } = world
  const host = makeHost()
  const stopping = new AbortController()
  terminal.onInterrupt(() => {
    // Asked twice, it does not wait for anything.
    if (stopping.signal.aborted) terminal.exit(EXIT.failed)
    stopping.abort()
  })
  terminal.onBug((error) => host.log.error('a bug ends this process; guests run on', { error }))
  const { nodeName, server } = membership
  const note = (ready: boolean): Promise<unknown> =>
    writeRunning(host.files, wish.dataFolder, {
      process: ownIdentity(),
      url: server,
      version: CROFT_VERSION,
      startedAt: host.clock.now(),
      node: { name: nodeName, ready },
    })
  await note(false)
  const { dataFolder } = wish
  const started = await startMember({ host, dataFolder, member: membership, signal: stopping.signal })
  if (!started.ok) {
    await forgetRunning(host.files, dataFolder)
    if (stopping.signal.aborted) return EXIT.done
    throw joinError(started.failure)
  }
  await untilReady(host, started.value, stopping.signal)
  if (!stopping.signal.aborted) {
    await note(true)
    host.log.info('ready', { node: nodeName, server, data: dataFolder })
  }
  await aborted(stopping.signal)
  return stop(host, wish, started.value)
}

async function untilReady(host: RealHost, member: Member, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await member.isReady()))
    await host.clock.sleep(LOOK_MS, signal).catch(() => undefined)
}

async function stop(host: RealHost, { dataFolder }: JoinCall, member: Member): Promise<number> {
  host.log.info('stopping; guests run on')
  const late = Promise.withResolvers<'late'>()
  const cancel = host.clock.after(STOP_TIMEOUT_MS, () => late.resolve('late'))
  const how = await Promise.race([member.stop().then(() => 'stopped' as const), late.promise])
  cancel()
  await forgetRunning(host.files, dataFolder)
  if (how === 'stopped') host.log.info('stopped')
  else host.log.error('not stopped in time, ending anyway', { afterMs: STOP_TIMEOUT_MS })
  return how === 'stopped' ? EXIT.done : EXIT.failed
}

async function startDetached(
  world: World,
  wish: JoinCall,
  { nodeName, server }: Membership,
): Promise<number> {
  const running = await startInBackground(world, {
    ...wish,
    words: ['join', '--data', wish.dataFolder],
    isReady: async ({ node }: Running) => node?.ready === true,
  })
  world.terminal.out(`${running.url}\n`)
  world.terminal.note(`Node ${nodeName} of ${server} is ready. Its log: ${wish.dataFolder}/log/croft.log\n`)
  return EXIT.done
}
