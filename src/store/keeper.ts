// What stands below the rules of the store: something that keeps records durably and gives old values back.
import type { Revision, StoredEntry } from './store.ts'

/** One line of the log. */
export interface LogRecord {
  readonly revision: Revision
  readonly key: string
  /** Revision that created the key; for a delete, of the entry that went. */
  readonly createRevision: Revision
  /** Revision that this one replaces, 0 for a create. */
  readonly previousRevision: Revision
  readonly deleted: boolean
}

/** A record on its way to the disk. */
export interface NewRecord extends LogRecord {
  readonly value: Uint8Array | undefined
}

/** What keeps the records. All calls are short and blocking; only the disk's own writing is waited for elsewhere. */
export interface Keeper {
  /**
   * Keeps them in one transaction. They are durable when the promise resolves, or on return without one; the next call
   * comes only after that. Throws StoreFullError when nothing was kept for lack of space; any other error, thrown or
   * rejected with, ends the store.
   */
  keep(records: readonly NewRecord[]): Promise<void> | undefined
  /** Value of a put that was kept and not forgotten. */
  read(revision: Revision): Uint8Array
  /** Removes these revisions and remembers that history up to `compacted` is gone; a power cut may undo it. */
  forget(revisions: readonly Revision[], compacted: Revision): void
  /** True while the reserve is in use: only writes that free space or hardly take any are accepted. */
  isScarce(): boolean
  /** Falls back on the reserve after StoreFullError; false when there is none. */
  openReserve(): boolean
  /** Nothing is being kept any more. */
  close(): void
}

/** What a store starts with. */
export interface Loaded {
  readonly entries: readonly StoredEntry[]
  /** Everything after `compacted`, in order. */
  readonly history: readonly LogRecord[]
  readonly revision: Revision
  readonly compacted: Revision
}
