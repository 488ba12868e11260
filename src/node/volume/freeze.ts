// Freezing and removing layers of one replica, in its live daemon. Each order may be repeated after a crash of ours;
// what the daemon holds open is asked, never assumed.
import { isObject } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { ReplicaDaemon } from './daemon.ts'
import {
  BASE_NODE,
  chainBelow,
  type LayerWords,
  layerNamed,
  layerNodes,
  layersOf,
  nextFile,
  nodeOf,
  settled,
  withoutLayer,
} from './layers.ts'
import type { LocalMemberInput } from './member.ts'
import { type ReplicaMeta, readMeta, writeMeta } from './meta.ts'
import { writeHead } from './replica.ts'

/** A whole layer is copied; a slow disk with a terabyte needs hours. Milliseconds. */
const STREAM_TIMEOUT_MS = 24 * 3600 * 1000
const JOB_POLL_MS = 50

export async function metaOf({ host, place }: LocalMemberInput): Promise<Result<ReplicaMeta>> {
  const meta = await readMeta(host.files, place.meta)
  if (!meta.ok) return meta
  return meta.value
    ? ok(meta.value)
    : failed({ reason: 'ReplicaMetaMissing', message: `${place.meta} is gone`, retry: 'later' })
}

interface NodeSeen {
  readonly name: string
  readonly hasBacking: boolean
}

async function nodesOf(daemon: ReplicaDaemon): Promise<Result<ReadonlyMap<string, NodeSeen>>> {
  const asked = await daemon.qmp.execute('query-named-block-nodes', { flat: true })
  if (!asked.ok) return asked
  const nodes = (asked.value as readonly unknown[]).filter(isObject).map((node): [string, NodeSeen] => {
    const name = String(node['node-name'])
    return [name, { name, hasBacking: typeof node['backing_file'] === 'string' }]
  })
  return ok(new Map(nodes))
}

/** The node that takes writes now: a prepared head has taken over once something lies below it. */
export async function headNode(daemon: ReplicaDaemon, meta: ReplicaMeta): Promise<Result<string>> {
  if (!meta.pending) return ok(nodeOf(meta.head))
  const nodes = await nodesOf(daemon)
  if (!nodes.ok) return nodes
  const next = nodeOf(meta.pending.head)
  return ok(nodes.value.get(next)?.hasBacking ? next : nodeOf(meta.head))
}

export async function prepareFreeze(input: LocalMemberInput, words: LayerWords): Promise<Result<void>> {
  const { host, place, daemon } = input
  const read = await metaOf(input)
  if (!read.ok) return read
  if (layerNamed(read.value, words.name)) return ok(undefined)
  if (read.value.pending) {
    const cleared = await settleFreeze(input, read.value.pending.name)
    if (!cleared.ok) return cleared
  }
  const now = await metaOf(input)
  if (!now.ok) return now
  const meta = now.value
  const head = nextFile(meta)
  const path = `${place.folder}/${head}`
  await host.files.remove(path)
  const made = await writeHead(host.files, path, { sizeBytes: meta.sizeBytes, backingPath: meta.head })
  if (!made.ok) return made
  if (input.runAs) {
    const owned = await host.files.chown(path, input.runAs.uid, input.runAs.gid)
    if (!owned.ok) return owned
  }
  // A call before this one may have been cut off after it opened the file.
  const stale = await removeNodes(daemon, [nodeOf(head)])
  if (!stale.ok) return stale
  const added = await addNodes(daemon, layerNodes(path, { backing: null }))
  if (!added.ok) return added
  return writeMeta(host.files, place.meta, { ...meta, pending: { ...words, head } })
}

export async function addNodes(
  daemon: ReplicaDaemon,
  nodes: readonly Readonly<Record<string, unknown>>[],
): Promise<Result<void>> {
  for (const node of nodes) {
    const added = await daemon.qmp.execute('blockdev-add', node as never)
    if (!added.ok) return added
  }
  return ok(undefined)
}

export async function freeze(input: LocalMemberInput, name: string): Promise<Result<void>> {
  const read = await metaOf(input)
  if (!read.ok) return read
  const { pending, head } = read.value
  if (layerNamed(read.value, name)) return ok(undefined)
  if (pending?.name !== name)
    return failed({ reason: 'NotPrepared', message: `layer ${name} was not prepared`, retry: 'later' })
  const frozen = await input.daemon.qmp.execute('blockdev-snapshot', {
    node: nodeOf(head),
    overlay: nodeOf(pending.head),
  })
  return frozen.ok ? ok(undefined) : frozen
}

export async function settleFreeze(
  input: LocalMemberInput,
  name: string,
): Promise<Result<'frozen' | 'undone'>> {
  const { host, place, daemon } = input
  const read = await metaOf(input)
  if (!read.ok) return read
  const meta = read.value
  if (meta.pending?.name !== name) return ok(layerNamed(meta, name) ? 'frozen' : 'undone')
  const next = nodeOf(meta.pending.head)
  const head = await headNode(daemon, meta)
  if (!head.ok) return head
  if (head.value === next) {
    const written = await writeMeta(host.files, place.meta, settled(meta))
    return written.ok ? ok('frozen') : written
  }
  const removed = await removeNodes(daemon, [next])
  if (!removed.ok) return removed
  const { pending, ...rest } = meta
  const written = await writeMeta(host.files, place.meta, rest)
  if (!written.ok) return written
  await host.files.remove(`${place.folder}/${pending!.head}`)
  return ok('undone')
}

