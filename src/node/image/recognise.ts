// What a file is, by its bytes: never by its name or by what a server calls it. Headers that would make qemu-img open
// other files, or eat memory, are refused here, before any QEMU program sees the image.

/** Bytes from the start that recognition needs: an ISO 9660 volume says what it is at 32 KiB. */
export const HEAD_BYTES = 68 * 1024

export type Wrapper = 'xz' | 'gzip' | 'zstd'
export type DiskFormat = 'raw' | 'qcow2' | 'vmdk' | 'iso'

export type Recognised =
  | { readonly is: 'wrapped'; readonly by: Wrapper }
  | { readonly is: 'disk'; readonly format: DiskFormat; readonly plain: boolean }
  | { readonly is: 'refused'; readonly reason: string; readonly message: string }

/** Smallest disk: one sector. Bytes. */
const SECTOR = 512
/** QEMU's own limit of the L1 table, 32 MiB of 8-byte entries: more is a header made to eat memory. */
const L1_ENTRIES_MAX = (32 * 1024 * 1024) / 8
const QCOW2_MAGIC = 0x514649fb
const VMDK_MAGIC = 0x4b444d56
/** dirty, corrupt, compression type, extended L2; bit 2 (external data file) is refused with its own words. */
const QCOW2_KNOWN_INCOMPATIBLE = 0b11011n
const QCOW2_CORRUPT = 0b10n
const QCOW2_EXTERNAL_DATA = 0b100n
const QCOW2_COMPRESSION_TYPE = 0b1000n
const EXTENSION_EXTERNAL_DATA = 0x44415441
const EXTENSIONS_MAX = 64

const refused = (reason: string, message: string): Recognised => ({ is: 'refused', reason, message })

function textAt(head: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...head.subarray(offset, offset + length))
}

function startsWith(head: Uint8Array, ...bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}

/** Formats that hold files rather than one disk, and other things people send by mistake. */
function mistake(head: Uint8Array): Recognised | undefined {
  if (textAt(head, 257, 5) === 'ustar')
    return refused(
      'ArchiveNotImage',
      'this is a tar archive, not a disk image: unpack it and give the disk inside',
    )
  if (startsWith(head, 0x50, 0x4b, 3, 4))
    return refused(
      'ArchiveNotImage',
      'this is a zip archive, not a disk image: unpack it and give the disk inside',
    )
  if (startsWith(head, 0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c))
    return refused(
      'ArchiveNotImage',
      'this is a 7z archive, not a disk image: unpack it and give the disk inside',
    )
  if (startsWith(head, 0x42, 0x5a, 0x68))
    return refused(
      'WrapperNotServed',
      'bzip2 is not served: wrap the disk with xz, gzip or zstd, or not at all',
    )
  const start = textAt(head, 0, 512).trimStart().toLowerCase()
  if (start.startsWith('<!doctype html') || start.startsWith('<html'))
    return refused('WebPageNotImage', 'the address gave a web page, not a disk image: check the address')
  if (start.startsWith('# disk descriptorfile'))
    return refused(
      'ImageRefersToFiles',
      'this VMDK only names other files: give a single-file (monolithicSparse or streamOptimized) VMDK',
    )
  if (textAt(head, 0, 8) === 'vhdxfile' || textAt(head, 0, 8) === 'conectix')
    return refused(
      'FormatNotServed',
      'VHD images are not served: convert it to qcow2 first (qemu-img convert -O qcow2)',
    )
  if (textAt(head, 64, 4) === '\x7f\x10\xda\xbe')
    return refused(
      'FormatNotServed',
      'VDI images are not served: convert it to qcow2 first (qemu-img convert -O qcow2)',
    )
  return undefined
}

/** `sizeBytes` is that of the whole file. */
export function recognise(head: Uint8Array, sizeBytes: number): Recognised {
  if (sizeBytes === 0) return refused('ImageEmpty', 'the file is empty, not a disk image')
  if (startsWith(head, 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)) return { is: 'wrapped', by: 'xz' }
  if (startsWith(head, 0x1f, 0x8b)) return { is: 'wrapped', by: 'gzip' }
  if (startsWith(head, 0x28, 0xb5, 0x2f, 0xfd)) return { is: 'wrapped', by: 'zstd' }
  const wrong = mistake(head)
  if (wrong) return wrong
  if (sizeBytes < SECTOR)
    return refused(
      'ImageTooSmall',
      `the file has ${sizeBytes} bytes: not a disk image, the smallest disk is ${SECTOR}`,
    )
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const magic = view.getUint32(0)
  if (magic === QCOW2_MAGIC) return qcow2(view)
  if (magic === VMDK_MAGIC) return vmdk(head, view)
  if (textAt(head, 32769, 5) === 'CD001') return { is: 'disk', format: 'iso', plain: false }
  return { is: 'disk', format: 'raw', plain: false }
}

