// `croft sandbox cut / heal / delay / rate / status`: what is wrong on the cables between the hosts of a sandbox.
import { CliError, usageError } from '../../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../../cli/command.ts'
import { printData, printTable } from '../../cli/output.ts'
import { Node } from '../../kinds/core/node.ts'
import { must, nodeNamed, openSandbox, sandboxConnection, whereNode } from './command-sandbox.ts'
import { isServer, runningOf, type Sandbox } from './hosts.ts'
import { applyCuts } from './network.ts'
import { type LinkFault, type SandboxNode, type SandboxNote, writeNote } from './note.ts'

type Pair = readonly [from: SandboxNode, to: SandboxNode]

/** The directions that are meant; `all` stands for all other nodes. */
function pairsOf(sandbox: Sandbox, call: Call, oneWay: boolean): readonly Pair[] {
  const [a = '', b = ''] = call.args
  if (a === b) throw usageError('A node has no cable to itself.')
  const one = (name: string): readonly SandboxNode[] =>
    name === 'all' ? sandbox.note.nodes : [nodeNamed(sandbox, name)]
  const there = one(a).flatMap((from) =>
    one(b).flatMap((to): readonly Pair[] => (from.name === to.name ? [] : [[from, to]])),
  )
  return oneWay
    ? there
    : there.flatMap(([from, to]): readonly Pair[] => [
        [from, to],
        [to, from],
      ])
}

/** The faults with `change` made on these directions; those without any fault are left out. */
function changed(
  note: SandboxNote,
  pairs: readonly Pair[],
  change: (fault: LinkFault) => LinkFault,
): readonly LinkFault[] {
  const isMeant = ({ from, to }: LinkFault): boolean =>
    pairs.some(([source, target]) => source.name === from && target.name === to)
  const seen = new Set<string>()
  const meant = pairs.flatMap(([{ name: from }, { name: to }]) => {
    if (seen.has(`${from} ${to}`)) return []
    seen.add(`${from} ${to}`)
    return [change(note.faults.find((one) => one.from === from && one.to === to) ?? { from, to })]
  })
  return [...note.faults.filter((one) => !isMeant(one)), ...meant].filter(
    ({ cut, delayMs, rateMbit }) => cut !== undefined || delayMs !== undefined || rateMbit !== undefined,
  )
}

async function apply(world: World, sandbox: Sandbox, faults: readonly LinkFault[]): Promise<void> {
  const note = { ...sandbox.note, faults }
  must('The sandbox cannot be written.', await writeNote(world.host.files, sandbox.dataFolder, note))
  must('The cables cannot be changed.', await applyCuts(world.host, note))
}

export async function sandboxCut(call: Call, world: World): Promise<number> {
  const sandbox = await openSandbox(call, world)
  const oneWay = call.on('one-way')
  const pairs = pairsOf(sandbox, call, oneWay)
  await apply(
    world,
    sandbox,
    changed(sandbox.note, pairs, (fault) => ({ ...fault, cut: true })),
  )
  const [a, b] = call.args
  world.terminal.note(
    `Nothing passes from ${a} to ${b}${oneWay ? '' : ', nor back'}.\n  croft sandbox heal\n`,
  )
  return EXIT.done
}

export async function sandboxHeal(call: Call, world: World): Promise<number> {
  const sandbox = await openSandbox(call, world)
  if (call.args.length === 1) throw usageError('Two nodes make a cable; without any, all cables are healed.')
  const pairs = call.args.length === 0 ? undefined : pairsOf(sandbox, call, false)
  const healed = pairs ? changed(sandbox.note, pairs, ({ from, to }) => ({ from, to })) : []
  await apply(world, sandbox, healed)
  world.terminal.note(pairs ? 'That cable is whole again.\n' : 'All cables are whole again.\n')
  return EXIT.done
}

// --- status ---

interface Line {
  readonly name: string
  readonly role: string
  readonly address: string
  readonly agent: string
  readonly ready: string
}

export async function sandboxStatus(call: Call, world: World): Promise<number> {
  const sandbox = await openSandbox(call, world)
  const { terminal } = world
  const ready = await readiness(world, sandbox)
  const lines = await Promise.all(
    sandbox.note.nodes.map(async (node): Promise<Line> => {
      const running = await runningOf(world, sandbox, node)
      return {
        name: node.name,
        role: isServer(sandbox, node) ? 'server' : 'node',
        address: whereNode(sandbox, node),
        agent: running ? `process ${running.process.pid}` : 'dead',
        ready: ready?.get(node.name) ?? (ready ? 'not in the API' : 'server does not answer'),
      }
    }),
  )
  const { faults } = sandbox.note
  const format = call.text('output')
  if (format === 'json' || format === 'yaml') {
    terminal.out(printData({ nodes: lines, faults }, format))
    return EXIT.done
  }
  const rows = lines.map((one) => [one.name, one.role, one.address, one.agent, one.ready])
  terminal.out(printTable(['NODE', 'ROLE', 'ADDRESS', 'AGENT', 'READY'], rows, terminal.outIsTerminal))
  for (const fault of faults) terminal.note(`${faultText(fault)}\n`)
  return EXIT.done
}

function faultText({ from, to, cut, delayMs, rateMbit }: LinkFault): string {
  const words = [
    cut ? 'cut' : '',
    delayMs === undefined ? '' : `${delayMs} ms late`,
    rateMbit === undefined ? '' : `${rateMbit} Mbit/s`,
  ].filter((word) => word !== '')
  return `${from} -> ${to}: ${words.join(', ')}`
}

/** Undefined when the server does not answer. */
async function readiness(world: World, sandbox: Sandbox): Promise<ReadonlyMap<string, string> | undefined> {
  const late = new AbortController()
  const cancel = world.host.clock.after(5_000, () => late.abort())
  try {
    const { client } = await sandboxConnection(world, sandbox)
    const { items } = await client.list(Node, { signal: late.signal })
    return new Map(
      items.map(({ metadata, status }) => [
        metadata.name ?? '',
        status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown',
      ]),
    )
  } catch (error) {
    if (error instanceof CliError || error instanceof Error) return undefined
    throw error
  } finally {
    cancel()
  }
}
