// Who listens to the store, by prefix: hundreds of watchers share a few dozen prefixes, so that an event is compared
// with each prefix once.
import type { Revision, StoreEvent } from './store.ts'

interface Watcher {
  readonly listener: (event: StoreEvent) => void
  /** Told up to here; a watcher that joins while events are being told must not hear one twice. */
  seen: Revision
}

export class Watchers {
  readonly #byPrefix = new Map<string, Set<Watcher>>()

  /** Joins; `seen` is the last revision it has been told of by other means. */
  join(prefix: string, seen: Revision, listener: (event: StoreEvent) => void): () => void {
    const watcher = { listener, seen }
    let group = this.#byPrefix.get(prefix)
    if (group === undefined) this.#byPrefix.set(prefix, (group = new Set()))
    group.add(watcher)
    const joined = group
    return () => {
      joined.delete(watcher)
      if (joined.size === 0 && this.#byPrefix.get(prefix) === joined) this.#byPrefix.delete(prefix)
    }
  }

  wants(key: string): boolean {
    for (const prefix of this.#byPrefix.keys()) if (key.startsWith(prefix)) return true
    return false
  }

  tell(event: StoreEvent): void {
    for (const [prefix, group] of this.#byPrefix) {
      if (!event.key.startsWith(prefix)) continue
      for (const watcher of group) {
        if (event.revision <= watcher.seen) continue
        watcher.seen = event.revision
        tellOne(watcher.listener, event)
      }
    }
  }
}

/** A listener that throws is a bug; it must stop the process, yet not keep the others from their event. */
export function tellOne(listener: (event: StoreEvent) => void, event: StoreEvent): void {
  try {
    listener(event)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
