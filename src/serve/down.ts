// `croft down`: ends the server of a data folder, and with --machines what it left running: guests by their power
// button, then by force; then the storage daemons, which have nothing to serve any more.

import { CliError } from '../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../cli/command.ts'
import { progressOf } from '../cli/progress.ts'
import type { Host, ProcessIdentity } from '../host/host.ts'
import { type MachineState, readState } from '../node/machine/state.ts'
import { removeNetwork } from '../node/network/remove.ts'
import { connectQmp } from '../node/qmp/qmp.ts'
import { say } from '../words/say.ts'
import { dataFolderOf } from './command-up.ts'
import { findRunning, forgetRunning } from './running.ts'

/** The server gives itself 20 s; this is more. Milliseconds. */
const SERVER_STOP_MS = 30_000
/** Guests that do not listen to their power button. Milliseconds. */
const GUEST_STOP_MS = 60_000
/** A guest that just boots misses the first press. Milliseconds. */
const PRESS_AGAIN_MS = 5_000
const DAEMON_STOP_MS = 10_000
const QMP_TIMEOUT_MS = 5_000

export async function down(call: Call, world: World): Promise<number> {
  const { host, terminal } = world
  const dataFolder = dataFolderOf(call, world)
  const running = await findRunning(host, dataFolder)
  if (running) {
    const progress = progressOf(world)
    progress.step(`Stopping croft (process ${running.process.pid})`)
    await endServer(host, running.process)
    progress.end()
    terminal.note('Croft is stopped.\n')
  } else terminal.note(`Croft does not run with ${dataFolder}.\n`)
  await forgetRunning(host.files, dataFolder)
  const machines = await aliveMachines(host, dataFolder)
  if (!call.on('machines')) {
    if (machines.length > 0)
      terminal.note(`${say(world.language, 'cli.down.guestsLeft', { count: machines.length })}\n`)
    return EXIT.done
  }
  const timeoutMs = call.duration('timeout') ?? GUEST_STOP_MS
  await Promise.all(machines.map((machine) => powerOff(world, machine, timeoutMs)))
  const daemons = await aliveDaemons(host, dataFolder)
  await Promise.all(daemons.map((daemon) => endProcess(host, daemon, DAEMON_STOP_MS)))
  const network = await removeNetwork(host, { dataFolder })
  if (!network.ok)
    terminal.note(`The default network could not be removed whole: ${network.failure.message}\n`)
  terminal.note(`${machines.length} ${machines.length === 1 ? 'machine' : 'machines'} stopped.\n`)
  return EXIT.done
}

async function endServer(host: Host, server: ProcessIdentity): Promise<void> {
  if (await endProcess(host, server, SERVER_STOP_MS)) return
  throw new CliError({
    what: `Process ${server.pid} does not end.`,
    next: `Look what holds it: ps -o pid,stat,wchan,cmd -p ${server.pid}`,
    code: EXIT.failed,
    reason: 'DoesNotEnd',
  })
}

/** Politely, then by force; false when even that does not help. */
async function endProcess(host: Host, process: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  await host.exec.kill(process, 'SIGTERM')
  if (await ends(host, process, timeoutMs)) return true
  await host.exec.kill(process, 'SIGKILL')
  return ends(host, process, DAEMON_STOP_MS)
}

async function ends(host: Host, process: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const late = new AbortController()
  const cancel = host.clock.after(timeoutMs, () => late.abort())
  try {
    await host.exec.waitExit(process, late.signal)
    return true
  } catch {
    return false
  } finally {
    cancel()
  }
}

// --- guests ---

interface AliveMachine {
  readonly state: MachineState
  readonly process: ProcessIdentity
}

async function aliveMachines(host: Host, dataFolder: string): Promise<readonly AliveMachine[]> {
  const folder = `${dataFolder}/machines`
  const names = await host.files.list(folder)
  if (!names.ok) return []
  const found = await Promise.all(
    names.value.map(async (name): Promise<readonly AliveMachine[]> => {
      const state = await readState(host.files, `${folder}/${name}`)
      const process = state.ok ? state.value.process : undefined
      return state.ok && process && (await host.exec.isAlive(process))
        ? [{ state: state.value, process }]
        : []
    }),
  )
  return found.flat()
}

/** Presses the power button until QEMU says that the guest is down, then lets QEMU close its disks. */
async function powerOff(world: World, { state, process }: AliveMachine, timeoutMs: number): Promise<void> {
  const { host, terminal } = world
  const name = `${state.owner.namespace}/${state.owner.name}`
  const until = host.clock.monotonic() + timeoutMs
  const qmp = await connectQmp(host, state.plan.sockets.qmp, { oob: false, timeoutMs: QMP_TIMEOUT_MS })
  if (qmp.ok) {
    const session = qmp.value
    session.onEvent(({ event }) => {
      if (event === 'SHUTDOWN') void session.execute('quit')
    })
    // A guest that is stopped does not see the button.
    await session.execute('cont')
    terminal.note(`${name}: asked to shut down\n`)
    while (host.clock.monotonic() < until) {
      await session.execute('system_powerdown')
      const left = Math.max(1, until - host.clock.monotonic())
      if (await ends(host, process, Math.min(PRESS_AGAIN_MS, left))) break
    }
    session.close()
  }
  if (await host.exec.isAlive(process)) {
    terminal.note(`${name}: did not shut down, its power is cut\n`)
    await host.exec.kill(process, 'SIGKILL')
    await ends(host, process, DAEMON_STOP_MS)
  }
  await Promise.all(state.companions.map((companion) => endProcess(host, companion, DAEMON_STOP_MS)))
}

// --- storage daemons ---

/** Every replica's folder names its daemon, if one was started. */
async function aliveDaemons(host: Host, dataFolder: string): Promise<readonly ProcessIdentity[]> {
  const disks = await host.files.list(`${dataFolder}/disks`)
  if (!disks.ok) return []
  const folders = disks.value.map((disk) => `${dataFolder}/disks/${disk}/replicas`)
  const found = await Promise.all(
    folders.map(async (folder) => {
      const replicas = await host.files.list(folder)
      return replicas.ok ? replicas.value.map((replica) => `${folder}/${replica}/daemon.json`) : []
    }),
  )
  const daemons = await Promise.all(found.flat().map((path) => identityIn(host, path)))
  return daemons.filter((daemon) => daemon !== undefined)
}

async function identityIn(host: Host, path: string): Promise<ProcessIdentity | undefined> {
  const text = await host.files.readText(path)
  if (!text.ok) return undefined
  try {
    const process = JSON.parse(text.value) as ProcessIdentity
    return (await host.exec.isAlive(process)) ? process : undefined
  } catch {
    return undefined
  }
}
