// Looks into replicas from outside, as no part of the product can: which images make one up at this moment and what a
// reader of it would find.
import type { Replica } from '../../kinds/longhorn/replica.ts'
import { chainBelow, layersOf, settled } from '../../node/volume/layers.ts'
import type { ReplicaMeta } from '../../node/volume/meta.ts'
import type { SimComputer } from './computer.ts'
import { type Image, SECTORS_PER_CLUSTER } from './sim-disk.ts'
import { StorageDaemon } from './storage-daemon.ts'

export interface ReplicaLook {
  readonly computer: SimComputer
  readonly folder: string
  readonly meta: ReplicaMeta
}

export function lookInto(computers: readonly SimComputer[], replica: Replica): ReplicaLook | undefined {
  const computer = computers.find((one) => one.name === replica.spec?.nodeID)
  const folder = `${replica.spec?.diskPath}/replicas/${replica.spec?.dataDirectoryName}`
  const file = computer?.disk.files.get(`${folder}/volume.meta`)
  if (!computer || file?.kind !== 'plain') return undefined
  return { computer, folder, meta: metaOf(file.bytes) }
}

/** A record is asked for at every write and changes seldom. */
const metas = new WeakMap<Uint8Array, ReplicaMeta>()

function metaOf(bytes: Uint8Array): ReplicaMeta {
  const known = metas.get(bytes)
  if (known) return known
  const meta = JSON.parse(new TextDecoder().decode(bytes)) as ReplicaMeta
  metas.set(bytes, meta)
  return meta
}

/** The daemon that has a file of this replica open for writing. */
export function daemonOf({ computer, folder, meta }: ReplicaLook): StorageDaemon | undefined {
  for (const program of computer.programs.values()) {
    if (!(program instanceof StorageDaemon)) continue
    for (const node of program.nodes.values())
      if (
        node.driver === 'qcow2' &&
        node.file.startsWith(`${folder}/`) &&
        headFiles(meta).some((file) => node.file.endsWith(`/${file}`))
      )
        return program
  }
  return undefined
}

const headFiles = (meta: ReplicaMeta): readonly string[] => [
  meta.head,
  ...(meta.pending ? [meta.pending.head] : []),
]

/** A prepared head has taken over once something lies below it; without a daemon it counts as taken over. */
export function whole(look: ReplicaLook): ReplicaMeta {
  const { meta } = look
  if (!meta.pending) return meta
  const daemon = daemonOf(look)
  if (!daemon) return settled(meta)
  const next = [...daemon.nodes.values()].find(
    (node) => node.driver === 'qcow2' && node.file === `${look.folder}/${meta.pending?.head}`,
  )
  return next?.driver === 'qcow2' && next.backing !== undefined ? settled(meta) : meta
}

/** Images from the head down; undefined entry: the file is missing. */
export function images(look: ReplicaLook, from?: string): readonly (Image | undefined)[] {
  const meta = whole(look)
  const layers = from === undefined ? chainBelow(meta) : chainBelow(meta, from)
  const files = [...(from === undefined ? [meta.head] : []), ...layers.map((layer) => layer.file).reverse()]
  return files.map((file) => look.computer.disk.image(`${look.folder}/${file}`) ?? openImage(look, file))
}

/** A file whose name is gone, but which a daemon still has open. */
function openImage({ computer, folder }: ReplicaLook, file: string): Image | undefined {
  for (const program of computer.programs.values()) {
    if (!(program instanceof StorageDaemon)) continue
    for (const node of program.nodes.values())
      if (node.driver === 'qcow2' && node.file === `${folder}/${file}`) return node.image
  }
  return undefined
}

export function sectorOf(chain: readonly (Image | undefined)[], sector: number): number {
  const cluster = Math.floor(sector / SECTORS_PER_CLUSTER)
  for (const image of chain) {
    const held = image?.clusters.get(cluster)
    if (held) return held[sector % SECTORS_PER_CLUSTER]!
  }
  return 0
}

export const layerNames = (look: ReplicaLook): readonly string[] =>
  layersOf(whole(look)).map((layer) => layer.name)
