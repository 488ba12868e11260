// The store of tests and of the simulation: the same rules, kept in memory only.
import { assert } from '../base/assert.ts'
import type { Keeper } from './keeper.ts'
import { RevisionLog } from './revision-log.ts'
import type { Revision, Store } from './store.ts'

export function memoryStore(): Store {
  const values = new Map<Revision, Uint8Array>()
  const keeper: Keeper = {
    keep(records) {
      for (const { revision, value } of records) if (value !== undefined) values.set(revision, value)
      return undefined
    },
    read(revision) {
      const value = values.get(revision)
      assert(value !== undefined, `revision ${revision} is not kept`)
      return value
    },
    forget(revisions) {
      for (const revision of revisions) values.delete(revision)
    },
    isScarce: () => false,
    openReserve: () => false,
    close: () => undefined,
  }
  return new RevisionLog(keeper, { entries: [], history: [], revision: 0, compacted: 0 }, queueMicrotask)
}
