// `croft sandbox`: a cluster on one computer, to try and to test. Hosts are network namespaces with their own agents,
// folders and disks; cables between them can be cut, delayed and slowed, hosts killed and started.
import { type Failure, ok, type Result } from '../../base/result.ts'
import { CliError, failedError, usageError } from '../../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../../cli/command.ts'
import { absolute, connectionTo } from '../../cli/connect.ts'
import { progressOf } from '../../cli/progress.ts'
import { parseKubeconfig } from '../../client/kubeconfig.ts'
import { parseToken, revokeToken } from '../../cluster/join-token.ts'
import { makeToken } from '../command-token.ts'
import {
  clearCgroups,
  inside,
  isServer,
  killNode,
  plugIn,
  type Sandbox,
  serverUrlOf,
  startNode,
} from './hosts.ts'
import { applyCuts, freeSubnet, makeBridge, makeNode, removeBridge } from './network.ts'
import {
  addressOf,
  NODES_MAX,
  names,
  nodeFolder,
  readNote,
  type SandboxNode,
  type SandboxNote,
  sandboxId,
  writeNote,
} from './note.ts'

export const DEFAULT_SANDBOX = '/var/lib/croft-sandbox'
const DEFAULT_NODES = 3
const TOKEN_TTL_MS = 3_600_000

export function sandboxFolder(call: Call, { terminal }: World): string {
  return absolute(call.text('data') ?? terminal.env('CROFT_SANDBOX') ?? DEFAULT_SANDBOX, terminal.folder)
}

function dataWords(dataFolder: string): string {
  return dataFolder === DEFAULT_SANDBOX ? '' : ` --data ${dataFolder}`
}

export function must<T>(what: string, result: Result<T, Failure>): T {
  if (result.ok) return result.value
  throw failedError(what, result.failure)
}

export async function openSandbox(call: Call, world: World): Promise<Sandbox> {
  const dataFolder = sandboxFolder(call, world)
  const note = must('The sandbox cannot be read.', await readNote(world.host.files, dataFolder))
  if (note) return { dataFolder, note }
  throw new CliError({
    what: `There is no sandbox in ${dataFolder}.`,
    next: `Make one: croft sandbox up --nodes 3${dataWords(dataFolder)}`,
    code: EXIT.notFound,
    reason: 'NotFound',
  })
}

export function nodeNamed({ note }: Sandbox, name: string): SandboxNode {
  const node = note.nodes.find((one) => one.name === name)
  if (node) return node
  throw usageError(
    `The sandbox has no node "${name}".`,
    `Its nodes are ${note.nodes.map((one) => one.name).join(', ')}.`,
  )
}

// --- up ---

export async function sandboxUp(call: Call, world: World): Promise<number> {
  const { host, terminal } = world
  if (terminal.userId !== 0)
    throw new CliError({
      what: 'Network namespaces are for root alone.',
      next: 'sudo croft sandbox up',
      code: EXIT.failed,
      reason: 'NotRoot',
    })
  const dataFolder = sandboxFolder(call, world)
  const note = await plan(call, world, dataFolder)
  const sandbox: Sandbox = { dataFolder, note }
  must('The sandbox cannot be written.', await writeNote(host.files, dataFolder, note))
  const progress = progressOf(world)
  progress.step('Laying the cables')
  const what = 'The network of the sandbox cannot be made.'
  must(what, await makeBridge(host, note))
  for (const node of note.nodes) must(what, await makeNode(host, note, node))
  must(what, await applyCuts(host, note))
  const [first, ...others] = note.nodes
  if (!first) throw usageError('A sandbox has at least one node.')
  progress.step(`Starting ${first.name}, the server`)
  await startNode(world, sandbox, first)
  must('The kubeconfig cannot be copied.', await copyKubeconfig(world, sandbox, first))
  if (others.length > 0) {
    progress.step(`Starting ${others.map(({ name }) => name).join(', ')}`)
    await joinAll(world, sandbox, others)
  }
  progress.end()
  terminal.out(`${serverUrlOf(sandbox)}\n`)
  terminal.note(`${note.nodes.length} nodes are ready. Next:\n`)
  terminal.note(`  export KUBECONFIG=${dataFolder}/kubeconfig\n`)
  terminal.note('  kubectl get nodes\n')
  terminal.note(`  croft vm create web --image demo --kubeconfig ${dataFolder}/kubeconfig\n`)
  terminal.note(`  croft sandbox kill ${note.nodes.at(-1)?.name}${dataWords(dataFolder)}\n`)
  return EXIT.done
}

/** The sandbox that is there, with more nodes if that is asked for; or a new one. */
async function plan(call: Call, { host }: World, dataFolder: string): Promise<SandboxNote> {
  const present = must('The sandbox cannot be read.', await readNote(host.files, dataFolder))
  const wanted = call.number('nodes') ?? present?.nodes.length ?? DEFAULT_NODES
  if (wanted > NODES_MAX) throw usageError(`A sandbox has at most ${NODES_MAX} nodes.`)
  if (present && wanted < present.nodes.length)
    throw usageError(
      `The sandbox has ${present.nodes.length} nodes already.`,
      `Take it down first: croft sandbox down${dataWords(dataFolder)}`,
    )
  const nodes = Array.from({ length: wanted }, (_, place) => ({ name: `node${place + 1}`, index: place + 1 }))
  if (present) return { ...present, nodes }
  const id = sandboxId(dataFolder)
  return { id, subnet: must('No subnet is free.', await freeSubnet(host, id)), nodes, faults: [] }
}

