// How often somebody may guess a password: by address and name, and by address alone, each with a growing pause. Nobody
// can lock out another one from elsewhere.
import { refuse } from '../../base/errors.ts'
import type { Clock } from '../../host/host.ts'

/** Typing errors of a person. */
const FREE_FOR_NAME = 5
/** A household or office behind one address. */
const FREE_FOR_ADDRESS = 30
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 15 * 60_000
/** After this long without a failure it is forgotten. */
const FORGET_MS = 30 * 60_000
/** Addresses and names that are remembered; the oldest go first. */
const REMEMBERED_MAX = 10_000
/** Hashes under way at one time: each takes 16 MiB and a thread. */
const CONCURRENT_MAX = 4
const WAITING_MAX = 16

interface Failures {
  readonly count: number
  readonly lastMs: number
}

export interface Attempts {
  /**
   * Runs `check` unless too many failed before, and counts its failure. Throws 429 with the seconds to wait.
   */
  guarded<T>(address: string, name: string, check: () => Promise<T | undefined>): Promise<T | undefined>
}

export function createAttempts(clock: Clock): Attempts {
  const failures = new Map<string, Failures>()
  let running = 0
  const waiting: (() => void)[] = []

  const pauseLeftMs = (key: string, free: number): number => {
    const seen = failures.get(key)
    if (!seen || seen.count < free) return 0
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (seen.count - free), LONGEST_PAUSE_MS)
    return seen.lastMs + pause - clock.monotonic()
  }
  const countFailure = (key: string): void => {
    const now = clock.monotonic()
    const seen = failures.get(key)
    const count = seen && now - seen.lastMs < FORGET_MS ? seen.count + 1 : 1
    failures.delete(key)
    failures.set(key, { count, lastMs: now })
    const [oldest] = failures.keys()
    if (failures.size > REMEMBERED_MAX && oldest !== undefined) failures.delete(oldest)
  }
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= CONCURRENT_MAX) {
      if (waiting.length >= WAITING_MAX)
        throw refuse.tooManyRequests('too many logins at one time; try again', 2)
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
    running++
    try {
      return await work()
    } finally {
      running--
      waiting.shift()?.()
    }
  }

  return {
    async guarded(address, name, check) {
      const place = networkOf(address)
      const keys = [
        { key: `${place} ${name}`, free: FREE_FOR_NAME },
        { key: place, free: FREE_FOR_ADDRESS },
      ]
      const left = Math.max(...keys.map(({ key, free }) => pauseLeftMs(key, free)))
      if (left > 0) {
        const seconds = Math.ceil(left / 1000)
        throw refuse.tooManyRequests(`too many failed logins; try again in ${seconds} s`, seconds)
      }
      const answer = await inTurn(check)
      if (answer === undefined) for (const { key } of keys) countFailure(key)
      else failures.delete(`${place} ${name}`)
      return answer
    },
  }
}

/** One customer has a whole /64 of IPv6. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  return address.split(':').slice(0, 4).join(':')
}
