// A queue of keys for the server's own upkeep: each key is worked on once at a time, again when it changed meanwhile,
// and later when it failed.
import type { Core } from '../core.ts'

const RETRY_MS = 1_000
const RETRY_MAX_MS = 60_000

export interface Worker {
  add(key: string): void
  close(): void
}

/** `work` answers after how many milliseconds to look again; undefined: not before something changes. */
export function startWorker(
  core: Core,
  name: string,
  work: (key: string) => Promise<number | undefined>,
): Worker {
  const waiting = new Set<string>()
  const failures = new Map<string, number>()
  const timers = new Map<string, () => void>()
  let running = false
  let closed = false

  const add = (key: string) => {
    if (closed) return
    waiting.add(key)
    if (running) return
    running = true
    // On a turn of its own: events arrive inside the store's commit.
    timers.get(' start')?.()
    timers.set(
      ' start',
      core.clock.after(0, () => void drain()),
    )
  }
  const later = (key: string, ms: number) => {
    if (closed) return
    timers.get(key)?.()
    timers.set(
      key,
      core.clock.after(ms, () => {
        timers.delete(key)
        add(key)
      }),
    )
  }
  const drain = async () => {
    for (const key of waiting) {
      if (closed) return
      waiting.delete(key)
      try {
        const again = await work(key)
        failures.delete(key)
        if (again !== undefined) later(key, again)
      } catch (error) {
        const count = (failures.get(key) ?? 0) + 1
        failures.set(key, count)
        if (!closed) core.log.warn(`${name} failed and will be tried again`, { key, count, error })
        later(key, Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** (count - 1)))
      }
    }
    running = false
  }
  return {
    add,
    close: () => {
      closed = true
      waiting.clear()
      for (const cancel of timers.values()) cancel()
      timers.clear()
    },
  }
}
