// The rules that every store obeys, over something that keeps records: compare-and-swap in call order, group commit,
// snapshots, watches and compaction. Latest values are held in memory once; older ones are read back when asked for.
import { assert } from '../base/assert.ts'
import type { Keeper, Loaded, LogRecord, NewRecord } from './keeper.ts'
import { compareKeys } from './order.ts'
import { firstIndex, SortedKeys } from './sorted-keys.ts'
import {
  CompactedError,
  type RangeOptions,
  type RangePage,
  type Revision,
  type Store,
  StoreClosedError,
  type StoredEntry,
  type StoreEvent,
  StoreFullError,
  type StoreWrite,
  type WriteOutcome,
} from './store.ts'
import { tellOne, Watchers } from './watchers.ts'

/** Records forgotten in one bite: a bite must stay far below the time of a request. */
const COMPACTION_BITE = 256
/** While space is scarce an update may be this much larger than what it replaces (a deletion mark, a condition). Bytes. */
const SCARCE_GROWTH_BYTES = 2048
/** Forgotten records are cut off the history array only when this many have gathered, as cutting moves the rest. */
const HISTORY_CUT = 4096

interface Pending {
  readonly record: NewRecord
  readonly previous: StoredEntry | undefined
  resolve: (outcome: WriteOutcome) => void
  reject: (error: Error) => void
}

export class RevisionLog implements Store {
  readonly #keeper: Keeper
  readonly #defer: (call: () => void) => void
  readonly #entries: Map<string, StoredEntry>
  readonly #keys: SortedKeys
  /** Accepted records after the compaction point; those not yet durable are the last `#pending.length`. */
  #history: LogRecord[]
  #forgotten = 0
  /** Accepted and not yet durable: the group that is being kept, then those that gather for the next one. */
  #pending: Pending[] = []
  /** A group is being kept. */
  #keeping = false
  /** The next group will be kept soon. */
  #planned = false
  #closing: Promise<void> | undefined
  readonly #watchers = new Watchers()
  #last: Revision
  #durable: Revision
  #compacted: Revision
  #ended: Error | undefined

  /** `defer` decides how long writes gather before they are kept together. */
  constructor(keeper: Keeper, loaded: Loaded, defer: (call: () => void) => void) {
    this.#keeper = keeper
    this.#defer = defer
    this.#entries = new Map(loaded.entries.map((entry) => [entry.key, entry]))
    this.#keys = new SortedKeys(this.#entries.keys())
    this.#history = [...loaded.history]
    this.#last = this.#durable = loaded.revision
    this.#compacted = loaded.compacted
  }

  revision(): Revision {
    return this.#durable
  }

  compacted(): Revision {
    return this.#compacted
  }

