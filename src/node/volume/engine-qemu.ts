// A machine's QEMU as the engine of its volumes: what stands under a disk's device now, and the few orders that put
// something else there while the guest keeps its device.
import { isObject } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import type { QmpEvent } from '../qmp/qmp.ts'
import {
  epochDefinitions,
  epochNodes,
  type Generation,
  generations,
  type NamedNode,
  type NodeSet,
} from './engine-nodes.ts'
import { ensureTls } from './tls.ts'

/** A connection to a member that hangs blocks QEMU's main loop; it is cut after this. Milliseconds. */
const CONNECT_MS = 3_000
/** `stop` waits for requests in flight; longer than this, one of them hangs. Milliseconds. */
const STOP_MS = 2_000

type Arguments = Readonly<Record<string, unknown>>

export interface EngineQemu {
  execute(command: string, args?: Arguments, timeoutMs?: number): Promise<Result<unknown>>
  /** Out of band on the second monitor: answered while the first one hangs. */
  rescue(command: string, args?: Arguments): Promise<Result<unknown>>
  onEvent(listener: (event: QmpEvent) => void): () => void
}

/** A disk of the machine: the id of its device, and the name that its block nodes are made from. */
export interface EngineDisk {
  readonly device: string
  readonly disk: string
  /** The guest cannot write it. */
  readonly readOnly?: boolean
}

export interface DiskSeen {
  readonly running: boolean
  /** QEMU's word: `running`, `paused`, `io-error`, `prelaunch`... */
  readonly status: string
  /** Path of the object whose `drive` is set. */
  readonly front: string
  readonly topNode: string
  /** A request of this disk has failed once; whether one still waits for us, this does not tell. */
  readonly failed: boolean
  readonly current: Generation | undefined
  readonly idle: readonly Generation[]
}

