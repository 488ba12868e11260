// Finds deciders that run in circles: the same writes over and over, or more writes to one key than anything honest
// makes. Such a key is slowed down and shouted about.
import type { Clock } from '../host/host.ts'

export interface HotLoop {
  readonly decider: string
  readonly key: string
  readonly why: string
}

/** Times that one and the same set of writes may take effect within REPEAT_WINDOW_MS. */
const REPEATS_MAX = 3
const REPEAT_WINDOW_MS = 10_000
/** Writes a minute for one key; progress that is copied upward once a second stays below. */
const WRITES_PER_MINUTE_MAX = 120
const MINUTE_MS = 60_000
/** First pause of a hot key; doubles while it stays hot. */
const PAUSE_FIRST_MS = 1_000
const PAUSE_MAX_MS = 60_000

interface Trail {
  digest: string
  repeats: number
  repeatFromMs: number
  minuteFromMs: number
  writes: number
  pauses: number
  pausedUntilMs: number
}

export interface HotLoopDetector {
  /** Notes writes that took effect; answers why the key is hot, if it is now. */
  wrote(key: string, digest: string, writes: number): string | undefined
  /** Milliseconds that the key has to wait before it may write again; 0 for a cool one. */
  pauseMs(key: string): number
  forget(key: string): void
}

export function createHotLoopDetector(clock: Clock): HotLoopDetector {
  const trails = new Map<string, Trail>()

  const heat = (trail: Trail, nowMs: number): void => {
    const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(trail.pauses, 10))
    trail.pauses += 1
    trail.pausedUntilMs = nowMs + pauseMs
    trail.repeats = 0
    trail.writes = 0
  }

  return {
    wrote(key, digest, writes) {
      const nowMs = clock.monotonic()
      let trail = trails.get(key)
      if (trail === undefined) {
        trail = begin(nowMs)
        trails.set(key, trail)
      }
      if (nowMs - trail.minuteFromMs > MINUTE_MS) {
        // A whole quiet minute makes a key cool again.
        if (trail.pausedUntilMs < trail.minuteFromMs) trail.pauses = 0
        trail.minuteFromMs = nowMs
        trail.writes = 0
      }
      trail.writes += writes
      if (trail.digest !== digest || nowMs - trail.repeatFromMs > REPEAT_WINDOW_MS) {
        trail.digest = digest
        trail.repeats = 0
        trail.repeatFromMs = nowMs
      }
      trail.repeats += 1
      const why =
        trail.repeats >= REPEATS_MAX
          ? `the same writes took effect ${trail.repeats} times within ${REPEAT_WINDOW_MS / 1000} s`
          : trail.writes > WRITES_PER_MINUTE_MAX
            ? `${trail.writes} writes within a minute`
            : undefined
      if (why !== undefined) heat(trail, nowMs)
      return why
    },
    pauseMs: (key) => Math.max(0, (trails.get(key)?.pausedUntilMs ?? 0) - clock.monotonic()),
    forget: (key) => void trails.delete(key),
  }
}

function begin(nowMs: number): Trail {
  return {
    digest: '',
    repeats: 0,
    repeatFromMs: nowMs,
    minuteFromMs: nowMs,
    writes: 0,
    pauses: 0,
    pausedUntilMs: Number.NEGATIVE_INFINITY,
  }
}