  settled(revision: Revision): Promise<void> {
    if (revision <= this.#durable) return Promise.resolve()
    const pending = this.#pending.find(({ record }) => record.revision === revision)
    // Taken back in the meantime: what was seen is not there any more.
    if (pending === undefined) return Promise.reject(this.#ended ?? fullError())
    const { resolve, reject } = pending
    return new Promise((settle, fail) => {
      pending.resolve = (outcome) => {
        resolve(outcome)
        if (outcome.ok) settle()
        else fail(fullError())
      }
      pending.reject = (error) => {
        reject(error)
        fail(error)
      }
    })
  }

  get(key: string): StoredEntry | undefined {
    return this.#entries.get(key)
  }

  count(prefix: string): number {
    return this.#keys.count(prefix)
  }

  // --- writing ---

  write(write: StoreWrite): Promise<WriteOutcome> {
    if (this.#ended) return Promise.reject(this.#ended)
    if (this.#closing) return Promise.reject(closedError())
    assert(isKey(write.key), `not a key: ${JSON.stringify(write.key)}`)
    const current = this.#entries.get(write.key)
    if ((current?.revision ?? 0) !== write.expected || (write.type === 'delete' && current === undefined))
      return Promise.resolve({ ok: false, current })
    if (this.#keeper.isScarce() && !isSparing(write.type === 'put' ? write.value : undefined, current))
      return Promise.reject(fullError())
    const record = this.#recordOf(write, current, (this.#last += 1))
    this.#apply(record)
    this.#history.push(withoutValue(record))
    return new Promise((resolve, reject) => {
      this.#pending.push({ record, previous: current, resolve, reject })
      this.#plan()
    })
  }

  #plan(): void {
    if (this.#keeping || this.#planned || this.#pending.length === 0) return
    this.#planned = true
    this.#defer(() => this.#flush())
  }

  #recordOf(write: StoreWrite, current: StoredEntry | undefined, revision: Revision): NewRecord {
    return {
      revision,
      // The same string for all records of a key, so that history costs no second copy.
      key: current?.key ?? write.key,
      createRevision: current?.createRevision ?? revision,
      previousRevision: current?.revision ?? 0,
      deleted: write.type === 'delete',
      value: write.type === 'put' ? ownBytes(write.value) : undefined,
    }
  }

  #apply({ key, value, revision, createRevision }: NewRecord): void {
    if (value !== undefined) this.#place({ key, value, revision, createRevision })
    else this.#displace(key)
  }

  #place(entry: StoredEntry): void {
    if (!this.#entries.has(entry.key)) this.#keys.add(entry.key)
    this.#entries.set(entry.key, entry)
  }

  #displace(key: string): void {
    if (this.#entries.delete(key)) this.#keys.delete(key)
  }

  /** Keeps everything that was accepted since the last time, in one transaction. */
  #flush(): void {
    this.#planned = false
    if (this.#keeping || this.#pending.length === 0) return
    const batch = [...this.#pending]
    this.#keep(batch, () => this.#saveWhatFrees(batch))
  }

  #keep(batch: readonly Pending[], onFull: (error: StoreFullError) => void): void {
    let durable: Promise<void> | undefined
    try {
      durable = this.#keeper.keep(batch.map(({ record }) => record))
    } catch (error) {
      if (error instanceof StoreFullError) onFull(error)
      else this.#end(asError(error))
      return
    }
    if (durable === undefined) this.#acknowledge(batch)
    else this.#await(durable, batch)
  }

  #await(durable: Promise<void>, batch: readonly Pending[]): void {
    this.#keeping = true
    durable.then(
      () => {
        this.#keeping = false
        if (this.#ended) return
        this.#acknowledge(batch)
        this.#plan()
      },
      (error: unknown) => {
        this.#keeping = false
        if (!this.#ended) this.#end(asError(error))
      },
    )
  }

  #acknowledge(batch: readonly Pending[]): void {
    this.#pending = this.#pending.slice(batch.length)
    this.#durable = batch.at(-1)?.record.revision ?? this.#durable
    for (const { record, resolve } of batch) resolve({ ok: true, revision: record.revision })
    for (const { record, previous } of batch)
      if (this.#watchers.wants(record.key)) this.#watchers.tell(eventOf(record, record.value, previous))
  }

  /** The disk is full: what frees space is tried again on the reserve, the rest is refused. */
  #saveWhatFrees(batch: readonly Pending[]): void {
    this.#undo(batch)
    const reserve = this.#keeper.openReserve()
    const saved: Pending[] = []
    for (const pending of batch) {
      const { record, resolve, reject } = pending
      const current = this.#entries.get(record.key)
      if ((current?.revision ?? 0) !== record.previousRevision) resolve({ ok: false, current })
      else if (!reserve || !isSparing(record.value, current)) reject(fullError())
      else {
        this.#apply(record)
        this.#history.push(withoutValue(record))
        saved.push(pending)
      }
    }
    this.#pending = saved
    if (saved.length > 0) this.#keep(saved, (error) => this.#refuse(saved, error))
  }

  /** Takes back what was accepted and could not be kept. Its revisions are not used again: somebody may have seen them. */
  #undo(batch: readonly Pending[]): void {
    this.#pending = []
    this.#history.length -= batch.length
    for (const { record, previous } of batch.toReversed()) {
      if (previous === undefined) this.#displace(record.key)
      else this.#place(previous)
    }
  }

  /** Nobody knows what a failed disk has kept; only opening the store again tells. */
  #end(error: Error): void {
    this.#ended = error
    this.#refuse(this.#pending, error)
  }

  #refuse(batch: readonly Pending[], error: Error): void {
    this.#undo(batch)
    for (const { reject } of batch) reject(error)
  }

