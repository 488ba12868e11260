// Work by key for the agent's rooms: one run at a time for each key, again when something changed meanwhile, and
// with growing delays while it fails. The agent's counterpart of the loop, for effects on this host.
import { ApiError } from '../base/errors.ts'
import { type BackoffShape, backoffMs } from '../client/backoff.ts'
import { createQueue } from '../client/queue.ts'
import type { Host } from '../host/host.ts'

/** A failed step of a host is tried again soon, for its cause often goes by itself, then at most every 30 s. */
export const HOST_BACKOFF: BackoffShape = { firstMs: 200, factor: 2, maxMs: 30_000, jitter: 0.2 }

/** Not this node's any more, gone, or changed meanwhile. */
const STALE_CODES: ReadonlySet<number> = new Set([403, 404, 409])
const AWAY = 503

export interface KeyedWork {
  add(key: string): void
  /** Looks at the key again after `ms`. */
  addLater(key: string, ms: number): void
  /** Resolves when nothing is under way; for shutdown. */
  idle(): Promise<void>
}

/** What a run asks for: nothing, or another look after a time; `retry` grows from one to the next. */
export type WorkAnswer =
  | { readonly again: 'never' }
  | { readonly again: 'retry' }
  | { readonly againMs: number }

export interface KeyedWorkOptions {
  readonly host: Host
  readonly signal: AbortSignal
  /** Word for the log. */
  readonly name: string
  /** Keys under way at one time. */
  readonly concurrency: number
  readonly work: (key: string) => Promise<WorkAnswer>
}

export const DONE: WorkAnswer = { again: 'never' }
export const RETRY: WorkAnswer = { again: 'retry' }

export function keyedWork({ host, signal, name, concurrency, work }: KeyedWorkOptions): KeyedWork {
  const failures = new Map<string, number>()
  const running = new Set<Promise<void>>()

  const runKey = async (key: string): Promise<void> => {
    const answer = await work(key).catch((error: unknown): WorkAnswer => {
      const message = error instanceof Error ? error.message : String(error)
      // Who was cut off for a while asks for what its old view says; the next look is at the new one.
      if (error instanceof ApiError && STALE_CODES.has(error.code))
        host.log.info(`${name}: the server refused what is out of date`, { key, message })
      else if (error instanceof ApiError && error.code === AWAY)
        host.log.info(`${name}: waits for the server`, { key, message })
      else host.log.error(`${name}: work failed`, { key, error: message })
      return RETRY
    })
    // After the end nothing is looked at again, and no timer may hold the process up.
    if (signal.aborted) return queue.stop()
    if ('againMs' in answer) {
      failures.delete(key)
      queue.addLater(key, answer.againMs)
    } else if (answer.again === 'retry') {
      const attempt = failures.get(key) ?? 0
      failures.set(key, attempt + 1)
      queue.addLater(key, backoffMs(HOST_BACKOFF, attempt, host.random))
    } else failures.delete(key)
    queue.done(key)
  }

  const pump = (): void => {
    while (!signal.aborted && queue.inWork < concurrency) {
      const key = queue.take()
      if (key === undefined) return
      const run = runKey(key).finally(() => {
        running.delete(run)
        pump()
      })
      running.add(run)
    }
  }

  const queue = createQueue(host.clock, pump)
  if (signal.aborted) queue.stop()
  else signal.addEventListener('abort', () => queue.stop(), { once: true })
  return {
    add: (key) => queue.add(key),
    addLater: (key, ms) => queue.addLater(key, ms),
    idle: async () => {
      await Promise.all(running)
    },
  }
}
