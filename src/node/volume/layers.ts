// The layers of a replica: frozen qcow2 files below one head. Which file lies on which stands in volume.meta; every
// file has an explicit node name in the daemon, made from its number, so that each can be addressed later.
import { assert } from '../../base/assert.ts'
import type { ReplicaMeta } from './meta.ts'

/** A frozen layer. Its file keeps the name that it had as a head: nothing is renamed while it is open. */
export interface Layer {
  /** Name of the Longhorn snapshot. */
  readonly name: string
  /** File name within the replica's folder. */
  readonly file: string
  /** Name of the layer below; absent: the lowest, on the backing image or on nothing. */
  readonly parent?: string
  readonly userCreated: boolean
  readonly createdAt: string
}

/** Number of a layer's file. */
const FILE = /^volume-head-(\d{3,})\.qcow2$/

export function layerFile(number: number): string {
  return `volume-head-${String(number).padStart(3, '0')}.qcow2`
}

export function nodeOf(file: string): string {
  const match = FILE.exec(file)
  assert(match, `not the file of a layer: ${file}`)
  return `l${Number(match[1])}`
}

export const isLayerFile = (file: string): boolean => FILE.test(file)

/** Node of the backing image, where there is one. */
export const BASE_NODE = 'base'

export const layersOf = (meta: ReplicaMeta): readonly Layer[] => meta.layers ?? []

export function layerNamed(meta: ReplicaMeta, name: string): Layer | undefined {
  return layersOf(meta).find((layer) => layer.name === name)
}

/** Layers below the head, lowest first. */
export function chainBelow(meta: ReplicaMeta, from: string | undefined = meta.parent): readonly Layer[] {
  const chain: Layer[] = []
  let name = from
  while (name !== undefined) {
    const layer = layerNamed(meta, name)
    assert(layer && chain.length <= layersOf(meta).length, `broken chain of layers at ${name}`)
    chain.unshift(layer)
    name = layer.parent
  }
  return chain
}

/** A file name that no layer of this replica has or had. */
export function nextFile(meta: ReplicaMeta): string {
  const numbers = [meta.head, ...layersOf(meta).map((layer) => layer.file)].map((file) =>
    Number(FILE.exec(file)?.[1] ?? 0),
  )
  return layerFile(Math.max(...numbers) + 1)
}

/** What a snapshot says of itself when it is made. */
export interface LayerWords {
  readonly name: string
  readonly userCreated: boolean
  readonly createdAt: string
}

/** The head becomes the layer `name` and `head` lies on it. */
export function withFrozen(meta: ReplicaMeta, layer: LayerWords, head: string): ReplicaMeta {
  const { parent, ...rest } = meta
  const frozen: Layer = { ...layer, file: meta.head, ...(parent === undefined ? {} : { parent }) }
  return { ...rest, head, parent: layer.name, layers: [...layersOf(meta), frozen] }
}

/** A head that was about to take over has done so. */
export function settled(meta: ReplicaMeta): ReplicaMeta {
  const { pending, ...rest } = meta
  return pending ? withFrozen(rest, layerWords(pending), pending.head) : meta
}

const layerWords = ({ name, userCreated, createdAt }: LayerWords): LayerWords => ({
  name,
  userCreated,
  createdAt,
})

/** Without the layer; whatever lay on it lies on its parent now. */
export function withoutLayer(meta: ReplicaMeta, name: string): ReplicaMeta {
  const gone = layerNamed(meta, name)
  assert(gone, `no layer ${name}`)
  const lowered = (parent: string | undefined): { readonly parent?: string } => {
    const below = parent === name ? gone.parent : parent
    return below === undefined ? {} : { parent: below }
  }
  const { parent, ...rest } = meta
  return {
    ...rest,
    ...lowered(parent),
    layers: layersOf(meta)
      .filter((layer) => layer !== gone)
      .map(({ parent: below, ...layer }) => ({ ...layer, ...lowered(below) })),
  }
}

type Node = Readonly<Record<string, unknown>>

/** A qcow2 file and the node over it. `backing`: node below; null: none for now; absent: as its header says. */
export function layerNodes(
  path: string,
  { backing, readOnly = false }: { readonly backing?: string | null; readonly readOnly?: boolean } = {},
  name?: string,
): readonly [Node, Node] {
  const node = name ?? nodeOf(path.slice(path.lastIndexOf('/') + 1))
  const common = { discard: 'unmap' }
  // A layer of ours is written when another one is merged into it; then QEMU opens its file for that.
  const whose = !readOnly ? {} : name === undefined ? { 'auto-read-only': true } : { 'read-only': true }
  return [
    {
      driver: 'file',
      'node-name': `${node}_f`,
      filename: path,
      // Past the page cache: what the guest flushed is on the disk, and memory is not used twice.
      cache: { direct: true },
      aio: 'native',
      ...common,
      ...whose,
    },
    {
      driver: 'qcow2',
      'node-name': node,
      file: `${node}_f`,
      ...(backing === undefined ? {} : { backing }),
      ...common,
      ...(readOnly ? { 'read-only': true } : {}),
    },
  ]
}

/** All nodes of a replica, lowest first, head last. */
export function chainNodes(folder: string, meta: ReplicaMeta): readonly Node[] {
  const nodes: Node[] = []
  let below: string | null = null
  if (meta.backingFile !== undefined) {
    nodes.push(...layerNodes(meta.backingFile, { readOnly: true }, BASE_NODE))
    below = BASE_NODE
  }
  for (const layer of chainBelow(meta)) {
    nodes.push(...layerNodes(`${folder}/${layer.file}`, { backing: below, readOnly: true }))
    below = nodeOf(layer.file)
  }
  return [...nodes, ...layerNodes(`${folder}/${meta.head}`, { backing: below })]
}
