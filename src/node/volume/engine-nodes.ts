// The block nodes of one disk inside a machine's QEMU: their names, what they are connected to, and the definitions
// of the nodes of an epoch. Nodes of another epoch have other names, so old and new stand side by side in a swap.
import { boundedName } from '../../base/derived-name.ts'
import { isObject, parseJson } from '../../base/json.ts'
import type { NbdChild } from '../plan/backing.ts'
import { diskNodes, nodeStem, topNode } from '../plan/disk-node.ts'
import type { Properties } from '../plan/part.ts'

const NODE_NAME_MAX = 31
/** More children than any volume has replicas; Longhorn's own limit is 20. */
const CHILDREN_MAX = 20

/** One generation of nodes of a disk. */
export interface NodeSet {
  readonly top: string
  /** Child names by index; a set of one child has only the top. */
  readonly child: (index: number) => string
}

export function epochNodes(disk: string, epoch: number): NodeSet {
  return {
    top: boundedName(`e${epoch}-${disk}`, NODE_NAME_MAX),
    child: (index) => boundedName(`e${epoch}.${index}-${disk}`, NODE_NAME_MAX),
  }
}

/** The nodes that the machine was started with. */
export function firstNodes(disk: string): NodeSet {
  return { top: topNode(disk), child: (index) => `q${index}-${nodeStem(disk)}` }
}

/** As QEMU lists it. */
export interface NamedNode {
  readonly name: string
  readonly driver: string
  readonly file: string
}

export interface Generation {
  readonly set: NodeSet
  readonly top: boolean
  /** NBD nodes that exist, with the export that each knows. */
  readonly children: readonly { readonly name: string; readonly exportName: string }[]
}

/** All generations of nodes of this disk that exist in QEMU. */
export function generations(disk: string, nodes: readonly NamedNode[]): readonly Generation[] {
  const epochs = new Set(
    nodes.flatMap(({ name }) => {
      const match = /^e(\d+)[.-]/.exec(name)
      return match ? [Number(match[1])] : []
    }),
  )
  const sets = [firstNodes(disk), ...[...epochs].map((epoch) => epochNodes(disk, epoch))]
  const byName = new Map(nodes.map((node) => [node.name, node]))
  return sets.flatMap((set) => {
    const names = [set.top, ...Array.from({ length: CHILDREN_MAX }, (_, index) => set.child(index))]
    const children = names.flatMap((name) => {
      const node = byName.get(name)
      return node?.driver === 'nbd' ? [{ name, exportName: exportOf(node.file) }] : []
    })
    const top = byName.has(set.top)
    return top || children.length > 0 ? [{ set, top, children }] : []
  })
}

/** The export's name out of what QEMU calls the node's file name. */
export function exportOf(file: string): string {
  const uri = /^nbd(?:\+unix)?:\/\/[^/]*\/([^?]*)/.exec(file)
  if (uri) return decodeURIComponent(uri[1] ?? '')
  if (!file.startsWith('json:')) return ''
  try {
    const options = parseJson(file.slice('json:'.length))
    return isObject(options) && typeof options['export'] === 'string' ? options['export'] : ''
  } catch {
    return ''
  }
}

/** Definitions of the nodes of an epoch, children first. */
export function epochDefinitions(
  disk: string,
  { epoch, children }: { readonly epoch: number; readonly children: readonly NbdChild[] },
  readOnly: boolean,
): readonly Properties[] {
  const set = epochNodes(disk, epoch)
  const plain = diskNodes(disk, { kind: 'nbd', children }, { ...NODE_OPTIONS, readOnly })
  if (plain.length === 1) return [{ ...plain[0], 'node-name': set.top }]
  const names = children.map((_, index) => set.child(index))
  return plain.map((node, index) =>
    index < names.length
      ? { ...node, 'node-name': names[index]! }
      : { ...node, 'node-name': set.top, children: names },
  )
}

const NODE_OPTIONS = { cache: undefined, io: undefined, shareable: false } as const
