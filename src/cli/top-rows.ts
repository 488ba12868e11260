// What `croft top` shows, as data: rows of nodes and machines, their order, and the lines of a screen. Pure.
import { printTable, sizeText, widthOf } from './output.ts'

export interface NodeRow {
  readonly name: string
  readonly ready: boolean
  readonly machines: number
  readonly cpus: number
  readonly memoryTotal: number
  readonly values: Readonly<Record<string, number>>
}

export interface MachineRow {
  readonly namespace: string
  readonly name: string
  readonly state: string
  readonly node: string
  readonly cpus: number
  readonly memoryTotal: number
  /** Empty while it is off, or as long as nothing was measured. */
  readonly values: Readonly<Record<string, number>>
}

export interface TopData {
  /** Absent where the caller may not see nodes. */
  readonly nodes?: readonly NodeRow[]
  readonly machines: readonly MachineRow[]
}

export const ORDERS = ['cpu', 'memory', 'network', 'disk', 'name'] as const
export type Order = (typeof ORDERS)[number]

export function sorted(machines: readonly MachineRow[], order: Order): readonly MachineRow[] {
  const weight = ({ values }: MachineRow): number => {
    const of = (name: string): number => values[name] ?? -1
    if (order === 'cpu') return of('cpu')
    if (order === 'memory') return of('memory')
    if (order === 'network') return of('networkReceive') + of('networkTransmit')
    return of('diskRead') + of('diskWrite')
  }
  const named = (a: MachineRow, b: MachineRow): number =>
    `${a.namespace}/${a.name}`.localeCompare(`${b.namespace}/${b.name}`)
  return machines.toSorted((a, b) => (order === 'name' ? 0 : weight(b) - weight(a)) || named(a, b))
}

export const NODE_HEAD = ['NODE', 'CPU', 'OF', 'LOAD', 'MEMORY', 'OF', 'DISK', 'OF', 'IN', 'OUT', 'MACHINES']
export const MACHINE_HEAD = [
  'NAMESPACE',
  'NAME',
  'STATE',
  'CPU',
  'OF',
  'MEMORY',
  'GUEST',
  'OF',
  'IN',
  'OUT',
  'READ',
  'WRITE',
  'NODE',
]

export function nodeCells({ name, ready, machines, cpus, memoryTotal, values }: NodeRow): readonly string[] {
  return [
    ready ? name : `${name} (not ready)`,
    share(values['cpu'], cpus),
    String(cpus),
    values['load'] === undefined ? '' : values['load'].toFixed(2),
    bytes(values['memoryUsed']),
    bytes(memoryTotal),
    bytes(values['diskUsed']),
    bytes(values['diskTotal']),
    speed(values['networkReceive']),
    speed(values['networkTransmit']),
    String(machines),
  ]
}

export function machineCells(row: MachineRow): readonly string[] {
  const { namespace, name, state, node, cpus, memoryTotal, values } = row
  return [
    namespace,
    name,
    state,
    share(values['cpu'], cpus),
    String(cpus),
    bytes(values['memory']),
    bytes(values['memoryUsed']),
    bytes(memoryTotal),
    speed(values['networkReceive']),
    speed(values['networkTransmit']),
    speed(values['diskRead']),
    speed(values['diskWrite']),
    node,
  ]
}

/** Of what it has: a machine with two processors that uses one has 50 %. */
function share(cores: number | undefined, of: number): string {
  return cores === undefined ? '' : `${((cores / Math.max(1, of)) * 100).toFixed(0)} %`
}

function bytes(value: number | undefined): string {
  return value === undefined || value === 0 ? '' : sizeText(Math.round(value))
}

function speed(value: number | undefined): string {
  return value === undefined ? '' : `${sizeText(Math.round(value))}/s`
}

// --- the screen ---

export interface TopView {
  readonly order: Order
  /** First machine that is shown. */
  readonly offset: number
  readonly help: boolean
}

export interface TopSize {
  readonly columns: number
  readonly rows: number
}

export const FIRST_VIEW: TopView = { order: 'cpu', offset: 0, help: false }

/** `quit`, or how the screen looks after the key. */
export function afterKey(view: TopView, key: string, machines: number): TopView | 'quit' {
  const last = Math.max(0, machines - 1)
  switch (key) {
    case 'q':
    case '\u0003':
    case '\u001b':
      return view.help && key !== '\u0003' ? { ...view, help: false } : 'quit'
    case 'c':
      return { ...view, order: 'cpu', offset: 0 }
    case 'm':
      return { ...view, order: 'memory', offset: 0 }
    case 'i':
      return { ...view, order: 'network', offset: 0 }
    case 'd':
      return { ...view, order: 'disk', offset: 0 }
    case 'n':
      return { ...view, order: 'name', offset: 0 }
    case 'j':
    case '\u001b[B':
      return { ...view, offset: Math.min(last, view.offset + 1) }
    case 'k':
    case '\u001b[A':
      return { ...view, offset: Math.max(0, view.offset - 1) }
    case ' ':
    case '\u001b[6~':
      return { ...view, offset: Math.min(last, view.offset + PAGE) }
    case '\u001b[5~':
      return { ...view, offset: Math.max(0, view.offset - PAGE) }
    case '?':
    case 'h':
      return { ...view, help: !view.help }
    default:
      return view
  }
}

const PAGE = 10

/** Keys as a terminal sends them: a sequence that begins with escape is one key. */
export function keysOf(text: string): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape is what such keys begin with
  return text.match(/\u001b\[[0-9;]*[A-Za-z~]|[\s\S]/g) ?? []
}

const HELP = [
  'c  by processor     m  by memory     i  by network     d  by disk     n  by name',
  'j k  arrows  space  scroll',
  'h ?  this help      q  leave',
]

export function screenLines(
  { nodes, machines }: TopData,
  view: TopView,
  { columns, rows }: TopSize,
): readonly string[] {
  const table = (head: readonly string[], cells: readonly (readonly string[])[]): readonly string[] =>
    printTable(head, cells, true).trimEnd().split('\n')
  const running = machines.filter(({ values }) => values['cpu'] !== undefined).length
  const head = [
    `${machines.length} machines, ${running} measured; by ${view.order}; h for help, q to leave`,
    '',
    ...(view.help ? [...HELP, ''] : []),
    ...(nodes ? [...table(NODE_HEAD, nodes.map(nodeCells)), ''] : []),
  ]
  const [title = '', ...lines] = table(MACHINE_HEAD, sorted(machines, view.order).map(machineCells))
  const room = Math.max(1, rows - head.length - 1)
  return [...head, title, ...lines.slice(view.offset, view.offset + room)]
    .slice(0, rows)
    .map((line) => cut(line, columns))
}

function cut(line: string, columns: number): string {
  let kept = ''
  let width = 0
  for (const character of line) {
    width += widthOf(character)
    if (width > columns) break
    kept += character
  }
  return kept
}
