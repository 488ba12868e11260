// The state store: an append-only log of revisions with compare-and-swap and watch, the part of etcd that
// Kubernetes needs. Values are bytes; what they mean is the API server's matter. One law suite tests every store.

/** Strictly rising over the whole store; 1 is the first write. Safe integer. */
export type Revision = number

/** A range at this revision also shows writes that were accepted and are being committed, as `get` does. */
export const ACCEPTED: Revision = Number.MAX_SAFE_INTEGER

export interface StoredEntry {
  /** `/registry/<group or core>/<resource>/[<namespace>/]<name>`; compared bytewise. */
  readonly key: string
  /** Never edited after it is handed over, on either side. */
  readonly value: Uint8Array
  readonly revision: Revision
  readonly createRevision: Revision
}

export interface StoreEvent {
  readonly type: 'put' | 'delete'
  readonly key: string
  readonly revision: Revision
  /** The value after a put. Absent for a delete. */
  readonly value?: Uint8Array
  /** The entry before, absent for a create. */
  readonly previous?: StoredEntry
}

export interface RangePage {
  readonly entries: readonly StoredEntry[]
  /** Revision that the whole page is a snapshot of. */
  readonly revision: Revision
  /** Entries with the prefix after the last one given. */
  readonly remaining: number
}

export interface RangeOptions {
  /** Snapshot to read; the latest when absent. Older than the compaction point throws CompactedError. */
  readonly revision?: Revision
  readonly limit?: number
  /** Only keys after this one. */
  readonly after?: string
}

/** `expected` revision 0 means the key must not exist. */
export type StoreWrite =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly expected: Revision }
  | { readonly type: 'delete'; readonly key: string; readonly expected: Revision }

export type WriteOutcome =
  | { readonly ok: true; readonly revision: Revision }
  /** Somebody else was first; `current` is what stands there now. */
  | { readonly ok: false; readonly current: StoredEntry | undefined }

export interface Store {
  /** Latest entry; includes writes that were accepted and are being committed. */
  get(key: string): StoredEntry | undefined
  range(prefix: string, options?: RangeOptions): RangePage
  count(prefix: string): number
  /**
   * Compare-and-swap of one key. The revision is fixed synchronously, in call order; the promise resolves after the
   * write is durable (fsynced), and watchers hear of it only then. Rejects with StoreFullError when the disk is full
   * (deletes and updates that hardly grow have a reserve) or StoreClosedError.
   */
  write(write: StoreWrite): Promise<WriteOutcome>
  /**
   * Events with revision > `after`, in order, each once. Those that are durable already are told before `watch`
   * returns, so that the listener must be ready for them. Throws CompactedError when that history is gone.
   */
  watch(prefix: string, after: Revision, listener: (event: StoreEvent) => void): () => void
  /** Latest durable revision. */
  revision(): Revision
  /**
   * Resolves when this accepted revision is durable, for whoever answers with what `get` showed: a reader must not
   * learn of a write that a crash can still undo. Rejects as that write does when it is refused.
   */
  settled(revision: Revision): Promise<void>
  /** Oldest revision that can still be read or watched from. */
  compacted(): Revision
  /** Forgets history up to and including `upTo`, in small slices; the latest entry of each key always stays. */
  compact(upTo: Revision): Promise<void>
  close(): Promise<void>
}

export class CompactedError extends Error {
  override readonly name = 'CompactedError'
  readonly oldest: Revision
  constructor(oldest: Revision) {
    super(`required revision has been compacted; the oldest is ${oldest}`)
    this.oldest = oldest
  }
}

export class StoreFullError extends Error {
  override readonly name = 'StoreFullError'
}

export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError'
}
