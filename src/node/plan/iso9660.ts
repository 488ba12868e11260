// Writes small ISO 9660 images: Rock Ridge names for Linux, Joliet names for Windows, and upper-case names that are
// close enough where neither is read. Pure and deterministic: the same files give the same bytes.
// Sources: ECMA-119 (volume descriptors, path tables, directory records), IEEE P1281/P1282 (SUSP, Rock Ridge), Joliet.
import { failed, ok, type Result } from '../../base/result.ts'
import { both16, both32, viewOf } from './iso-numbers.ts'
import { alternateName, attributes, extension, sharing } from './rock-ridge.ts'

export interface IsoFile {
  /** Relative, parts separated by `/`. */
  readonly path: string
  readonly content: Uint8Array
}

export interface IsoInput {
  /** Volume label; letters, digits and `-_`, at most 32 (16 of them in Joliet). */
  readonly label: string
  readonly files: readonly IsoFile[]
  /** Date of everything on it. Milliseconds since 1970. */
  readonly at: number
}

const SECTOR = 2048
/**
 * Zeros at the end, as many as mkisofs adds: readers look ahead, and busybox takes no file system below 68 KiB for one.
 * Sectors.
 */
const PADDING = 150
/** Volume descriptors begin after sixteen sectors for the system. */
const FIRST_DESCRIPTOR = 16
/** What fits into a directory record with its Rock Ridge entries without a continuation area. UTF-8 bytes. */
const NAME_MAX_BYTES = 128
/** Joliet's own limit of characters. */
const JOLIET_NAME_MAX = 64
/** Level 2 of ISO 9660 allows 31; a dot and the version take their part. */
const PLAIN_NAME_MAX = 27

interface Entry {
  readonly name: string
  readonly parent: Folder | undefined
}
interface FileEntry extends Entry {
  readonly content: Uint8Array
  sector: number
}
interface Folder extends Entry {
  readonly folders: Folder[]
  readonly files: FileEntry[]
  /** Where its records stand in each of the two trees. */
  readonly sector: [number, number]
  readonly size: [number, number]
  readonly depth: number
  /** Number in the path tables, from 1. */
  number: number
}

type Tree = 0 | 1
const PLAIN: Tree = 0
const JOLIET: Tree = 1

/** Failure `NameTooLong` or `NameInvalid` when a file cannot be put on the image under its name. */
export function writeIso(input: IsoInput): Result<Uint8Array> {
  for (const { path } of input.files) {
    for (const part of path.split('/')) {
      const bytes = new TextEncoder().encode(part).length
      if (part === '' || part === '.' || part === '..' || part.includes('\0'))
        return failed({
          reason: 'NameInvalid',
          message: `file name ${path} cannot be put on a disk image`,
          retry: 'never',
        })
      if (bytes > NAME_MAX_BYTES)
        return failed({
          reason: 'NameTooLong',
          message: `file name ${path} is longer than ${NAME_MAX_BYTES} bytes: shorten it`,
          retry: 'never',
        })
    }
  }
  const folders = treeOf(input.files)
  const tables = [tableSize(folders, PLAIN), tableSize(folders, JOLIET)] as const
  const at = layOut(folders, tables)
  const image = new Uint8Array(at.total * SECTOR)
  descriptor(image, input, { tree: PLAIN, folders, at, tables })
  descriptor(image, input, { tree: JOLIET, folders, at, tables })
  terminator(image, FIRST_DESCRIPTOR + 2)
  for (const tree of [PLAIN, JOLIET] as const) {
    pathTable(image, folders, tree, { sector: at.tables[tree][0], bigEndian: false })
    pathTable(image, folders, tree, { sector: at.tables[tree][1], bigEndian: true })
    for (const folder of folders)
      image.set(folderRecords(folder, tree, input.at), folder.sector[tree] * SECTOR)
  }
  for (const folder of folders) for (const file of folder.files) image.set(file.content, file.sector * SECTOR)
  return ok(image)
}

function treeOf(files: readonly IsoFile[]): readonly Folder[] {
  const folders: Folder[] = []
  const make = (name: string, parent: Folder | undefined): Folder => {
    const folder: Folder = {
      name,
      parent,
      folders: [],
      files: [],
      sector: [0, 0],
      size: [0, 0],
      depth: parent ? parent.depth + 1 : 0,
      number: 0,
    }
    folders.push(folder)
    parent?.folders.push(folder)
    return folder
  }
  const root = make('', undefined)
  for (const { path, content } of files) {
    const parts = path.split('/')
    const name = parts.pop() ?? ''
    let folder = root
    for (const part of parts) folder = folder.folders.find((one) => one.name === part) ?? make(part, folder)
    folder.files.push({ name, parent: folder, content, sector: 0 })
  }
  // Path tables are ordered by level.
  const ordered = folders.toSorted((a, b) => a.depth - b.depth)
  for (const [index, folder] of ordered.entries()) folder.number = index + 1
  return ordered
}

