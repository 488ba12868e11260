// Forgets history as it ages, a little at a time: long enough for slow watchers and continue tokens, never so long
// that a burst of writes fills the disk.
import { WATCH_HISTORY_MIN_EVENTS, WATCH_HISTORY_MS } from '../base/limits.ts'
import type { Clock, Log } from '../host/host.ts'
import { type Revision, type Store, StoreClosedError } from './store.ts'

/** A hundred thousand objects of 4 KB are 400 MB on the disk: the most that history may cost. */
const HISTORY_MAX_EVENTS = 100_000
/** How often time is noted and history looked at. Milliseconds. */
const LOOK_EVERY_MS = 2000

interface Mark {
  readonly at: number
  readonly revision: Revision
}

/** Runs until the signal aborts or the store is closed. A full disk is waited out. */
export async function forgetWithAge(
  store: Store,
  clock: Clock,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let marks: readonly Mark[] = []
  while (!signal.aborted) {
    marks = [...marks, { at: clock.monotonic(), revision: store.revision() }]
    const target = forgettable(marks, clock.monotonic())
    marks = marks.filter(({ revision }) => revision >= target)
    try {
      await store.compact(target)
      await clock.sleep(LOOK_EVERY_MS, signal)
    } catch (error) {
      if (signal.aborted || error instanceof StoreClosedError) return
      log.warn('history cannot be forgotten yet', { error: String(error) })
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
    }
  }
}

/** Up to where history may go: older than its time and beyond its least length, or beyond its greatest. */
export function forgettable(marks: readonly Mark[], now: number): Revision {
  const newest = marks.at(-1)?.revision ?? 0
  const aged = marks.findLast(({ at }) => now - at >= WATCH_HISTORY_MS)?.revision ?? 0
  return Math.max(Math.min(aged, newest - WATCH_HISTORY_MIN_EVENTS), newest - HISTORY_MAX_EVENTS, 0)
}
