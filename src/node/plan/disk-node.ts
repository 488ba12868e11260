// QEMU block nodes of a machine, all named by us, so that they can be swapped, opened and closed later.
import { boundedName } from '../../base/derived-name.ts'
import type { DiskBacking, NbdChild } from './backing.ts'
import type { Properties } from './part.ts'

/** QEMU's limit for node names is 31 characters. */
const NODE_NAME_MAX = 31
const PREFIX_ROOM = 4
/** Id of the object with the certificates by which this host connects to replicas on others. */
export const TLS_CLIENT = 'tls-client'

/** A name for the block nodes of a disk: its own where it is short enough, else cut with a hash. */
export function nodeStem(disk: string): string {
  return boundedName(disk, NODE_NAME_MAX - PREFIX_ROOM)
}

/** The node that the disk's device is attached to. */
export function topNode(disk: string): string {
  return `n-${nodeStem(disk)}`
}

export interface NodeOptions {
  readonly readOnly: boolean
  /** KubeVirt's word; `writethrough` is made by the device. */
  readonly cache: 'none' | 'writethrough' | 'writeback' | undefined
  readonly io: string | undefined
  readonly shareable: boolean
}

/** The blockdev definitions of a disk, lowest first; the last one is `topNode(disk)`. */
export function diskNodes(disk: string, backing: DiskBacking, options: NodeOptions): readonly Properties[] {
  const top = topNode(disk)
  const common = { 'read-only': options.readOnly, discard: 'unmap' }
  if (backing.kind === 'nbd') {
    const [only, ...others] = backing.children
    if (only && others.length === 0) return [nbdNode(top, only, common)]
    const names = backing.children.map((_, index) => `q${index}-${nodeStem(disk)}`)
    return [
      ...backing.children.map((child, index) => nbdNode(names[index] ?? '', child, common)),
      {
        driver: 'quorum',
        'node-name': top,
        children: names,
        // Every replica must have taken a write before the guest hears of it.
        'vote-threshold': names.length,
        'read-pattern': 'fifo',
        ...common,
      },
    ]
  }
  const direct = options.cache === 'none'
  const cache = { cache: { direct, 'no-flush': false } }
  const file = {
    driver: backing.kind === 'block' ? 'host_device' : 'file',
    'node-name': `f-${nodeStem(disk)}`,
    filename: backing.path,
    aio: direct && options.io === 'native' ? 'native' : 'threads',
    ...(options.shareable ? { locking: 'off' } : {}),
    ...common,
    ...cache,
  }
  const format = backing.kind === 'file' ? backing.format : 'raw'
  return [file, { driver: format, 'node-name': top, file: file['node-name'], ...common, ...cache }]
}

function nbdNode(name: string, child: NbdChild, common: Properties): Properties {
  const server =
    'unix' in child.server
      ? { type: 'unix', path: child.server.unix }
      : { type: 'inet', host: child.server.host, port: String(child.server.port) }
  return {
    driver: 'nbd',
    'node-name': name,
    server,
    export: child.exportName,
    ...('tlsCreds' in child.server && child.server.tlsCreds ? { 'tls-creds': child.server.tlsCreds } : {}),
    // A lost replica must be noticed at once; it may only come back under a new export name.
    'reconnect-delay': 0,
    ...common,
  }
}