/** QEMU's docs/interop/qcow2: all fields big-endian. */
function qcow2(view: DataView): Recognised {
  if (view.byteLength < 104) return refused('ImageDamaged', 'the qcow2 header is cut off')
  const version = view.getUint32(4)
  if (version !== 2 && version !== 3)
    return refused('FormatNotServed', `qcow2 version ${version} is not known`)
  if (view.getBigUint64(8) !== 0n)
    return refused(
      'ImageRefersToFiles',
      'this qcow2 stands on a backing file: flatten it first (qemu-img convert -O qcow2)',
    )
  const clusterBits = view.getUint32(20)
  const sizeBytes = view.getBigUint64(24)
  if (clusterBits < 9 || clusterBits > 21 || sizeBytes > 1n << 60n)
    return refused('ImageDamaged', 'the qcow2 header holds impossible sizes')
  if (view.getUint32(32) !== 0)
    return refused('ImageEncrypted', 'this qcow2 is encrypted: decrypt it first, the platform cannot read it')
  const l1Entries = view.getUint32(36)
  if (l1Entries > L1_ENTRIES_MAX)
    return refused(
      'ImageDamaged',
      `the qcow2 header asks for an L1 table of ${l1Entries} entries: L1 size too big`,
    )
  const features = version === 3 ? view.getBigUint64(72) : 0n
  if (features & QCOW2_EXTERNAL_DATA || hasExternalData(view, version))
    return refused(
      'ImageRefersToFiles',
      'this qcow2 keeps its data in another file: flatten it first (qemu-img convert -O qcow2)',
    )
  if (features & ~QCOW2_KNOWN_INCOMPATIBLE)
    return refused('FormatNotServed', 'this qcow2 uses features that are not known here')
  if (features & QCOW2_CORRUPT)
    return refused('ImageDamaged', 'this qcow2 is marked as corrupt: repair it first (qemu-img check -r all)')
  const snapshots = view.getUint32(60)
  const plain =
    version === 3 &&
    snapshots === 0 &&
    (features & ~QCOW2_COMPRESSION_TYPE) === 0n &&
    view.getBigUint64(88) === 0n
  return { is: 'disk', format: 'qcow2', plain }
}

function hasExternalData(view: DataView, version: number): boolean {
  let at = version === 3 ? view.getUint32(100) : 72
  for (let count = 0; count < EXTENSIONS_MAX && at + 8 <= view.byteLength; count++) {
    const type = view.getUint32(at)
    if (type === 0) return false
    if (type === EXTENSION_EXTERNAL_DATA) return true
    at += 8 + Math.ceil(view.getUint32(at + 4) / 8) * 8
  }
  return false
}

/** VMware's sparse extent: little-endian header, the descriptor as text inside the file. */
function vmdk(head: Uint8Array, view: DataView): Recognised {
  const descriptorAt = Number(view.getBigUint64(28, true)) * SECTOR
  const descriptorBytes = Number(view.getBigUint64(36, true)) * SECTOR
  const grainTableEntries = view.getUint32(44, true)
  if (grainTableEntries > 4096)
    return refused('ImageDamaged', 'the VMDK header asks for an impossible grain table')
  if (descriptorAt === 0 || descriptorAt + descriptorBytes > head.byteLength)
    return refused(
      'FormatNotServed',
      'this VMDK has no descriptor of its own: give a monolithicSparse or streamOptimized one',
    )
  const descriptor = textAt(head, descriptorAt, Math.min(descriptorBytes, 20 * SECTOR))
  const parent = /parentCID\s*=\s*([0-9a-f]+)/i.exec(descriptor)?.[1]
  if (parent !== undefined && parent.toLowerCase() !== 'ffffffff')
    return refused('ImageRefersToFiles', 'this VMDK stands on a parent disk: flatten it first')
  const extents = descriptor.match(/^\s*(RW|RDONLY|NOACCESS)\s+\d+\s+\w+.*$/gm) ?? []
  if (extents.length !== 1 || !/\sSPARSE\s/.test(extents[0] ?? ''))
    return refused(
      'ImageRefersToFiles',
      'this VMDK names other files: give a single-file (monolithicSparse or streamOptimized) VMDK',
    )
  return { is: 'disk', format: 'vmdk', plain: false }
}