interface Layout {
  readonly total: number
  /** Little-endian and big-endian path table of each tree. */
  readonly tables: readonly [readonly [number, number], readonly [number, number]]
}

function layOut(folders: readonly Folder[], tables: readonly [number, number]): Layout {
  let next = FIRST_DESCRIPTOR + 3
  const take = (bytes: number): number => {
    const sector = next
    next += Math.ceil(bytes / SECTOR)
    return sector
  }
  const places = [
    [take(tables[PLAIN]), take(tables[PLAIN])],
    [take(tables[JOLIET]), take(tables[JOLIET])],
  ] as const
  for (const tree of [PLAIN, JOLIET] as const) {
    for (const folder of folders) {
      folder.size[tree] = folderRecords(folder, tree, 0).length
      folder.sector[tree] = take(folder.size[tree])
    }
  }
  for (const folder of folders) for (const file of folder.files) file.sector = take(file.content.length)
  return { total: next + PADDING, tables: places }
}

// --- names ---

function encodeName(name: string, tree: Tree): Uint8Array {
  if (tree === PLAIN) return new TextEncoder().encode(name)
  const bytes = new Uint8Array(name.length * 2)
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index)
    bytes[index * 2] = code >> 8
    bytes[index * 2 + 1] = code & 0xff
  }
  return bytes
}

/** Names as written in the records of a tree, unique within their folder; Rock Ridge has the true ones. */
function recordNames(folder: Folder, tree: Tree): ReadonlyMap<Entry, string> {
  const used = new Set<string>()
  const names = new Map<Entry, string>()
  for (const entry of [...folder.folders, ...folder.files]) {
    const plain = tree === PLAIN ? plainName(entry.name) : jolietName(entry.name)
    let name = plain
    for (let count = 1; used.has(name.toUpperCase()); count += 1) {
      const tail = String(count)
      name = plain.slice(0, (tree === PLAIN ? PLAIN_NAME_MAX : JOLIET_NAME_MAX) - tail.length) + tail
    }
    used.add(name.toUpperCase())
    names.set(entry, name)
  }
  return names
}

function plainName(name: string): string {
  return name
    .toUpperCase()
    .replace(/[^A-Z0-9_.-]/g, '_')
    .slice(0, PLAIN_NAME_MAX)
}

function jolietName(name: string): string {
  return name.replace(/[*/:;?\\]/g, '_').slice(0, JOLIET_NAME_MAX)
}

// --- directory records ---

interface Target {
  readonly sector: number
  readonly size: number
  readonly folder: boolean
  readonly at: number
}

function folderRecords(folder: Folder, tree: Tree, at: number): Uint8Array {
  const names = recordNames(folder, tree)
  const self: Target = { sector: folder.sector[tree], size: folder.size[tree], folder: true, at }
  const up = folder.parent ?? folder
  const above: Target = { sector: up.sector[tree], size: up.size[tree], folder: true, at }
  const root = folder.parent === undefined
  const rock = tree === PLAIN
  const records = [
    record(
      Uint8Array.of(0),
      self,
      rock ? [...(root ? [sharing()] : []), attributes(true), ...(root ? [extension()] : [])] : [],
    ),
    record(Uint8Array.of(1), above, rock ? [attributes(true)] : []),
    ...folder.folders.map((child) => {
      const target = { sector: child.sector[tree], size: child.size[tree], folder: true, at }
      const name = encodeName(names.get(child) ?? '', tree)
      return {
        name,
        bytes: record(name, target, rock ? [attributes(target.folder), alternateName(child.name)] : []),
      }
    }),
    ...folder.files.map((child) => {
      const target = { sector: child.sector, size: child.content.length, folder: false, at }
      const name = encodeName(`${names.get(child) ?? ''};1`, tree)
      return {
        name,
        bytes: record(name, target, rock ? [attributes(target.folder), alternateName(child.name)] : []),
      }
    }),
  ]
  const [dot, dotDot, ...rest] = records as [
    Uint8Array,
    Uint8Array,
    ...{ name: Uint8Array; bytes: Uint8Array }[],
  ]
  const sorted = rest.sort((a, b) => compareBytes(a.name, b.name)).map((one) => one.bytes)
  return packSectors([dot, dotDot, ...sorted])
}

function record(name: Uint8Array, target: Target, entries: readonly Uint8Array[]): Uint8Array {
  const padded = name.length + ((name.length + 1) % 2)
  const extra = entries.reduce((sum, entry) => sum + entry.length, 0)
  const length = 33 + padded + extra
  const bytes = new Uint8Array(length + (length % 2))
  const view = viewOf(bytes)
  bytes[0] = bytes.length
  both32(view, 2, target.sector)
  both32(view, 10, target.size)
  bytes.set(shortDate(target.at), 18)
  bytes[25] = target.folder ? 2 : 0
  both16(view, 28, 1)
  bytes[32] = name.length
  bytes.set(name, 33)
  let offset = 33 + padded
  for (const entry of entries) {
    bytes.set(entry, offset)
    offset += entry.length
  }
  return bytes
}

