// `croft top`: what nodes and machines use now. Full screen on a terminal, with keys; once, as tables or data, elsewhere.
import { ApiError } from '../base/errors.ts'
import { isObject } from '../base/json.ts'
import { parseQuantity, toBigIntBytes } from '../base/quantity.ts'
import { Node } from '../kinds/core/node.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { type Connection, connect } from './connect.ts'
import { type Machine, stateText } from './machine.ts'
import { isDataFormat, printData, printTable } from './output.ts'
import { shownOf } from './show.ts'
import {
  afterKey,
  FIRST_VIEW,
  keysOf,
  MACHINE_HEAD,
  type MachineRow,
  machineCells,
  NODE_HEAD,
  type NodeRow,
  nodeCells,
  type Order,
  screenLines,
  sorted,
  type TopData,
  type TopView,
} from './top-rows.ts'
import { cpusOf, memoryOf } from './vm-list.ts'

/** Samples come every ten seconds; states change at once. Milliseconds. */
const EVERY_MS = 2_000

export const top: Run = async (call, world) => {
  const connection = await connect(call, world)
  const { terminal } = world
  const onScreen = terminal.outIsTerminal && terminal.inIsTerminal
  if (onScreen && !call.on('once') && call.text('output') === undefined)
    return showScreen(call, world, connection)
  return printOnce(call, world, await readTop(call, world, connection))
}

interface Item {
  readonly namespace?: string
  readonly name: string
  readonly values: Readonly<Record<string, number>>
}

async function readTop(call: Call, world: World, connection: Connection): Promise<TopData> {
  const { client } = connection
  const namespace = call.on('all-namespaces') ? '' : connection.namespace
  const where = namespace === '' ? {} : { namespace }
  const [nodes, loads, machines, runs, use] = await Promise.all([
    mayBe(client.list(Node)),
    mayBe(latest(connection, 'node', '')),
    client.list(VirtualMachine, where),
    client.list(VirtualMachineInstance, where),
    latest(connection, 'vm', namespace),
  ])
  const runOf = new Map(runs.items.map((run) => [`${run.metadata.namespace}/${run.metadata.name}`, run]))
  const useOf = new Map(use.map((item) => [`${item.namespace}/${item.name}`, item.values]))
  return {
    ...(nodes && loads
      ? {
          nodes: nodes.items.map((node): NodeRow => {
            const name = node.metadata.name ?? ''
            return {
              name,
              ready:
                node.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ??
                false,
              machines: runs.items.filter(({ status }) => status?.nodeName === name).length,
              cpus: Number(node.status?.capacity?.['cpu'] ?? 1),
              memoryTotal: bytesOf(node.status?.capacity?.['memory']),
              values: loads.find((item) => item.name === name)?.values ?? {},
            }
          }),
        }
      : {}),
    machines: machines.items.map((vm: Machine): MachineRow => {
      const key = `${vm.metadata.namespace}/${vm.metadata.name}`
      return {
        namespace: vm.metadata.namespace ?? '',
        name: vm.metadata.name ?? '',
        state: stateText(world, vm),
        node: runOf.get(key)?.status?.nodeName ?? '',
        cpus: cpusOf(vm),
        memoryTotal: bytesOf(memoryOf(vm)),
        // What was measured of an earlier run is nothing that a machine uses which is off.
        values: runOf.has(key) ? (useOf.get(key) ?? {}) : {},
      }
    }),
  }
}

async function latest({ ask }: Connection, type: string, namespace: string): Promise<readonly Item[]> {
  const place = namespace === '' ? '' : `&namespace=${encodeURIComponent(namespace)}`
  const answer = await ask('GET', `/v1-croft/metrics/latest?type=${type}${place}`)
  return isObject(answer) ? (answer['items'] as unknown as readonly Item[]) : []
}

/** Undefined where it is not for the caller. */
async function mayBe<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return undefined
    throw error
  }
}

function bytesOf(value: unknown): number {
  const quantity = value === undefined ? undefined : parseQuantity(String(value))
  return quantity ? Number(toBigIntBytes(quantity)) : 0
}

function printOnce(call: Call, world: World, data: TopData): number {
  const { format } = shownOf(call, world)
  const machines = sorted(data.machines, (call.text('sort') ?? 'cpu') as Order)
  const { terminal } = world
  if (isDataFormat(format)) terminal.out(printData({ ...data, machines }, format))
  else if (format === 'name')
    terminal.out(machines.map(({ name }) => `virtualmachine.kubevirt.io/${name}\n`).join(''))
  else {
    // Two tables in one stream want their heads, also in a pipe.
    if (data.nodes) terminal.out(`${printTable(NODE_HEAD, data.nodes.map(nodeCells), true)}\n`)
    terminal.out(printTable(MACHINE_HEAD, machines.map(machineCells), true))
  }
  return EXIT.done
}

// --- full screen ---

const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'

async function showScreen(call: Call, world: World, connection: Connection): Promise<number> {
  const { terminal, host } = world
  let view: TopView = { ...FIRST_VIEW, order: (call.text('sort') ?? 'cpu') as Order }
  let data = await readTop(call, world, connection)
  const over = new AbortController()
  const draw = (): void => {
    const lines = screenLines(data, view, { columns: terminal.columns, rows: terminal.rows })
    terminal.out(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`)
  }
  const stop = terminal.onInterrupt(() => over.abort())
  terminal.raw(true)
  terminal.out(ENTER)
  const refreshing = (async () => {
    while (!over.signal.aborted) {
      draw()
      await host.clock.sleep(EVERY_MS, over.signal).catch(() => undefined)
      if (!over.signal.aborted) data = await readTop(call, world, connection)
    }
  })().catch((error: unknown) => {
    over.abort()
    throw error
  })
  try {
    await Promise.race([
      refreshing,
      readKeys(world, over.signal, (key) => {
        const next = afterKey(view, key, data.machines.length)
        if (next === 'quit') return true
        view = next
        draw()
        return false
      }),
    ])
  } finally {
    over.abort()
    stop()
    terminal.raw(false)
    terminal.out(LEAVE)
  }
  await refreshing
  return EXIT.done
}

/** Until `take` says true, or the input ends. */
async function readKeys(
  { terminal }: World,
  signal: AbortSignal,
  take: (key: string) => boolean,
): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of terminal.input) {
    if (signal.aborted) return
    for (const key of keysOf(decoder.decode(chunk, { stream: true }))) if (take(key)) return
  }
}