export async function seeDisk(qemu: EngineQemu, { device, disk }: EngineDisk): Promise<Result<DiskSeen>> {
  const status = await qemu.execute('query-status')
  if (!status.ok) return status
  const nodes = await qemu.execute('query-named-block-nodes', { flat: true })
  if (!nodes.ok) return nodes
  const blocks = await qemu.execute('query-block')
  if (!blocks.ok) return blocks
  const front = frontOf(blocks.value, device)
  if (!front)
    return failed({ reason: 'DeviceMissing', message: `QEMU has no disk device ${device}`, retry: 'never' })
  const all = generations(disk, list(nodes.value).map(namedNode))
  const seen = isObject(status.value) ? status.value : {}
  return ok({
    running: seen['running'] === true,
    status: String(seen['status']),
    front: front.path,
    topNode: front.node,
    failed: front.failed,
    current: all.find((one) => one.top && one.set.top === front.node),
    idle: all.filter((one) => one.set.top !== front.node),
  })
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function namedNode(value: unknown): NamedNode {
  const node = isObject(value) ? value : {}
  return { name: String(node['node-name']), driver: String(node['drv']), file: String(node['file']) }
}

/** A virtio disk's backend has a path, a SCSI disk is named by the id of its device. */
function frontOf(
  blocks: unknown,
  device: string,
): { readonly path: string; readonly node: string; readonly failed: boolean } | undefined {
  const plain = `/machine/peripheral/${device}`
  for (const block of list(blocks)) {
    if (!isObject(block)) continue
    const qdev = String(block['qdev'] ?? '')
    const path = qdev.startsWith('/') ? qdev : `/machine/peripheral/${qdev}`
    if (path !== plain && !path.startsWith(`${plain}/`)) continue
    const inserted = block['inserted']
    return {
      path,
      node: isObject(inserted) ? String(inserted['node-name']) : '',
      failed: ['failed', 'nospace'].includes(String(block['io-status'])),
    }
  }
  return undefined
}

/**
 * Stops the guest; all its requests are done when this resolves. A request that hangs on a member is what `yankAll`
 * is for: it is called when stopping takes too long.
 */
export async function stopGuest(qemu: EngineQemu, yankHung: () => Promise<void>): Promise<Result<void>> {
  const status = await qemu.execute('query-status')
  let quiet = status.ok && isObject(status.value) && status.value['running'] === true
  const unsubscribe = qemu.onEvent(({ event }) => {
    if (event === 'BLOCK_IO_ERROR') quiet = false
  })
  const stopped = await stopNow(qemu, yankHung)
  unsubscribe()
  quietStops.set(qemu, stopped.ok && quiet)
  return stopped
}

/**
 * Machines whose last stop found a running guest and met no error. QEMU itself cannot be asked later: the error of a
 * device that it was given by node name stays in its `io-status` for ever, also after `cont`.
 */
const quietStops = new WeakMap<EngineQemu, boolean>()

async function stopNow(qemu: EngineQemu, yankHung: () => Promise<void>): Promise<Result<void>> {
  const stopped = qemu.execute('stop', {}, STOP_MS)
  const answer = await stopped
  if (answer.ok) return ok(undefined)
  if (answer.failure.reason !== 'QmpTimeout') return answer
  await yankHung()
  const again = await qemu.execute('stop', {}, STOP_MS)
  return again.ok ? ok(undefined) : again
}

/**
 * Whether the stopped guest's requests were all done. One that failed, or was cut off so that the guest could be
 * stopped, may be on some replicas and not on others: nothing may be frozen then. Failures: `RequestFailed`.
 */
export async function allDone(qemu: EngineQemu, disk: EngineDisk): Promise<Result<void>> {
  const seen = await seeDisk(qemu, disk)
  if (!seen.ok) return seen
  if (!seen.value.failed || quietStops.get(qemu)) return ok(undefined)
  return failed({
    reason: 'RequestFailed',
    message: 'a request of the guest failed; the volume is repaired first',
    retry: 'later',
  })
}

/** Breaks connections at once: what waits for them fails. Nodes that do not exist any more are no failure. */
export async function yankNodes(qemu: EngineQemu, nodes: readonly string[]): Promise<void> {
  for (const node of nodes)
    await qemu.rescue('yank', { instances: [{ type: 'block-node', 'node-name': node }] })
}

/** Makes the nodes of an epoch that do not exist yet, children first. Failures name the child: `ChildUnreachable`. */
export async function addNodes(
  qemu: EngineQemu,
  { disk, readOnly = false }: EngineDisk,
  wanted: { readonly epoch: number; readonly children: readonly NbdChild[] },
  seen: DiskSeen,
): Promise<Result<NodeSet>> {
  const set = epochNodes(disk, wanted.epoch)
  const mine = [seen.current, ...seen.idle].find((one) => one?.set.top === set.top)
  const present = new Set([
    ...(mine?.children ?? []).map((child) => child.name),
    ...(mine?.top ? [set.top] : []),
  ])
  const tls = await ensureTls((command, args) => qemu.execute(command, args), wanted.children)
  if (!tls.ok) return tls
  for (const [index, definition] of epochDefinitions(disk, wanted, readOnly).entries()) {
    const name = String(definition['node-name'])
    if (present.has(name)) continue
    const added = await qemu.execute('blockdev-add', definition, CONNECT_MS)
    if (added.ok) continue
    if (added.failure.reason === 'QmpTimeout') await yankNodes(qemu, [name])
    const child = wanted.children[index]
    return failed({
      ...added.failure,
      reason: 'ChildUnreachable',
      message: `${child?.exportName ?? name}: ${added.failure.message}`,
      retry: 'later',
    })
  }
  return ok(set)
}

export async function setDrive(qemu: EngineQemu, front: string, node: string): Promise<Result<void>> {
  const set = await qemu.execute('qom-set', { path: front, property: 'drive', value: node })
  return set.ok ? ok(undefined) : set
}

/** Takes nodes away that stand under no device. Their connections are cut first, for a hung one would be waited for. */
export async function removeNodes(qemu: EngineQemu, old: Generation): Promise<Result<void>> {
  await yankNodes(
    qemu,
    old.children.map((child) => child.name),
  )
  const names = [
    ...(old.top ? [old.set.top] : []),
    ...old.children.map((child) => child.name).filter((name) => name !== old.set.top),
  ]
  for (const name of names) {
    const gone = await qemu.execute('blockdev-del', { 'node-name': name })
    if (!gone.ok) return gone
  }
  return ok(undefined)
}
