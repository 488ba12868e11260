// The disk under a simulated server's store. What was kept survives a crash; what was only accepted does not. The
// rules above it are the real ones (store/revision-log.ts).
import type { Keeper, NewRecord } from '../store/keeper.ts'
import { RevisionLog } from '../store/revision-log.ts'
import { type Revision, type Store, type StoredEntry, StoreFullError } from '../store/store.ts'
import type { SimProcess } from './process.ts'

export class StoreDisk {
  /** No space left. */
  full = false
  /** How long an fsync takes; asked for each. Milliseconds. */
  syncMs: () => number = () => 0
  readonly records: NewRecord[] = []
  /** Latest record of each key. */
  readonly latest = new Map<string, NewRecord>()
  readonly #values = new Map<Revision, Uint8Array>()
  #compacted = 0

  /** Latest revision that survives a crash now. */
  get durable(): Revision {
    return this.records.at(-1)?.revision ?? 0
  }

  /** Another disk with the same content. */
  copy(): StoreDisk {
    const copy = new StoreDisk()
    copy.records.push(...this.records)
    for (const [key, record] of this.latest) copy.latest.set(key, record)
    for (const [revision, value] of this.#values) copy.#values.set(revision, value)
    copy.#compacted = this.#compacted
    return copy
  }

  /** What a process that starts now finds. */
  open(process: SimProcess): Store {
    const entries: StoredEntry[] = []
    for (const { key, revision, createRevision, deleted } of this.latest.values()) {
      if (!deleted) entries.push({ key, revision, createRevision, value: this.#values.get(revision)! })
    }
    const history = this.records
      .filter((record) => record.revision > this.#compacted)
      .map(({ value: _value, ...record }) => record)
    return new RevisionLog(
      this.#keeper(),
      { entries, history, revision: this.durable, compacted: this.#compacted },
      (call) => void process.clock.after(this.syncMs(), call),
    )
  }

  #keeper(): Keeper {
    return {
      keep: (records) => {
        if (this.full) throw new StoreFullError('no space left on the simulated disk')
        for (const record of records) {
          this.records.push(record)
          this.latest.set(record.key, record)
          if (record.value !== undefined) this.#values.set(record.revision, record.value)
        }
      },
      read: (revision) => this.#values.get(revision)!,
      forget: (revisions, compacted) => {
        for (const revision of revisions) this.#values.delete(revision)
        this.#compacted = compacted
      },
      isScarce: () => false,
      openReserve: () => false,
      close: () => undefined,
    }
  }
}
