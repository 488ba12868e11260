// The disk of one simulated computer: files that a power cut may undo, and disk images of which every cluster that
// was not flushed may be lost with the process that wrote it. The images stand for qcow2 files: two sectors a
// cluster, so that a head over a backing it must not stand on shows as it would in the real format.
import { parseJson, printJson } from '../../base/json.ts'
import { hash, type SeededRandom } from '../random.ts'

export const SECTOR_BYTES = 512
export const SECTORS_PER_CLUSTER = 2

/** Numbers of the writes that the two sectors hold; 0: never written. */
export type Cluster = readonly [number, number]

export interface Image {
  sizeBytes: number
  /** Name of the file below, as its header says; relative to the same folder. */
  backing: string | undefined
  readonly clusters: Map<number, Cluster>
  /** What a cluster held at the last flush and since: any of it may be what is found after a crash. */
  readonly unsynced: Map<number, (Cluster | undefined)[]>
  /** Pid of the process that has it open for writing. */
  lockedBy: number | undefined
}

interface PlainFile {
  readonly kind: 'plain'
  bytes: Uint8Array
  /** Survives a power cut; absent: the file does not. */
  durable: Uint8Array | undefined
}
interface ImageFile {
  readonly kind: 'image'
  readonly image: Image
}
export type SimFile = PlainFile | ImageFile

const QCOW2_MAGIC = 0x514649fb
const PREFIX = 'SIMQ'

export class SimDisk {
  readonly files = new Map<string, SimFile>()
  readonly folders = new Set<string>()
  full = false
  /** Every input and output fails. */
  broken = false
  /** Added to every access. Milliseconds. */
  slowMs = 0

  /** Whether the folder of a file is there; those of replicas come and go, all others always are. */
  hasFolderOf(path: string): boolean {
    const folder = /^\/disk\/replicas\/[^/]+/.exec(path)?.[0]
    return folder === undefined || this.folders.has(folder)
  }

  /** A file, or a folder with all that is in it. */
  remove(path: string): void {
    this.folders.delete(path)
    for (const one of [...this.files.keys()])
      if (one === path || one.startsWith(`${path}/`)) this.files.delete(one)
  }

  image(path: string): Image | undefined {
    const file = this.files.get(path)
    return file?.kind === 'image' ? file.image : undefined
  }

  /** Plain bytes of a file; an image is told in a form that can be copied and opened again. */
  bytesOf(file: SimFile): Uint8Array {
    return file.kind === 'plain' ? file.bytes : new TextEncoder().encode(imageText(file.image))
  }

  digestOf(path: string): string | undefined {
    const file = this.files.get(path)
    if (file === undefined) return undefined
    const text = file.kind === 'image' ? imageText(file.image) : new TextDecoder().decode(file.bytes)
    return `${hash(text).toString(16)}${hash(text, 7).toString(16)}`
  }

  /** A file that was written and synced is an image from now on, if it looks like one. */
  settle(path: string): void {
    const file = this.files.get(path)
    if (file?.kind !== 'plain') return
    file.durable = file.bytes
    const image = readImage(file.bytes)
    if (image) this.files.set(path, { kind: 'image', image })
  }

  /** The process that wrote it is gone: what was not flushed is found in any of its states. */
  crash(image: Image, random: SeededRandom): void {
    for (const [cluster, states] of image.unsynced) {
      const now = image.clusters.get(cluster)
      const found = random.pick([...states, now, now])
      if (found === undefined) image.clusters.delete(cluster)
      else image.clusters.set(cluster, found)
    }
    image.unsynced.clear()
    image.lockedBy = undefined
  }

  powerCut(random: SeededRandom): void {
    for (const [path, file] of [...this.files]) {
      if (file.kind === 'image') this.crash(file.image, random)
      else if (file.durable === undefined) this.files.delete(path)
      else file.bytes = file.durable
    }
  }
}

export function emptyImage(sizeBytes: number, backing: string | undefined): Image {
  return { sizeBytes, backing, clusters: new Map(), unsynced: new Map(), lockedBy: undefined }
}

export function setCluster(image: Image, cluster: number, value: Cluster): void {
  const states = image.unsynced.get(cluster)
  const before = image.clusters.get(cluster)
  if (states) states.push(before)
  else image.unsynced.set(cluster, [before])
  image.clusters.set(cluster, value)
}

function imageText(image: Image): string {
  const clusters = [...image.clusters].sort(([a], [b]) => a - b)
  return `${PREFIX}${printJson({ sizeBytes: image.sizeBytes, backing: image.backing ?? null, clusters } as never)}`
}

/** An image out of the bytes of a copy, or out of the header that `node/volume/qcow2.ts` makes. */
function readImage(bytes: Uint8Array): Image | undefined {
  if (bytes.length < 104) {
    if (bytes.length < PREFIX.length) return undefined
  }
  const head = new TextDecoder().decode(bytes.subarray(0, PREFIX.length))
  if (head === PREFIX) {
    const told = parseJson(new TextDecoder().decode(bytes.subarray(PREFIX.length))) as unknown as {
      readonly sizeBytes: number
      readonly backing: string | null
      readonly clusters: readonly (readonly [number, Cluster])[]
    }
    const image = emptyImage(told.sizeBytes, told.backing ?? undefined)
    for (const [cluster, value] of told.clusters) image.clusters.set(cluster, value)
    return image
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 104 || view.getUint32(0) !== QCOW2_MAGIC) return undefined
  const nameAt = Number(view.getBigUint64(8))
  const nameLength = view.getUint32(16)
  const name = new TextDecoder().decode(bytes.subarray(nameAt, nameAt + nameLength))
  return emptyImage(Number(view.getBigUint64(24)), name === '' ? undefined : name)
}