  // --- reading ---

  range(prefix: string, options: RangeOptions = {}): RangePage {
    const revision = options.revision ?? this.#durable
    if (revision < this.#compacted) throw new CompactedError(this.#compacted)
    const since = this.#firstSince(prefix, revision)
    const limit = options.limit ?? Number.POSITIVE_INFINITY
    const entries: StoredEntry[] = []
    for (const key of this.#keysAt(prefix, options.after, since)) {
      const changed = since.get(key)
      const entry = changed === undefined ? this.#entries.get(key) : this.#entryBefore(changed)
      if (entry === undefined) continue
      if (entries.length >= limit) break
      entries.push(entry)
    }
    const last = entries.at(-1)?.key
    const remaining = entries.length < limit ? 0 : this.#countAt(prefix, last ?? options.after, since)
    return { entries, revision: Math.min(revision, this.#last), remaining }
  }

  /** The first change of each key with the prefix after the revision: what stood before it is the snapshot. */
  #firstSince(prefix: string, revision: Revision): ReadonlyMap<string, LogRecord> {
    const first = new Map<string, LogRecord>()
    if (revision >= this.#last) return first
    for (let index = this.#historyIndex(revision); index < this.#history.length; index += 1) {
      const record = this.#history[index] as LogRecord
      if (record.key.startsWith(prefix) && !first.has(record.key)) first.set(record.key, record)
    }
    return first
  }

  /** Keys that stand now merged with those that went since. */
  *#keysAt(
    prefix: string,
    after: string | undefined,
    since: ReadonlyMap<string, LogRecord>,
  ): Generator<string> {
    const gone = [...since.keys()]
      .filter((key) => !this.#entries.has(key) && (after === undefined || compareKeys(key, after) > 0))
      .sort(compareKeys)
    let next = 0
    for (const key of this.#keys.from(prefix, after)) {
      while (next < gone.length && compareKeys(gone[next] as string, key) < 0) yield gone[next++] as string
      yield key
    }
    yield* gone.slice(next)
  }

  #countAt(prefix: string, after: string | undefined, since: ReadonlyMap<string, LogRecord>): number {
    let count = this.#keys.count(prefix, after)
    for (const [key, record] of since) {
      if (after !== undefined && compareKeys(key, after) <= 0) continue
      count += Number(record.previousRevision > 0) - Number(this.#entries.has(key))
    }
    return count
  }

  #entryBefore(record: LogRecord): StoredEntry | undefined {
    const { key, createRevision, previousRevision } = record
    if (previousRevision === 0) return undefined
    if (record.revision > this.#durable) return this.#pendingOf(record.revision).previous
    return { key, createRevision, revision: previousRevision, value: this.#valueOf(key, previousRevision) }
  }

  #valueOf(key: string, revision: Revision): Uint8Array {
    const current = this.#entries.get(key)
    if (current?.revision === revision) return current.value
    return this.#keeper.read(revision)
  }

  #pendingOf(revision: Revision): Pending {
    const at = firstIndex(this.#pending.length, (index) => this.#pending[index]!.record.revision >= revision)
    return this.#pending[at] as Pending
  }

  /** Index in the history of the first record after the revision. */
  #historyIndex(revision: Revision): number {
    const start = this.#forgotten
    const at = (index: number): boolean => (this.#history[start + index] as LogRecord).revision > revision
    return start + firstIndex(this.#history.length - start, at)
  }

  // --- watching ---

  watch(prefix: string, after: Revision, listener: (event: StoreEvent) => void): () => void {
    if (after < this.#compacted) throw new CompactedError(this.#compacted)
    const missed = this.#missed(prefix, after)
    // Joined first: the listener may write, or end the watch, while it is told of the past.
    const leave = this.#watchers.join(prefix, Math.max(after, this.#durable), listener)
    for (const record of missed) {
      const value = record.deleted ? undefined : this.#valueOf(record.key, record.revision)
      tellOne(listener, eventOf(record, value, this.#entryBefore(record)))
    }
    return leave
  }

  #missed(prefix: string, after: Revision): readonly LogRecord[] {
    if (after >= this.#durable) return []
    return this.#history
      .slice(this.#historyIndex(after), this.#historyIndex(this.#durable))
      .filter((record) => record.key.startsWith(prefix))
  }

  // --- forgetting ---

  async compact(upTo: Revision): Promise<void> {
    const target = Math.min(upTo, this.#durable)
    if (this.#ended) throw this.#ended
    while (this.#compacted < target) {
      this.#compactBite(target)
      await new Promise<void>((resolve) => this.#defer(resolve))
      if (this.#ended) throw this.#ended
    }
  }

  #compactBite(target: Revision): void {
    const start = this.#forgotten
    const end = Math.min(this.#historyIndex(target), start + COMPACTION_BITE)
    const bite = this.#history.slice(start, end)
    const compacted = end === this.#historyIndex(target) ? target : (bite.at(-1) as LogRecord).revision
    // A put makes what it replaced superfluous; a delete makes itself superfluous, too.
    const superfluous = bite.flatMap(({ revision, previousRevision, deleted }) => [
      ...(previousRevision > 0 ? [previousRevision] : []),
      ...(deleted ? [revision] : []),
    ])
    try {
      this.#keeper.forget(superfluous, compacted)
    } catch (error) {
      if (!(error instanceof StoreFullError)) this.#end(asError(error))
      throw error
    }
    this.#compacted = compacted
    this.#forgotten = end
    if (this.#forgotten < HISTORY_CUT) return
    this.#history = this.#history.slice(this.#forgotten)
    this.#forgotten = 0
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.#flush()
    for (let last = this.#pending.at(-1); last !== undefined; last = this.#pending.at(-1))
      await this.settled(last.record.revision).catch(() => undefined)
    if (this.#ended) return
    this.#ended = closedError()
    this.#keeper.close()
  }
}

function closedError(): StoreClosedError {
  return new StoreClosedError('the store is closed')
}

function isKey(key: string): boolean {
  return key !== '' && !key.includes('\0') && key.isWellFormed()
}

function withoutValue({ revision, key, createRevision, previousRevision, deleted }: NewRecord): LogRecord {
  return { revision, key, createRevision, previousRevision, deleted }
}

/** A small piece of a large buffer would keep all of it in memory. */
function ownBytes(value: Uint8Array): Uint8Array {
  return value.buffer.byteLength > 2 * value.byteLength ? value.slice() : value
}

function isSparing(value: Uint8Array | undefined, current: StoredEntry | undefined): boolean {
  if (value === undefined) return true
  return current !== undefined && value.byteLength <= current.value.byteLength + SCARCE_GROWTH_BYTES
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function fullError(): StoreFullError {
  return new StoreFullError(
    'the disk of the state database is full; free some space there. Deleting objects works',
  )
}

function eventOf(
  record: LogRecord,
  value: Uint8Array | undefined,
  previous: StoredEntry | undefined,
): StoreEvent {
  const { key, revision } = record
  const before = previous === undefined ? {} : { previous }
  if (record.deleted) return { type: 'delete', key, revision, ...before }
  assert(value !== undefined, `a put without a value at revision ${revision}`)
  return { type: 'put', key, revision, value, ...before }
}
