// The store of a real machine: one SQLite file, appended to in groups with an fsync before anybody is answered.
// It has the file for itself, knows whether its content is sound, and keeps a reserve for a full disk.
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fdatasync,
  fsyncSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { type Failure, failed, ok, type Result } from '../base/result.ts'
import type { Keeper, Loaded, LogRecord, NewRecord } from './keeper.ts'
import { RevisionLog } from './revision-log.ts'
import { type Revision, type Store, type StoredEntry, StoreFullError } from './store.ts'

/** Raised whenever an older croft could misread the file. */
const SCHEMA_VERSION = 1
/** "crof" in ASCII: tells our file from any other SQLite file. */
const APPLICATION_ID = 0x63726f66
/** Room for about 1,500 deletions of objects with their events. Bytes. */
const RESERVE_BYTES = 16 * 1024 * 1024
/** How often it is looked whether the disk has room again for the reserve. Milliseconds. */
const RESERVE_LOOK_MS = 1000
/** Pages written before the write-ahead log is copied into the file: small bites keep every pause short. */
const CHECKPOINT_PAGES = 512
const PAGE_BYTES = 4096
/** Below this much unused space in the file (16 MiB) it is left for the next writes. Pages. */
const UNUSED_PAGES_KEPT = 4096
/** Given back to the disk in one bite; each moves a page from the end of the file. Pages. */
const SHRINK_PAGES = 256
/** A process that is just ending gets this long to let go of the file. Milliseconds. */
const BUSY_TIMEOUT_MS = 200

