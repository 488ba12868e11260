// Backing images between nodes: the finished file of a node that has it goes to the disks that want it. What comes is
// compared with the sender's sum before it counts.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import type { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import type { Node } from '../../kinds/longhorn/node.ts'
import type { RunAs } from '../plan/facts.ts'
import { checkSum } from './check-sum.ts'
import { BACKING_FILE } from './layout.ts'
import { receive } from './receive.ts'

/** Sum of the finished file, kept beside it: it never changes. */
const SUM_FILE = 'backing.sha512'
const CHUNK_BYTES = 1024 * 1024

export interface ImageRef {
  readonly name: string
  readonly uid: string
}

/** A finished image as it is sent. */
export interface SentImage {
  readonly sizeBytes: number
  /** Lower-case hexadecimal. */
  readonly sha512: string
  readonly body: AsyncIterable<Uint8Array>
}

/** The way to the images of other nodes. */
export interface ImagePeers {
  /** Failures: `ImageUnknown` where that node has it not, and those of the link. */
  fetchImage(nodeName: string, image: ImageRef, signal: AbortSignal): Promise<Result<SentImage>>
}

/** A node other than `me` that has the image on a disk; undefined where none has. */
export function nodeWithImage(image: BackingImage, nodes: readonly Node[], me: string): string | undefined {
  const ready = Object.entries(image.status?.diskFileStatusMap ?? {})
    .filter(([, { state }]) => state === 'ready')
    .map(([disk]) => disk)
  return nodes.find(
    ({ metadata, status }) =>
      metadata.name !== me &&
      Object.values(status?.diskStatus ?? {}).some(
        ({ diskUUID }) => diskUUID !== undefined && ready.includes(diskUUID),
      ),
  )?.metadata.name
}

/** Another disk is about to have it, so that this one need not fetch it from the outside, too. */
export function isComing(image: BackingImage, diskId: string): boolean {
  return Object.entries(image.status?.diskFileStatusMap ?? {}).some(
    ([disk, { state }]) => disk !== diskId && state === 'in-progress',
  )
}

/** `folder` is the image's. Failure `ImageUnknown` where the file is not finished. */
export async function sendImage(host: Host, folder: string, signal: AbortSignal): Promise<Result<SentImage>> {
  const path = `${folder}/${BACKING_FILE}`
  const stat = await host.files.stat(path)
  if (!stat.ok)
    return failed({ reason: 'ImageUnknown', message: 'this node has not got that image', retry: 'later' })
  const kept = await host.files.readText(`${folder}/${SUM_FILE}`)
  const sum = kept.ok ? ok(kept.value.trim()) : await checkSum(host, path, undefined, signal)
  if (!sum.ok) return sum
  if (!kept.ok) await host.files.writeDurable(`${folder}/${SUM_FILE}`, `${sum.value}\n`)
  const { sizeBytes } = stat.value
  return ok({ sizeBytes, sha512: sum.value, body: readWhole(host, path, sizeBytes) })
}

async function* readWhole(host: Host, path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < sizeBytes; at += CHUNK_BYTES) {
    const read = await host.files.readAt(path, at, CHUNK_BYTES)
    if (!read.ok) throw new Error(read.failure.message)
    yield read.value
  }
}

export interface Copy {
  readonly host: Host
  readonly peers: ImagePeers
  readonly from: string
  readonly image: ImageRef
  readonly folder: string
  readonly runAs: RunAs | undefined
  readonly signal: AbortSignal
  readonly onProgress: (doneBytes: number, totalBytes: number) => void
}

/** The finished file is there when it resolves well; only `part` is left otherwise. */
export async function copyImage(copy: Copy): Promise<Result<void>> {
  const { host, folder, signal, runAs } = copy
  const sent = await copy.peers.fetchImage(copy.from, copy.image, signal)
  if (!sent.ok) return sent
  const { sizeBytes, sha512, body } = sent.value
  const part = `${folder}/part`
  const got = await receive(
    host,
    part,
    { nodeName: '', backingImage: copy.image.name, sizeBytes, body },
    (done) => copy.onProgress(done, sizeBytes),
  )
  if (!got.ok) return got
  const sum = await checkSum(host, part, sha512, signal)
  if (!sum.ok) return sum
  const owned = runAs ? await host.files.chown(part, runAs.uid, runAs.gid) : ok(undefined)
  if (!owned.ok) return owned
  const summed = await host.files.writeDurable(`${folder}/${SUM_FILE}`, `${sha512}\n`)
  if (!summed.ok) return summed
  for (const step of [
    () => host.files.chmod(part, 0o444),
    () => host.files.rename(part, `${folder}/${BACKING_FILE}`),
    () => host.files.syncFolder(folder),
  ]) {
    const done = await step()
    if (!done.ok) return done
  }
  return ok(undefined)
}
