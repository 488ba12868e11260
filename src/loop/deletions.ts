// Deletions that were sent and do not show in the cache yet, so that none is sent twice.
import type { Clock } from '../host/host.ts'

export interface Deletions {
  remember(uid: string | undefined): void
  isSent(uid: string | undefined): boolean
  /** The cache shows what became of it. */
  forget(uid: string | undefined): void
}

/** A deletion that does not show after this is sent again. */
const MEMORY_MS = 10_000

export function createDeletions(clock: Clock): Deletions {
  const sent = new Map<string, number>()
  return {
    remember(uid) {
      if (uid === undefined) return
      const now = clock.monotonic()
      // The oldest stand first; what is older than the memory serves nobody.
      for (const [old, sentMs] of sent) {
        if (now - sentMs < MEMORY_MS) break
        sent.delete(old)
      }
      sent.delete(uid)
      sent.set(uid, now)
    },
    isSent(uid) {
      const sentMs = uid === undefined ? undefined : sent.get(uid)
      return sentMs !== undefined && clock.monotonic() - sentMs < MEMORY_MS
    },
    forget(uid) {
      if (uid !== undefined) sent.delete(uid)
    },
  }
}