/** Nodes with their files; those that are gone already are no failure. */
export async function removeNodes(daemon: ReplicaDaemon, names: readonly string[]): Promise<Result<void>> {
  const present = await nodesOf(daemon)
  if (!present.ok) return present
  for (const name of names.flatMap((one) => [one, `${one}_f`])) {
    if (!present.value.has(name)) continue
    const gone = await daemon.qmp.execute('blockdev-del', { 'node-name': name })
    if (!gone.ok) return gone
  }
  return ok(undefined)
}

/**
 * The layer's data are taken into the layer (or head) above it, then its file goes. A crash in between leaves a
 * chain that reads the same, and the next call goes on. Failures: `LayerBranches` when several lie on it.
 */
export async function removeLayer(input: LocalMemberInput, name: string): Promise<Result<void>> {
  const { host, place, daemon } = input
  const read = await metaOf(input)
  if (!read.ok) return read
  const meta = read.value
  const layer = layerNamed(meta, name)
  if (!layer) return ok(undefined)
  if (meta.pending) return failed({ reason: 'Busy', message: 'a snapshot is being made', retry: 'later' })
  const children = layersOf(meta).filter((one) => one.parent === name)
  const headOn = meta.parent === name
  const open = chainBelow(meta).includes(layer)
  if (children.length + Number(headOn) > 1 || (!open && children.length > 0))
    return failed({
      reason: 'LayerBranches',
      message: `snapshot ${name} carries more than one line of descent; remove the snapshots above it first`,
      retry: 'never',
    })
  if (open) {
    const above = headOn ? meta.head : chainBelow(meta)[chainBelow(meta).indexOf(layer) + 1]!.file
    const parent = layer.parent === undefined ? undefined : layerNamed(meta, layer.parent)
    const base = parent ? nodeOf(parent.file) : meta.backingFile === undefined ? undefined : BASE_NODE
    const streamed = await stream(host, daemon, {
      device: nodeOf(above),
      // Without a name the header would get a description that only this process understands.
      ...(base === undefined ? {} : { 'base-node': base, 'backing-file': parent?.file ?? meta.backingFile! }),
    })
    if (!streamed.ok) return streamed
    const gone = await removeNodes(daemon, [nodeOf(layer.file)])
    if (!gone.ok) return gone
  }
  const written = await writeMeta(host.files, place.meta, withoutLayer(meta, name))
  if (!written.ok) return written
  return host.files.remove(`${place.folder}/${layer.file}`)
}

async function stream(
  host: Host,
  { qmp }: ReplicaDaemon,
  args: { readonly device: string; readonly 'base-node'?: string; readonly 'backing-file'?: string },
): Promise<Result<void>> {
  const id = `stream-${args.device}`
  const begun = await qmp.execute('block-stream', { 'job-id': id, 'auto-dismiss': false, ...args })
  // Ours from before a restart may still run: then its end is awaited all the same.
  if (!begun.ok && !/already/.test(begun.failure.message)) return begun
  const deadline = host.clock.monotonic() + STREAM_TIMEOUT_MS
  for (;;) {
    const jobs = await qmp.execute('query-jobs')
    if (!jobs.ok) return jobs
    const job = (jobs.value as readonly unknown[]).filter(isObject).find((one) => one['id'] === id)
    if (!job) return ok(undefined)
    if (job['status'] === 'concluded') {
      await qmp.execute('job-dismiss', { id })
      const error = job['error']
      if (error === undefined) return ok(undefined)
      return failed({ reason: 'StreamFailed', message: String(error), retry: 'later' })
    }
    if (host.clock.monotonic() > deadline)
      return failed({ reason: 'TimedOut', message: `${id} did not end`, retry: 'later' })
    await host.clock.sleep(JOB_POLL_MS)
  }
}

/**
 * The volume goes back to a snapshot: a new, empty head on it. Only while no daemon runs. The old head is removed
 * after the record no longer names it; later snapshots stay as a side line.
 */
export async function revertReplica(
  { host, place }: { readonly host: Host; readonly place: LocalMemberInput['place'] },
  name: string,
): Promise<Result<void>> {
  const read = await readMeta(host.files, place.meta)
  if (!read.ok) return read
  if (!read.value)
    return failed({ reason: 'ReplicaMetaMissing', message: `${place.meta} is gone`, retry: 'later' })
  const meta = settled(read.value)
  const layer = layerNamed(meta, name)
  if (!layer)
    return failed({ reason: 'NoSuchSnapshot', message: `there is no snapshot ${name}`, retry: 'never' })
  const head = nextFile(meta)
  await host.files.remove(`${place.folder}/${head}`)
  const made = await writeHead(host.files, `${place.folder}/${head}`, {
    sizeBytes: meta.sizeBytes,
    backingPath: layer.file,
  })
  if (!made.ok) return made
  const written = await writeMeta(host.files, place.meta, { ...meta, head, parent: name })
  if (!written.ok) return written
  return host.files.remove(`${place.folder}/${meta.head}`)
}