const SCHEMA = `
  CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    created INTEGER NOT NULL,   -- revision that created the key
    previous INTEGER NOT NULL,  -- revision that this one replaces, 0 for a create
    crc INTEGER NOT NULL,       -- of key and value
    value BLOB                  -- NULL for a delete
  ) STRICT;
  CREATE TABLE state (name TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO state VALUES ('compacted', 0);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/** Makes what was written to an open file durable; resolves then. */
export type Sync = (file: number) => Promise<void>

/**
 * Opens or creates the state database. Beside it lie its write-ahead log, `-reserve` and `-holder` (who has it open).
 * Failures: StoreInUse, StoreTooNew, StoreDamaged, NoSpace, PermissionDenied, StoreUnreadable.
 */
export function openSqliteStore(path: string, sync: Sync = promisify(fdatasync)): Result<Store> {
  let database: DatabaseSync | undefined
  try {
    createPrivately(path)
    database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    prepare(database)
    const loaded = load(database)
    const keeper = sqliteKeeper(database, path, sync)
    return ok(new RevisionLog(keeper, loaded, setImmediate))
  } catch (error) {
    database?.close()
    return failed(openFailure(error, path))
  }
}

// --- opening ---

/** The file holds secrets; SQLite gives its other files the same mode. */
function createPrivately(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
  syncFolder(path)
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/**
 * `synchronous=NORMAL` makes SQLite sync what a checkpoint needs, in its order, but not each commit: that is ours to do,
 * on the log's file, while the main thread goes on (see `keep`).
 */
function prepare(database: DatabaseSync): void {
  database.exec(`
    PRAGMA auto_vacuum = INCREMENTAL;
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA cache_size = -2000;
    PRAGMA temp_store = MEMORY;
  `)
  database.exec('BEGIN IMMEDIATE') // Takes the lock for good.
  const version = numberOf(database, 'PRAGMA user_version')
  const application = numberOf(database, 'PRAGMA application_id')
  if (version === 0 && application === 0 && numberOf(database, 'SELECT count(*) FROM sqlite_schema') === 0)
    database.exec(SCHEMA)
  else if (application !== APPLICATION_ID) throw new DamagedError('it is not a state database of croft')
  else if (version > SCHEMA_VERSION) throw new TooNewError(version)
  database.exec('COMMIT')
}

function numberOf(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0])
}

type HeadRow = [revision: number, key: string, created: number, previous: number, deleted: number]

function load(database: DatabaseSync): Loaded {
  const compacted = numberOf(database, `SELECT number FROM state WHERE name = 'compacted'`)
  const heads = database.prepare(
    'SELECT revision, key, created, previous, value IS NULL FROM log ORDER BY revision',
    { returnArrays: true },
  )
  const live = new Map<string, LogRecord>()
  const history: LogRecord[] = []
  let last = compacted
  for (const row of heads.iterate()) {
    const [revision, given, createRevision, previousRevision, deleted] = row as unknown as HeadRow
    const before = live.get(given)
    const key = before?.key ?? given // One string a key.
    if (previousRevision !== (before?.revision ?? 0) && revision > compacted)
      throw new DamagedError(`revision ${previousRevision} of ${key} is missing`)
    const record = { revision, key, createRevision, previousRevision, deleted: deleted === 1 }
    if (record.deleted) live.delete(key)
    else live.set(key, record)
    if (revision > compacted) history.push(record)
    last = Math.max(last, revision)
  }
  return { entries: loadEntries(database, live), history, revision: last, compacted }
}

function loadEntries(database: DatabaseSync, live: ReadonlyMap<string, LogRecord>): readonly StoredEntry[] {
  const read = valueReader(database)
  const entries: StoredEntry[] = []
  for (const { key, revision, createRevision } of live.values())
    entries.push({ key, revision, createRevision, value: read(revision) })
  return entries
}

function valueReader(database: DatabaseSync): (revision: Revision) => Uint8Array {
  const select = database.prepare('SELECT key, crc, value FROM log WHERE revision = ?', {
    returnArrays: true,
  })
  return (revision) => {
    const row = select.get(revision) as unknown as [string, number, Uint8Array | null] | undefined
    const [key, crc, value] = row ?? ['', 0, null]
    if (value === null) throw new DamagedError(`the value of revision ${revision} is missing`)
    if (crc !== checksum(key, value)) throw new DamagedError(`the value of ${key} has changed on the disk`)
    return value
  }
}

function checksum(key: string, value: Uint8Array | undefined): number {
  const ofKey = crc32(key)
  return value === undefined ? ofKey : crc32(value, ofKey)
}

class DamagedError extends Error {
  override readonly name = 'DamagedError'
}

class TooNewError extends Error {
  override readonly name = 'TooNewError'
  readonly version: number
  constructor(version: number) {
    super(`schema version ${version}`)
    this.version = version
  }
}

function openFailure(error: unknown, path: string): Failure {
  const never = (reason: string, message: string): Failure => ({ reason, message, retry: 'never' })
  const text = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  if (error instanceof TooNewError)
    return never(
      'StoreTooNew',
      `${path} was written by a newer croft (schema ${error.version}, this one knows ${SCHEMA_VERSION}); start the newer version`,
    )
  if (error instanceof DamagedError || code === SQLITE.corrupt || code === SQLITE.notADatabase)
    return never(
      'StoreDamaged',
      `${path} is damaged (${text}); check the disk, then restore the file from a backup or move it away to start empty`,
    )
  if (code === SQLITE.busy)
    return {
      reason: 'StoreInUse',
      message: `${path} is in use by ${holderText(path)}; stop that first`,
      retry: 'later',
    }
  if (code === SQLITE.full || code === 'ENOSPC')
    return {
      reason: 'NoSpace',
      message: `the disk of ${path} is full; free some space there`,
      retry: 'later',
    }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === SQLITE.readOnly)
    return never('PermissionDenied', `${path} is not writable; run as root or choose another data folder`)
  return never('StoreUnreadable', `opening ${path}: ${text}`)
}

/** Primary result codes of SQLite. */
const SQLITE = { busy: 5, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const

function codeOf(error: unknown): number | string | undefined {
  if (!(error instanceof Error)) return undefined
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

// --- who has it open ---

function holderText(path: string): string {
  try {
    const { pid, since } = JSON.parse(readFileSync(`${path}-holder`, 'utf8')) as {
      pid: number
      since: string
    }
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()
    return `process ${pid} since ${since} (${command})`
  } catch {
    return 'another process'
  }
}

/** Only a sentence in the refusal hangs on this file, so that it need not be durable. */
function noteHolder(path: string): void {
  const note = { pid: process.pid, since: new Date().toISOString() }
  writeFileSync(`${path}-holder`, JSON.stringify(note), { mode: 0o600 })
}

// --- keeping ---

function sqliteKeeper(database: DatabaseSync, path: string, sync: Sync): Keeper {
  const insert = database.prepare('INSERT INTO log VALUES (?, ?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM log WHERE revision = ?')
  const mark = database.prepare(`UPDATE state SET number = ? WHERE name = 'compacted'`)
  const unused = database.prepare('PRAGMA freelist_count', { returnArrays: true })
  const checkpointer = walCheckpointer(database)
  const reserve = diskReserve(`${path}-reserve`)
  tolerateFull(() => noteHolder(path))
  const log = openLog(path)
  return {
    keep(records) {
      transaction(database, () => {
        for (const record of records) insertRecord(insert, record)
      })
      checkpointer.wrote(
        records.reduce((pages, { value }) => pages + 2 + (value?.byteLength ?? 0) / PAGE_BYTES, 0),
      )
      return sync(log)
    },
    read: valueReader(database),
    forget(revisions, compacted) {
      transaction(database, () => {
        for (const revision of revisions) remove.run(revision)
        mark.run(compacted)
      })
      const shrinks = Number(Object.values(unused.get() ?? {})[0]) > UNUSED_PAGES_KEPT
      if (shrinks) tolerateFull(() => database.exec(`PRAGMA incremental_vacuum(${SHRINK_PAGES})`))
      checkpointer.wrote(revisions.length + (shrinks ? SHRINK_PAGES : 0))
    },
    isScarce: reserve.isOpen,
    openReserve: reserve.open,
    close() {
      rmSync(`${path}-holder`, { force: true })
      database.close()
      closeSync(log)
    },
  }
}

/**
 * The write-ahead log, which stays one and the same file while the database is open. SQLite's locks lie on the database
 * itself, so that closing this does not loosen them.
 */
function openLog(path: string): number {
  const log = openSync(`${path}-wal`, 'r+')
  fsyncSync(log)
  syncFolder(path)
  return log
}

function insertRecord(insert: StatementSync, record: NewRecord): void {
  const { revision, key, createRevision, previousRevision, value } = record
  insert.run(revision, key, createRevision, previousRevision, checksum(key, value), value ?? null)
}

function transaction(database: DatabaseSync, run: () => void): void {
  try {
    database.exec('BEGIN IMMEDIATE')
    run()
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    if (codeOf(error) !== SQLITE.full) throw error
    throw new StoreFullError('the disk of the state database is full; free some space there')
  }
}

/** Copies the write-ahead log into the file in small bites, between requests rather than within one. */
function walCheckpointer(database: DatabaseSync): { wrote(pages: number): void } {
  let pages = 0
  let planned = false
  const checkpoint = (): void => {
    planned = false
    if (!database.isOpen) return
    pages = 0
    // On a full disk the content stays in the log, which is just as durable; the next bite tries again.
    tolerateFull(() => database.exec('PRAGMA wal_checkpoint(PASSIVE)'))
  }
  return {
    wrote(more) {
      pages += more
      if (pages < CHECKPOINT_PAGES || planned) return
      planned = true
      setImmediate(checkpoint)
    },
  }
}

/** A file that takes up space, to be given back to the disk when nothing else is left. */
function diskReserve(path: string): { isOpen(): boolean; open(): boolean } {
  let held = tolerateFull(() => holdReserve(path))
  let lookAgain = Date.now() + RESERVE_LOOK_MS
  const retake = (): void => {
    if (held || Date.now() < lookAgain) return
    lookAgain = Date.now() + RESERVE_LOOK_MS
    const { bavail, bsize } = statfsSync(dirname(path))
    held = bavail * bsize > 2 * RESERVE_BYTES && tolerateFull(() => holdReserve(path))
  }
  return {
    isOpen() {
      retake()
      return !held
    },
    open() {
      if (!held) return true
      rmSync(path, { force: true })
      held = false
      lookAgain = Date.now() + RESERVE_LOOK_MS
      return true
    },
  }
}

function holdReserve(path: string): void {
  // Blocks of 512 bytes, whatever the file system's own are.
  const found = statSync(path, { throwIfNoEntry: false })
  if (found !== undefined && found.blocks * 512 >= RESERVE_BYTES) return
  const file = openSync(path, 'w', 0o600)
  try {
    const block = randomBytes(1024 * 1024) // Zeros take up no space on file systems that compress.
    for (let done = 0; done < RESERVE_BYTES; done += block.byteLength) writeSync(file, block)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

/** Runs it; false when the disk is too full for it. */
function tolerateFull(run: () => void): boolean {
  try {
    run()
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === SQLITE.full || code === 'ENOSPC' || code === 'EDQUOT') return false
    throw error
  }
}
