// Blocks as files, so that history outlives the process: `BLOCK.block` in one folder, each written whole and durably.
import type { Files } from '../host/host.ts'
import type { Block } from './blocks.ts'

/** Raised when the meaning of the bytes changes; files of other formats are dropped. */
const FORMAT = 'croft-metrics-1'
const NAME = /^(\d+)\.block$/
/** A header: names and places of some thousand subjects. Bytes. */
const HEADER_BYTES = 8

export function encodeBlock({ factor, keys, offsets, bytes }: Block): Uint8Array {
  const head = new TextEncoder().encode(
    JSON.stringify({ format: FORMAT, factor, keys, offsets: [...offsets], length: bytes.length }),
  )
  const whole = new Uint8Array(HEADER_BYTES + head.length + bytes.length)
  new DataView(whole.buffer).setUint32(0, head.length)
  whole.set(head, HEADER_BYTES)
  whole.set(bytes, HEADER_BYTES + head.length)
  return whole
}

/** Undefined for what is no such file, or not whole. */
export function decodeBlock(number: number, whole: Uint8Array): Block | undefined {
  if (whole.length < HEADER_BYTES) return undefined
  const length = new DataView(whole.buffer, whole.byteOffset).getUint32(0)
  try {
    const head = JSON.parse(
      new TextDecoder().decode(whole.subarray(HEADER_BYTES, HEADER_BYTES + length)),
    ) as {
      readonly format: string
      readonly factor: number
      readonly keys: readonly string[]
      readonly offsets: readonly number[]
      readonly length: number
    }
    const bytes = whole.slice(HEADER_BYTES + length)
    if (head.format !== FORMAT || bytes.length !== head.length) return undefined
    return { number, factor: head.factor, keys: head.keys, offsets: Uint32Array.from(head.offsets), bytes }
  } catch {
    return undefined
  }
}

/** What is there and can be read; the rest is removed. */
export async function readArchive(files: Files, folder: string): Promise<readonly Block[]> {
  const listed = await files.list(folder)
  if (!listed.ok) return []
  const blocks: Block[] = []
  for (const name of listed.value) {
    const [, number] = NAME.exec(name) ?? []
    const read = number === undefined ? undefined : await files.read(`${folder}/${name}`)
    const block = read?.ok ? decodeBlock(Number(number), read.value) : undefined
    if (block) blocks.push(block)
    else if (number !== undefined) await files.remove(`${folder}/${name}`)
  }
  return blocks
}

/** Writes the blocks from `since` on and removes those that history no longer has. */
export async function writeArchive(
  files: Files,
  folder: string,
  blocks: readonly Block[],
  since: number,
): Promise<string | undefined> {
  const made = await files.makeFolder(folder, 0o700)
  if (!made.ok && made.failure.reason !== 'AlreadyExists') return made.failure.message
  for (const block of blocks) {
    if (block.number < since) continue
    const written = await files.writeDurable(`${folder}/${block.number}.block`, encodeBlock(block))
    if (!written.ok) return written.failure.message
  }
  const kept = new Set(blocks.map(({ number }) => `${number}.block`))
  const listed = await files.list(folder)
  for (const name of listed.ok ? listed.value : [])
    if (NAME.test(name) && !kept.has(name)) await files.remove(`${folder}/${name}`)
  return undefined
}