/** Records do not cross sectors. */
function packSectors(records: readonly Uint8Array[]): Uint8Array {
  const places: number[] = []
  let offset = 0
  for (const one of records) {
    const left = SECTOR - (offset % SECTOR)
    if (one.length > left) offset += left
    places.push(offset)
    offset += one.length
  }
  const packed = new Uint8Array(Math.ceil(offset / SECTOR) * SECTOR)
  for (const [index, one] of records.entries()) packed.set(one, places[index])
  return packed
}

function shortDate(at: number): Uint8Array {
  const date = new Date(at)
  return Uint8Array.of(
    date.getUTCFullYear() - 1900,
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
    0,
  )
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

// --- path tables ---

function tableName(folder: Folder, tree: Tree): Uint8Array {
  if (!folder.parent) return Uint8Array.of(0)
  return encodeName(recordNames(folder.parent, tree).get(folder) ?? '', tree)
}

function tableSize(folders: readonly Folder[], tree: Tree): number {
  return folders.reduce((sum, folder) => {
    const { length } = tableName(folder, tree)
    return sum + 8 + length + (length % 2)
  }, 0)
}

function pathTable(
  image: Uint8Array,
  folders: readonly Folder[],
  tree: Tree,
  { sector, bigEndian }: { readonly sector: number; readonly bigEndian: boolean },
): void {
  const view = viewOf(image)
  let offset = sector * SECTOR
  for (const folder of folders) {
    const name = tableName(folder, tree)
    image[offset] = name.length
    view.setUint32(offset + 2, folder.sector[tree], !bigEndian)
    view.setUint16(offset + 6, folder.parent?.number ?? 1, !bigEndian)
    image.set(name, offset + 8)
    offset += 8 + name.length + (name.length % 2)
  }
}

// --- volume descriptors ---

interface DescriptorInput {
  readonly tree: Tree
  readonly folders: readonly Folder[]
  readonly at: Layout
  readonly tables: readonly [number, number]
}

function descriptor(
  image: Uint8Array,
  input: IsoInput,
  { tree, folders, at, tables }: DescriptorInput,
): void {
  const bytes = image.subarray((FIRST_DESCRIPTOR + tree) * SECTOR, (FIRST_DESCRIPTOR + tree + 1) * SECTOR)
  const view = viewOf(bytes)
  const [root] = folders
  bytes[0] = tree === PLAIN ? 1 : 2
  bytes.set(new TextEncoder().encode('CD001'), 1)
  bytes[6] = 1
  text(bytes, tree, { offset: 8, length: 32, value: '' })
  text(bytes, tree, { offset: 40, length: 32, value: input.label })
  both32(view, 80, at.total)
  // %/E: Joliet level 3, names in UCS-2.
  if (tree === JOLIET) bytes.set(Uint8Array.of(0x25, 0x2f, 0x45), 88)
  both16(view, 120, 1)
  both16(view, 124, 1)
  both16(view, 128, SECTOR)
  both32(view, 132, tables[tree])
  view.setUint32(140, at.tables[tree][0], true)
  view.setUint32(148, at.tables[tree][1], false)
  if (root) {
    const target = { sector: root.sector[tree], size: root.size[tree], folder: true, at: input.at }
    bytes.set(record(Uint8Array.of(0), target, []), 156)
  }
  for (const [offset, length] of [
    [190, 128],
    [318, 128],
    [446, 128],
    [574, 128],
    [702, 37],
    [739, 37],
    [776, 37],
  ] as const)
    text(bytes, tree, { offset, length, value: '' })
  const date = longDate(input.at)
  bytes.set(date, 813)
  bytes.set(date, 830)
  bytes.set(longDate(undefined), 847)
  bytes.set(longDate(undefined), 864)
  bytes[881] = 1
}

/** Text padded with spaces, in the tree's own letters. */
function text(
  bytes: Uint8Array,
  tree: Tree,
  { offset, length, value }: { readonly offset: number; readonly length: number; readonly value: string },
): void {
  const letters = tree === PLAIN ? length : Math.floor(length / 2)
  const encoded = encodeName(value.slice(0, letters).padEnd(letters, ' '), tree)
  bytes.set(encoded.subarray(0, length), offset)
}

function longDate(at: number | undefined): Uint8Array {
  if (at === undefined) return Uint8Array.of(...new TextEncoder().encode('0'.repeat(16)), 0)
  const digits = new Date(at).toISOString().replace(/\D/g, '').slice(0, 16)
  return Uint8Array.of(...new TextEncoder().encode(digits), 0)
}

function terminator(image: Uint8Array, sector: number): void {
  image[sector * SECTOR] = 255
  image.set(new TextEncoder().encode('CD001'), sector * SECTOR + 1)
  image[sector * SECTOR + 6] = 1
}
