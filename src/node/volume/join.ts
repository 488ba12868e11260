// A replica that is rebuilt takes part at once: its new head takes every write, and what it has not yet is read from
// a frozen layer of a healthy replica. Here are the orders to the source and to the one that joins, both idempotent.
import { failed, ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import { nbdOptions } from './copy.ts'
import { LAYER_EXPORT_PREFIX } from './daemon.ts'
import { addNodes, metaOf, removeNodes } from './freeze.ts'
import {
  BASE_NODE,
  chainBelow,
  chainNodes,
  isLayerFile,
  layerNamed,
  layerNodes,
  layersOf,
  nodeOf,
  settled,
} from './layers.ts'
import { type LocalMemberInput, serverOf } from './member.ts'
import { type ReplicaMeta, writeMeta } from './meta.ts'
import { writeHead } from './replica.ts'
import { ensureTls } from './tls.ts'

/** Node of the connection to the source. */
const SOURCE_NODE = 'src'

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
  /** Of the backing image on this replica's disk, where the volume has one. */
  readonly backingFile?: string
}

/** Files of a replica that joins: its record and an empty head. Before the pause. */
export async function prepareJoin(input: LocalMemberInput, order: JoinOrder): Promise<Result<void>> {
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
  const tls = await ensureTls((command, args) => daemon.qmp.execute(command, args as never), [source])
  if (!tls.ok) return tls
  return addNodes(daemon, [
    { ...nbdOptions(source), 'node-name': SOURCE_NODE, 'reconnect-delay': 0, 'read-only': true },
    ...layerNodes(`${place.folder}/${head}`, { backing: SOURCE_NODE }),
  ])
}

/** All layers are here: the head stands on them from now on, and the replica is whole. What it was before goes. */
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
  const written = await writeMeta(host.files, place.meta, whole)
  if (written.ok) await removeStrays(input, whole)
  return written
}

/** Files of a life before the rebuild. They change nothing, so one that stays is no failure. */
async function removeStrays({ host, place }: LocalMemberInput, meta: ReplicaMeta): Promise<void> {
  const mine = new Set([meta.head, ...layersOf(meta).map((layer) => layer.file)])
  const listed = await host.files.list(place.folder)
  for (const name of listed.ok ? listed.value : [])
    if (isLayerFile(name) && !mine.has(name)) await host.files.remove(`${place.folder}/${name}`)
}
