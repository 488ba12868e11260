// A file that differs from its source in some places, made equal by fetching those places alone: both sides say a hash
// of each block. For a replica that was away for a moment, or whose engine ended without closing its volume.
import { failed, ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import { nbdOptions } from './copy.ts'
import type { LocalMemberInput } from './member.ts'
import { tlsArgv } from './tls.ts'

const BLOCK_BYTES = 4 * 1024 * 1024
/** Below this a whole copy is as quick. Bytes. */
export const DELTA_MIN_BYTES = 4 * 1024 * 1024
/** 128 bits tell blocks apart; the digest of the whole file has the last word. Hexadecimal digits. */
const DIGEST_LENGTH = 32
/** 800 GB; the hashes of more would not fit into one call between agents. */
const BLOCKS_MAX = 200_000
/** Each place costs a connection; with more of them a whole copy is quicker. */
const PLACES_MAX = 64
const SECTOR_BYTES = 512
/** A whole layer; a slow disk with a terabyte needs hours. Milliseconds. */
const TIMEOUT_MS = 24 * 3600 * 1000

export interface FileBlocks {
  readonly sizeBytes: number
  /** Of each block of 4 MiB, in order. */
  readonly digests: readonly string[]
}

/** Of a file that nobody writes. Failures: `NotFound`, `TooLarge`, and those of the program. */
export async function blocksOf({ host, place }: LocalMemberInput, file: string): Promise<Result<FileBlocks>> {
  const path = `${place.folder}/${file}`
  const stat = await host.files.stat(path)
  if (!stat.ok) return stat
  const { sizeBytes } = stat.value
  if (sizeBytes > BLOCKS_MAX * BLOCK_BYTES)
    return failed({
      reason: 'TooLarge',
      message: `${path} has more than ${BLOCKS_MAX} blocks`,
      retry: 'never',
    })
  const sums = await host.exec.run(['split', `--bytes=${BLOCK_BYTES}`, '--filter=sha256sum', '--', path], {
    timeoutMs: TIMEOUT_MS,
  })
  if (!sums.ok) return sums
  const lines = sums.value.stdout.split('\n').filter((line) => line !== '')
  return ok({ sizeBytes, digests: lines.map((line) => line.slice(0, DIGEST_LENGTH)) })
}

export interface Place {
  readonly at: number
  readonly length: number
}

/** Where `mine` is not as `wanted` is; neighbours are one place. */
export function differences(wanted: FileBlocks, mine: FileBlocks): readonly Place[] {
  const places: Place[] = []
  for (const [index, digest] of wanted.digests.entries()) {
    if (mine.digests[index] === digest) continue
    const at = index * BLOCK_BYTES
    const length = Math.min(BLOCK_BYTES, wanted.sizeBytes - at)
    const last = places.at(-1)
    if (last && last.at + last.length === at)
      places[places.length - 1] = { ...last, length: last.length + length }
    else places.push({ at, length })
  }
  return places
}

export interface PatchOrder {
  readonly file: string
  readonly source: NbdChild
  readonly blocks: FileBlocks
  readonly rateBytes?: number
  /** Bytes that are equal by now. */
  readonly onBytes?: (count: number) => void
  readonly signal?: AbortSignal
}

/** Failures: `TooDifferent` when a whole copy is the quicker way, and those of the program. */
export async function patchFile(to: LocalMemberInput, order: PatchOrder): Promise<Result<void>> {
  const { blocks } = order
  const mine = await blocksOf(to, order.file)
  if (!mine.ok) return mine
  const places = differences(blocks, mine.value)
  const bytes = places.reduce((sum, { length }) => sum + length, 0)
  if (places.length > PLACES_MAX || bytes * 2 > blocks.sizeBytes || blocks.sizeBytes % SECTOR_BYTES !== 0)
    return failed({
      reason: 'TooDifferent',
      message: `${bytes} bytes differ in ${places.length} places of ${blocks.sizeBytes} bytes`,
      retry: 'never',
    })
  const path = `${to.place.folder}/${order.file}`
  const sized = await setSize(to, path, blocks.sizeBytes)
  if (!sized.ok) return sized
  let left = bytes
  for (const place of places) {
    order.onBytes?.(blocks.sizeBytes - left)
    const fetched = await fetchPlace(to, order, path, place)
    if (!fetched.ok) return fetched
    left -= place.length
  }
  to.host.log.info('a file of a replica was made equal by its differences', {
    path,
    bytes,
    of: blocks.sizeBytes,
  })
  return ok(undefined)
}

async function setSize({ host }: LocalMemberInput, path: string, sizeBytes: number): Promise<Result<void>> {
  const opened = await host.files.open(path, 'write')
  if (!opened.ok) return opened
  const done = await opened.value.truncate(sizeBytes)
  await opened.value.close()
  return done
}

async function fetchPlace(
  { host }: LocalMemberInput,
  { source, rateBytes, signal }: PatchOrder,
  path: string,
  { at, length }: Place,
): Promise<Result<void>> {
  const from = { driver: 'raw', offset: at, size: length, file: nbdOptions(source) }
  const name = path.replaceAll(',', ',,')
  const target = `driver=raw,offset=${at},size=${length},file.driver=file,file.filename=${name}`
  const done = await host.exec.run(
    [
      ...['qemu-img', 'convert', ...tlsArgv(source), '-n', '-t', 'none', '-W', '-m', '8'],
      ...(rateBytes === undefined ? [] : ['-r', String(rateBytes)]),
      ...['--target-image-opts', `json:${JSON.stringify(from)}`, target],
    ],
    { timeoutMs: TIMEOUT_MS, ...(signal ? { signal } : {}) },
  )
  return done.ok ? ok(undefined) : done
}
