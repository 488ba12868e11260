// A replica that is rebuilt takes part at once: its new head takes every write, and what it has not yet is read from
// a frozen layer of a healthy replica. Here are the orders to the source and to the one that joins, both idempotent.
import { failed, ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import { LAYER_EXPORT_PREFIX } from './daemon.ts'
import { addNodes, metaOf, removeNodes } from './freeze.ts'
import { BASE_NODE, chainBelow, chainNodes, layerNamed, layerNodes, nodeOf, settled } from './layers.ts'
import { type LocalMemberInput, serverOf } from './member.ts'
import { type ReplicaMeta, writeMeta } from './meta.ts'
import { writeHead } from './replica.ts'

/** Node of the connection to the source. */
const SOURCE_NODE = 'src'
/** One turn of copying; small enough that a rate limit stays smooth. Bytes. */
const COPY_BYTES = 4 * 1024 * 1024
const DIGEST_TIMEOUT_MS = 24 * 3600 * 1000

const layerExport = (replica: string, layer: string): string => `${LAYER_EXPORT_PREFIX}${replica}-${layer}`

/** Serves a frozen layer, with all below it, for reading. */
export async function openLayer(input: LocalMemberInput, name: string): Promise<Result<NbdChild>> {
  const meta = await metaOf(input)
  if (!meta.ok) return meta
  const layer = layerNamed(settled(meta.value), name)
  if (!layer)
    return failed({ reason: 'NoSuchSnapshot', message: `there is no layer ${name}`, retry: 'never' })
  const id = layerExport(input.replica, name)
  const opened = await input.daemon.qmp.execute('block-export-add', {
    type: 'nbd',
    id,
    name: id,
    'node-name': nodeOf(layer.file),
    writable: false,
  })
  if (!opened.ok && !/already|in use/.test(opened.failure.message)) return opened
  return ok({ server: serverOf(input), exportName: id })
}

export async function closeLayer({ daemon, replica }: LocalMemberInput, name: string): Promise<void> {
  await daemon.qmp.execute('block-export-del', { id: layerExport(replica, name), mode: 'hard' })
}

export interface JoinOrder {
  /** What the source says of itself: its layers and the name of its head. */
  readonly like: ReplicaMeta
  readonly source: NbdChild
  /** Of the backing image on this replica's disk, where the volume has one. */
  readonly backingFile?: string
}

/** Files of a replica that joins: its record and an empty head. Before the pause. */
export async function prepareJoin(
  input: LocalMemberInput,
  order: Omit<JoinOrder, 'source'>,
): Promise<Result<void>> {
  const { host, place, replica } = input
  const { backingFile: _, ...like } = settled(order.like)
  const path = `${place.folder}/${like.head}`
  await host.files.remove(path)
  const below = layerNamed(like, like.parent ?? '')
  if (!below)
    return failed({ reason: 'NotFrozen', message: 'a replica joins on a frozen layer only', retry: 'never' })
  const made = await writeHead(host.files, path, { sizeBytes: like.sizeBytes, backingPath: below.file })
  if (!made.ok) return made
  if (input.runAs) {
    const owned = await host.files.chown(path, input.runAs.uid, input.runAs.gid)
    if (!owned.ok) return owned
  }
  return writeMeta(host.files, place.meta, {
    ...like,
    replica,
    ...(order.backingFile === undefined ? {} : { backingFile: order.backingFile }),
    joining: true,
    epoch: 0,
    incarnation: '',
    cleanShutdown: true,
  })
}

/** Opens the head over the source's layer. In the pause. */
export async function joinOn(
  { daemon, place }: LocalMemberInput,
  head: string,
  source: NbdChild,
): Promise<Result<void>> {
  const { server } = source
  return addNodes(daemon, [
    {
      driver: 'nbd',
      'node-name': SOURCE_NODE,
      server:
        'unix' in server
          ? { type: 'unix', path: server.unix }
          : { type: 'inet', host: server.host, port: String(server.port) },
      export: source.exportName,
      'reconnect-delay': 0,
      'read-only': true,
    },
    ...layerNodes(`${place.folder}/${head}`, { backing: SOURCE_NODE }),
  ])
}

/** All layers are here: the head stands on them from now on, and the replica is whole. */
export async function completeJoin(input: LocalMemberInput): Promise<Result<void>> {
  const { host, place, daemon } = input
  const read = await metaOf(input)
  if (!read.ok) return read
  const meta = read.value
  if (!meta.joining) return ok(undefined)
  const layers = chainBelow(meta)
  const nodes = chainNodes(place.folder, meta).slice(0, -2)
  // A call before this one may have opened them.
  await removeNodes(daemon, [...layers.map((layer) => nodeOf(layer.file)).reverse(), BASE_NODE])
  const added = await addNodes(daemon, nodes)
  if (!added.ok) return added
  const head = nodeOf(meta.head)
  const moved = await daemon.qmp.execute('blockdev-reopen', {
    options: [
      {
        driver: 'qcow2',
        'node-name': head,
        file: `${head}_f`,
        backing: nodeOf(layers.at(-1)!.file),
        discard: 'unmap',
      },
    ],
  })
  if (!moved.ok) return moved
  await daemon.qmp.execute('blockdev-del', { 'node-name': SOURCE_NODE })
  const { joining: _, ...whole } = meta
  return writeMeta(host.files, place.meta, whole)
}

export interface CopyOptions {
  readonly file: string
  /** Bytes a second; absent: as fast as it goes. */
  readonly rateBytes?: number
  readonly onBytes?: (count: number) => void
}

/** Copies one frozen file, unless an equal one is there, and compares the two by digest. */
export async function copyLayer(
  from: LocalMemberInput,
  to: LocalMemberInput,
  options: CopyOptions,
): Promise<Result<void>> {
  const { files } = to.host
  const source = `${from.place.folder}/${options.file}`
  const target = `${to.place.folder}/${options.file}`
  const wanted = await digest(from, source)
  if (!wanted.ok) return wanted
  const present = await digest(to, target)
  if (present.ok && present.value === wanted.value) return ok(undefined)
  await files.remove(target)
  const copied = await copyFile(from, to, { ...options, source, target })
  if (!copied.ok) return copied
  if (to.runAs) {
    const owned = await files.chown(target, to.runAs.uid, to.runAs.gid)
    if (!owned.ok) return owned
  }
  const got = await digest(to, target)
  if (!got.ok) return got
  return got.value === wanted.value
    ? ok(undefined)
    : failed({ reason: 'CopyDiffers', message: `${target} is not equal to its source`, retry: 'later' })
}

async function digest({ host }: LocalMemberInput, path: string): Promise<Result<string>> {
  const sum = await host.exec.run(['sha512sum', '--', path], { timeoutMs: DIGEST_TIMEOUT_MS })
  return sum.ok ? ok(sum.value.stdout.split(' ')[0] ?? '') : sum
}

async function copyFile(
  from: LocalMemberInput,
  { host }: LocalMemberInput,
  { source, target, rateBytes, onBytes }: CopyOptions & { readonly source: string; readonly target: string },
): Promise<Result<void>> {
  const stat = await from.host.files.stat(source)
  if (!stat.ok) return stat
  const opened = await host.files.open(target, 'create-new', 0o600)
  if (!opened.ok) return opened
  const file = opened.value
  const began = host.clock.monotonic()
  const copy = async (): Promise<Result<void>> => {
    const sized = await file.truncate(stat.value.sizeBytes)
    if (!sized.ok) return sized
    for (let at = 0; at < stat.value.sizeBytes; at += COPY_BYTES) {
      const read = await from.host.files.readAt(source, at, COPY_BYTES)
      if (!read.ok) return read
      const written = await file.write(read.value, at)
      if (!written.ok) return written
      onBytes?.(read.value.length)
      const dueMs = rateBytes === undefined ? 0 : ((at + read.value.length) / rateBytes) * 1000
      const earlyMs = dueMs - (host.clock.monotonic() - began)
      if (earlyMs > 0) await host.clock.sleep(earlyMs)
    }
    return file.sync()
  }
  const done = await copy()
  await file.close()
  return done
}
