// The hosts of a sandbox: the processes in a namespace, started and killed as a whole.
import { ok, type Result } from '../../base/result.ts'
import type { World } from '../../cli/command.ts'
import type { Host, ProcessIdentity } from '../../host/host.ts'
import { ownIdentity } from '../../host/real/process-identity.ts'
import { cgroupKind, removeCgroup } from '../../node/machine/cgroup.ts'
import { startInBackground } from '../command-up.ts'
import { findRunning, forgetRunning, type Running } from '../running.ts'
import { makeNode, removeNode, unplug } from './network.ts'
import { addressOf, names, nodeFolder, type SandboxNode, type SandboxNote } from './note.ts'

export const SERVER_PORT = 6443
const TIMEOUT_MS = 20_000
/** Processes that were just being started show up in a later look. */
const KILL_LOOKS = 50
const LOOK_MS = 100
/** Two cores shared by all hosts of the sandbox. Milliseconds. */
const START_TIMEOUT_MS = 180_000

export interface Sandbox {
  readonly dataFolder: string
  readonly note: SandboxNote
}

export function serverUrlOf({ note }: Sandbox): string {
  return `https://${addressOf(note, note.nodes[0]?.index ?? 1)}:${SERVER_PORT}`
}

/** The first node is the server. */
export function isServer({ note }: Sandbox, node: SandboxNode): boolean {
  return note.nodes[0]?.name === node.name
}

/** What stands before a command to run it in the node's network. */
export function inside(note: SandboxNote, node: SandboxNode): readonly string[] {
  return ['nsenter', `--net=/run/netns/${names.namespace(note, node)}`, '--']
}

export async function runningOf(
  world: World,
  sandbox: Sandbox,
  node: SandboxNode,
): Promise<Running | undefined> {
  return findRunning(world.host, nodeFolder(sandbox.dataFolder, node))
}

/** Idempotent. `tokenFile` is wanted at a node's first start. */
export async function startNode(
  world: World,
  sandbox: Sandbox,
  node: SandboxNode,
  tokenFile?: string,
): Promise<Running> {
  const present = await runningOf(world, sandbox, node)
  if (present) return present
  const { note, dataFolder } = sandbox
  const folder = nodeFolder(dataFolder, node)
  const ip = addressOf(note, node.index)
  const place = ['--data', folder, '--node-name', node.name, '--node-ip', ip]
  const server = isServer(sandbox, node)
  const words = server
    ? ['up', ...place, '--listen', `${ip}:${SERVER_PORT}`]
    : tokenFile === undefined
      ? ['join', '--data', folder]
      : ['join', serverUrlOf(sandbox), ...place, '--token-file', tokenFile]
  return startInBackground(world, {
    dataFolder: folder,
    timeoutMs: START_TIMEOUT_MS,
    words,
    before: inside(note, node),
    isReady: async (running) => server || running.node?.ready === true,
  })
}

/** Those in its network, and those that stand in a network of their own but name its folder. */
async function processesIn(
  host: Host,
  sandbox: Sandbox,
  node: SandboxNode,
): Promise<readonly ProcessIdentity[]> {
  const { note, dataFolder } = sandbox
  const listed = await host.exec.run(['ip', 'netns', 'pids', names.namespace(note, node)], {
    timeoutMs: TIMEOUT_MS,
  })
  const pids = new Set(listed.ok ? listed.value.stdout.split('\n').filter((line) => /^\d+$/.test(line)) : [])
  const all = await host.files.list('/proc')
  for (const pid of all.ok ? all.value : []) {
    if (!/^\d+$/.test(pid) || pids.has(pid)) continue
    const line = await host.files.readText(`/proc/${pid}/cmdline`)
    const isMachine = line.ok && (line.value.split('\0')[0] ?? '').includes('qemu')
    if (isMachine && line.value.includes(`${nodeFolder(dataFolder, node)}/`)) pids.add(pid)
  }
  const found = await Promise.all([...pids].map((pid) => identityOf(host, Number(pid))))
  return found.filter(
    (one) => one !== undefined && one.pid !== ownIdentity().pid,
  ) as readonly ProcessIdentity[]
}

async function identityOf(host: Host, pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await host.files.readText(`/proc/${pid}/stat`)
  if (!stat.ok) return undefined
  // The program's name in brackets may hold anything.
  const fields = stat.value.slice(stat.value.lastIndexOf(')') + 2).split(' ')
  return { pid, startTicks: Number(fields[19]), bootId: ownIdentity().bootId }
}

/**
 * The power goes: first the cable, so that nobody gets a last word, then every process, then the network that a reboot
 * would not bring back either. Disks stay.
 */
export async function killNode(host: Host, sandbox: Sandbox, node: SandboxNode): Promise<Result<void>> {
  const { note, dataFolder } = sandbox
  const unplugged = await unplug(host, note, node)
  if (!unplugged.ok) return unplugged
  for (let look = 0; look < KILL_LOOKS; look += 1) {
    const processes = await processesIn(host, sandbox, node)
    if (processes.length === 0) break
    await Promise.all(processes.map((process) => host.exec.kill(process, 'SIGKILL')))
    await host.clock.sleep(LOOK_MS)
  }
  await forgetRunning(host.files, nodeFolder(dataFolder, node))
  const removed = await removeNode(host, note, node)
  return removed.ok ? ok(undefined) : removed
}

/** After a kill, or a restart of this computer: cable and namespace are there again. */
export function plugIn(host: Host, { note }: Sandbox, node: SandboxNode): Promise<Result<void>> {
  return makeNode(host, note, node)
}

/** Control groups of machines outlive their processes; nobody else clears them away once the folder is gone. */
export async function clearCgroups(host: Host, { dataFolder }: Sandbox, node: SandboxNode): Promise<void> {
  const machines = await host.files.list(`${nodeFolder(dataFolder, node)}/machines`)
  if (!machines.ok) return
  const kind = await cgroupKind(host)
  for (const uid of machines.value) if (/^[0-9a-f-]{36}$/.test(uid)) await removeCgroup(host, kind, uid)
}
