// The head file of a new replica: an empty qcow2 image, over another one or over nothing. Made here rather than by
// qemu-img, because a start of that program takes longer than all the rest of making a volume.
// Format: QEMU's docs/interop/qcow2.txt, version 3.
import { assert } from '../../base/assert.ts'

const CLUSTER_BITS = 16
const CLUSTER_BYTES = 1 << CLUSTER_BITS
/** Bytes of guest data that one entry of the L1 table stands for: a cluster of 8 byte pointers to clusters. */
const BYTES_PER_L1_ENTRY = (CLUSTER_BYTES / 8) * CLUSTER_BYTES
const HEADER_BYTES = 104
const MAGIC = 0x514649fb
const EXTENSION_BACKING_FORMAT = 0xe2792aca
/** 2^4 bits a reference count. */
const REFCOUNT_ORDER = 4
const BACKING_NAME_MAX = 1023
/** QEMU refuses a longer L1 table (32 MiB): 2 PiB of guest data. */
const L1_ENTRIES_MAX = (32 * 1024 * 1024) / 8

const TABLE_AT = CLUSTER_BYTES
const BLOCK_AT = 2 * CLUSTER_BYTES
const L1_AT = 3 * CLUSTER_BYTES

export interface EmptyQcow2 {
  /** Size that the guest sees. Bytes, a multiple of 512. */
  readonly sizeBytes: number
  /** A qcow2 image that shows through where nothing was written; its path, absolute. */
  readonly backingPath?: string
}

/** Pieces of the file by offset; between and after them it is zeros. */
export interface Qcow2Layout {
  readonly pieces: readonly { readonly at: number; readonly bytes: Uint8Array }[]
  readonly lengthBytes: number
}

export function emptyQcow2({ sizeBytes, backingPath }: EmptyQcow2): Qcow2Layout {
  const l1Entries = Math.ceil(sizeBytes / BYTES_PER_L1_ENTRY)
  assert(l1Entries <= L1_ENTRIES_MAX, `a volume of ${sizeBytes} bytes is more than qcow2 can hold`)
  const l1Clusters = Math.max(1, Math.ceil((l1Entries * 8) / CLUSTER_BYTES))
  return {
    pieces: [
      { at: 0, bytes: header(sizeBytes, l1Entries, backingPath) },
      { at: TABLE_AT, bytes: bigEndian(8, [BLOCK_AT]) },
      // Each cluster of the file is used once: header, table, block, L1.
      {
        at: BLOCK_AT,
        bytes: bigEndian(
          2,
          Array.from({ length: 3 + l1Clusters }, () => 1),
        ),
      },
    ],
    lengthBytes: L1_AT + l1Clusters * CLUSTER_BYTES,
  }
}

function header(sizeBytes: number, l1Entries: number, backingPath: string | undefined): Uint8Array {
  const name = new TextEncoder().encode(backingPath ?? '')
  assert(name.length <= BACKING_NAME_MAX, `a path of ${name.length} bytes is too long for qcow2`)
  const extensions = backingPath === undefined ? [] : backingFormat()
  const nameAt = HEADER_BYTES + extensions.length + 8
  const bytes = new Uint8Array(nameAt + name.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC)
  view.setUint32(4, 3)
  view.setBigUint64(8, name.length === 0 ? 0n : BigInt(nameAt))
  view.setUint32(16, name.length)
  view.setUint32(20, CLUSTER_BITS)
  view.setBigUint64(24, BigInt(sizeBytes))
  view.setUint32(36, l1Entries)
  view.setBigUint64(40, BigInt(L1_AT))
  view.setBigUint64(48, BigInt(TABLE_AT))
  view.setUint32(56, 1)
  view.setUint32(96, REFCOUNT_ORDER)
  view.setUint32(100, HEADER_BYTES)
  bytes.set(extensions, HEADER_BYTES)
  bytes.set(name, nameAt)
  return bytes
}

/** Says that the backing file is qcow2, so that nobody ever guesses from its content. */
function backingFormat(): Uint8Array {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, EXTENSION_BACKING_FORMAT)
  view.setUint32(4, 5)
  bytes.set(new TextEncoder().encode('qcow2'), 8)
  return bytes
}

function bigEndian(width: 2 | 8, numbers: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(width * numbers.length))
  for (const [index, number] of numbers.entries()) {
    if (width === 2) view.setUint16(index * 2, number)
    else view.setBigUint64(index * 8, BigInt(number))
  }
  return new Uint8Array(view.buffer)
}