function copyKubeconfig({ host }: World, { dataFolder }: Sandbox, first: SandboxNode): Promise<Result<void>> {
  return host.files
    .readText(`${nodeFolder(dataFolder, first)}/kubeconfig`)
    .then((text) => (text.ok ? host.files.writeDurable(`${dataFolder}/kubeconfig`, text.value, 0o600) : text))
}

export async function sandboxConnection(world: World, { dataFolder }: Sandbox) {
  const text = must(
    'The server has not written a kubeconfig.',
    await world.host.files.readText(`${dataFolder}/kubeconfig`),
  )
  const config = must('The kubeconfig is damaged.', parseKubeconfig(text))
  return connectionTo(config, world, { dataFolder, namespace: 'default' })
}

/** One token for all of them, which is gone again before anybody is told that the sandbox is ready. */
async function joinAll(world: World, sandbox: Sandbox, others: readonly SandboxNode[]): Promise<void> {
  const { files } = world.host
  const strangers: SandboxNode[] = []
  for (const node of others)
    if (!(await files.stat(`${nodeFolder(sandbox.dataFolder, node)}/node.json`)).ok) strangers.push(node)
  if (strangers.length === 0) {
    await Promise.all(others.map((node) => startNode(world, sandbox, node)))
    return
  }
  const connection = await sandboxConnection(world, sandbox)
  const token = await makeToken(connection, world, TOKEN_TTL_MS, 'nodes of the sandbox')
  const tokenFile = `${sandbox.dataFolder}/join-token`
  must('The token cannot be written.', await files.writeDurable(tokenFile, token, 0o600))
  try {
    // One after another: all of them probe QEMU, and a starved probe takes emulation for what it is not.
    for (const node of others)
      await startNode(world, sandbox, node, strangers.includes(node) ? tokenFile : undefined)
  } finally {
    await files.remove(tokenFile)
    await revokeToken(connection.client, parseToken(token)?.id ?? '').catch(() => undefined)
  }
}

// --- kill, start, exec, down ---

export async function sandboxKill(call: Call, world: World): Promise<number> {
  const sandbox = await openSandbox(call, world)
  const node = nodeNamed(sandbox, call.args[0] ?? '')
  must(`${node.name} was not killed whole.`, await killNode(world.host, sandbox, node))
  const server = isServer(sandbox, node) ? ', and with it the only server' : ''
  world.terminal.note(`${node.name} is dead: agent, machines, daemons${server}. Its disks stay.\n`)
  world.terminal.note(`  croft sandbox start ${node.name}${dataWords(sandbox.dataFolder)}\n`)
  return EXIT.done
}

export async function sandboxStart(call: Call, world: World): Promise<number> {
  const sandbox = await openSandbox(call, world)
  const node = nodeNamed(sandbox, call.args[0] ?? '')
  const what = 'The network of the sandbox cannot be made.'
  must(what, await makeBridge(world.host, sandbox.note))
  must(what, await plugIn(world.host, sandbox, node))
  must(what, await applyCuts(world.host, sandbox.note))
  const progress = progressOf(world)
  progress.step(`Starting ${node.name}`)
  await startNode(world, sandbox, node)
  progress.end()
  world.terminal.note(`${node.name} is ready.\n`)
  return EXIT.done
}

export async function sandboxExec(call: Call, world: World): Promise<number> {
  const sandbox = await openSandbox(call, world)
  const [name = '', ...command] = call.args
  const node = nodeNamed(sandbox, name)
  if (command.length === 0)
    throw usageError('What is to be run there?', `croft sandbox exec ${name} -- ip addr`)
  return world.terminal.handOver([...inside(sandbox.note, node), ...command])
}

export async function sandboxDown(call: Call, world: World): Promise<number> {
  const { host, terminal } = world
  const sandbox = await openSandbox(call, world)
  const { note, dataFolder } = sandbox
  const progress = progressOf(world)
  progress.step('Killing the nodes')
  for (const node of note.nodes) {
    must(`${node.name} was not killed whole.`, await killNode(host, sandbox, node))
    await clearCgroups(host, sandbox, node)
  }
  must('The rules of the bridge are left.', await applyCuts(host, { ...note, faults: [] }))
  must('The bridge is left.', await removeBridge(host, note))
  const removed = call.on('delete') ? await host.files.remove(dataFolder) : ok(undefined)
  must('The folder of the sandbox is left.', removed)
  if (!call.on('delete'))
    must('The note is left.', await writeNote(host.files, dataFolder, { ...note, faults: [] }))
  progress.end()
  terminal.note(
    call.on('delete')
      ? 'The sandbox is gone, with all that was in it.\n'
      : `The sandbox is down; its disks are kept in ${dataFolder}. Again: croft sandbox up${dataWords(dataFolder)}\n`,
  )
  return EXIT.done
}

export function whereNode({ note }: Sandbox, node: SandboxNode): string {
  return `${addressOf(note, node.index)} (${names.namespace(note, node)})`
}
