// One simulated process: its clock and chance, and its death. After `kill` nothing of it ever goes on: timers do not
// fire and answers do not arrive, which is what kill -9 looks like from inside.
import type { Clock } from '../host/host.ts'
import type { SeededRandom } from './random.ts'
import type { World } from './world.ts'

/** The wall clock of a simulation begins here. Milliseconds since 1970. */
export const EPOCH_MS = Date.UTC(2026, 0, 1)

/** The clock of one simulated computer; all its processes share it. */
export interface SimClockState {
  /** Added to the true time: skew, and jumps. */
  offsetMs: number
  /** Speed against true time, for instance 1.0001. */
  readonly rate: number
}

export class SimProcess {
  readonly name: string
  readonly world: World
  readonly clock: Clock
  readonly random: SeededRandom
  readonly #timers = new Set<() => void>()
  readonly #dying = new Set<() => void>()
  #alive = true

  constructor(world: World, name: string, clockState: SimClockState = { offsetMs: 0, rate: 1 }) {
    this.name = name
    this.world = world
    this.random = world.random.fork(`${name}@${world.nowMs}`)
    this.clock = this.#makeClock(clockState)
  }

  get alive(): boolean {
    return this.#alive
  }

  kill(): void {
    if (!this.#alive) return
    this.#alive = false
    this.world.note(this.name, 'killed')
    for (const cancel of this.#timers) cancel()
    this.#timers.clear()
    for (const call of this.#dying) call()
  }

  /** Tells the others of the death; the returned function takes the wish back. */
  onDeath(call: () => void): () => void {
    this.#dying.add(call)
    return () => this.#dying.delete(call)
  }

  /** The answer of the world to this process: never arrives once it is dead. */
  answer<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => {
          if (this.#alive) resolve(value)
        },
        (error: unknown) => {
          if (this.#alive) reject(error)
        },
      )
    })
  }

  #makeClock(state: SimClockState): Clock {
    const after = (ms: number, call: () => void): (() => void) => {
      if (!this.#alive) return () => undefined
      const cancel = this.world.after(ms / state.rate, () => {
        this.#timers.delete(cancel)
        if (this.#alive) call()
      })
      this.#timers.add(cancel)
      return () => {
        this.#timers.delete(cancel)
        cancel()
      }
    }
    return {
      now: () => Math.round(EPOCH_MS + this.world.nowMs * state.rate + state.offsetMs),
      monotonic: () => this.world.nowMs * state.rate,
      after,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(abortError())
          const stop = (): void => {
            cancel()
            reject(abortError())
          }
          const cancel = after(ms, () => {
            signal?.removeEventListener('abort', stop)
            resolve()
          })
          signal?.addEventListener('abort', stop, { once: true })
        }),
    }
  }
}

export function abortError(): Error {
  return new DOMException('This operation was aborted', 'AbortError')
}
