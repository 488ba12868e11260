// Files and folders of the machine. Every answer is a Result; nothing here throws.
import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import { dirname } from 'node:path'
import { failed, ok, type Result } from '../../base/result.ts'
import type { FileStat, Files, OpenFile } from '../host.ts'
import { failureOf } from './failure.ts'

/** Files of a control plane are nobody else's business unless the caller says so. */
const DEFAULT_MODE = 0o600
const DEFAULT_FOLDER_MODE = 0o755

async function attempt<T>(doing: string, run: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await run())
  } catch (error) {
    return failed(failureOf(error, doing))
  }
}

export const realFiles: Files = {
  read: (path) => attempt(`reading ${path}`, () => fs.readFile(path)),
  readText: (path) => attempt(`reading ${path}`, () => fs.readFile(path, 'utf8')),
  readAt: (path, offset, length) => attempt(`reading ${path}`, () => readAt(path, offset, length)),
  writeDurable: (path, content, mode = DEFAULT_MODE) =>
    attempt(`writing ${path}`, () => writeDurable(path, content, mode)),
  open: (path, how, mode = DEFAULT_MODE) =>
    attempt(`opening ${path}`, async () => openFile(path, await fs.open(path, FLAGS[how], mode))),
  list: (folder) => attempt(`listing ${folder}`, async () => (await fs.readdir(folder)).sort()),
  stat: (path) => attempt(`looking at ${path}`, () => stat(path)),
  makeFolder: (path, mode = DEFAULT_FOLDER_MODE) =>
    attempt(`making the folder ${path}`, async () => void (await fs.mkdir(path, { recursive: true, mode }))),
  rename: (from, to) => attempt(`renaming ${from} to ${to}`, () => fs.rename(from, to)),
  link: (from, to) => attempt(`linking ${from} to ${to}`, () => fs.link(from, to)),
  remove: (path) => attempt(`removing ${path}`, () => fs.rm(path, { recursive: true, force: true })),
  chown: (path, uid, gid) => attempt(`changing the owner of ${path}`, () => fs.chown(path, uid, gid)),
  chmod: (path, mode) => attempt(`changing the mode of ${path}`, () => fs.chmod(path, mode)),
  space: (path) =>
    attempt(`measuring the space of ${path}`, async () => {
      const { blocks, bavail, bsize } = await fs.statfs(path)
      return { totalBytes: blocks * bsize, freeBytes: bavail * bsize }
    }),
  syncFolder: (path) => attempt(`syncing ${path}`, () => syncFolder(path)),
}

const FLAGS = {
  append: constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
  write: constants.O_RDWR | constants.O_CREAT,
  'create-new': constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
}

const TEMPORARY_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_SYNC
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY

async function readAt(path: string, offset: number, length: number): Promise<Uint8Array> {
  await using file = await fs.open(path, 'r')
  const buffer = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, offset + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return buffer.subarray(0, done)
}

async function stat(path: string): Promise<FileStat> {
  const found = await fs.lstat(path)
  return {
    sizeBytes: found.size,
    allocatedBytes: found.blocks * 512, // st_blocks counts units of 512 bytes whatever the block size is.
    modifiedMs: found.mtimeMs,
    mode: found.mode & 0o7777,
    kind: found.isFile()
      ? 'file'
      : found.isDirectory()
        ? 'folder'
        : found.isSymbolicLink()
          ? 'link'
          : found.isSocket()
            ? 'socket'
            : 'other',
  }
}

let temporaryNumber = 0
/** No umask takes anything from the owner; whether it takes from others is not asked but undone. */
const OTHERS_BITS = 0o077

/**
 * Each step that waits for another is a trip to a thread and back, which takes milliseconds on a busy machine, so that
 * there are four: O_SYNC makes the write itself durable, the folder is opened meanwhile, and nothing waits for a close.
 */
async function writeDurable(path: string, content: Uint8Array | string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}-${(temporaryNumber += 1)}.tmp`
  const opening = fs.open(dirname(path), FOLDER_FLAGS)
  opening.catch(() => undefined) // Told where it is awaited, or by the file's own failure.
  try {
    const file = await fs.open(temporary, TEMPORARY_FLAGS, mode)
    try {
      if ((mode & OTHERS_BITS) !== 0) await file.chmod(mode)
      await file.writeFile(content)
      await fs.rename(temporary, path)
    } finally {
      void file.close().catch(() => undefined) // Nothing hangs on it: the write was durable, or failed.
    }
    await (await opening).sync()
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  } finally {
    void opening.then((folder) => folder.close()).catch(() => undefined)
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await fs.open(path, FOLDER_FLAGS)
  await folder.sync()
}

function openFile(path: string, file: fs.FileHandle): OpenFile {
  return {
    write: (bytes, offset) =>
      attempt(`writing ${path}`, async () => {
        let done = 0
        while (done < bytes.byteLength) {
          const at = offset === undefined ? null : offset + done
          done += (await file.write(bytes, done, bytes.byteLength - done, at)).bytesWritten
        }
      }),
    truncate: (sizeBytes) => attempt(`resizing ${path}`, () => file.truncate(sizeBytes)),
    sync: () => attempt(`syncing ${path}`, () => file.sync()),
    close: () => file.close().catch(() => undefined), // What matters was told by sync().
  }
}
