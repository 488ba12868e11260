// What went wrong with the keys of one decider, and when each may be tried again.
import type { ApiError } from '../base/errors.ts'
import { type BackoffShape, backoffMs } from '../client/backoff.ts'
import type { Host } from '../host/host.ts'
import type { AnyKind } from '../kinds/kind.ts'
import type { Outcome } from './carry-out.ts'

/** A refusal of this sort is tried again when an object of this kind in the same namespace changes. */
export interface RetryOn {
  readonly kind: AnyKind
  readonly matches: (error: ApiError) => boolean
}

/** The cache is behind: the event that shows it is on its way. */
const STALE_BACKOFF: BackoffShape = { firstMs: 5, factor: 2, maxMs: 10_000, jitter: 0.2 }
/** The API is away or overloaded. */
export const UNAVAILABLE_BACKOFF: BackoffShape = { firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0.3 }
/** A refusal does not go away by asking again; changed input is tried at once all the same. */
const REFUSED_BACKOFF: BackoffShape = { firstMs: 1_000, factor: 3, maxMs: 300_000, jitter: 0.1 }
/** A retry that a changed object asked for comes no sooner than this after the last one. */
const RETRY_SPACING_MS = 10_000

interface Trouble {
  attempts: number
  /** Writes that were refused; others are carried out at once. */
  refusedDigest: string | undefined
  retryAtMs: number
  lastTryMs: number
  blockedOn: RetryOn | undefined
}

export type Failed = Exclude<Outcome, { readonly result: 'done' }> | { readonly result: 'bug' }

export class Troubles {
  readonly #host: Host
  readonly #retryOn: readonly RetryOn[]
  readonly #troubles = new Map<string, Trouble>()

  constructor(host: Host, retryOn: readonly RetryOn[]) {
    this.#host = host
    this.#retryOn = retryOn
  }

  /** Books a failure; answers after how many milliseconds to try again. */
  book(key: string, failed: Failed, digest: string): number {
    const now = this.#host.clock.monotonic()
    const attempts = this.#troubles.get(key)?.attempts ?? 0
    const delayMs = backoffMs(shapeOf(failed), attempts, this.#host.random)
    const refused = failed.result === 'refused' ? failed.error : undefined
    this.#troubles.set(key, {
      attempts: attempts + 1,
      refusedDigest: refused && digest,
      retryAtMs: now + delayMs,
      lastTryMs: now,
      blockedOn: refused && this.#retryOn.find((retry) => retry.matches(refused)),
    })
    return delayMs
  }

  attempts(key: string): number {
    return this.#troubles.get(key)?.attempts ?? 0
  }

  clear(key: string): void {
    this.#troubles.delete(key)
  }

  /** Milliseconds until the key is to be tried again; undefined when nothing is wrong with it. */
  waitMs(key: string): number | undefined {
    const trouble = this.#troubles.get(key)
    return trouble && Math.max(0, trouble.retryAtMs - this.#host.clock.monotonic())
  }

  /** Writes that were refused are not sent again before their time. */
  holdsBack(key: string, digest: string): boolean {
    const trouble = this.#troubles.get(key)
    if (trouble === undefined || trouble.refusedDigest !== digest) return false
    return this.#host.clock.monotonic() < trouble.retryAtMs
  }

  /** Keys of the namespace that wait for such an object, each moved forward to its next allowed try. */
  release(retry: RetryOn, namespace: string | undefined): readonly string[] {
    const keys: string[] = []
    for (const [key, trouble] of this.#troubles) {
      if (trouble.blockedOn !== retry) continue
      if (namespace !== undefined && !key.startsWith(`${namespace}/`)) continue
      trouble.retryAtMs = Math.min(trouble.retryAtMs, trouble.lastTryMs + RETRY_SPACING_MS)
      keys.push(key)
    }
    return keys
  }
}

function shapeOf({ result }: Failed): BackoffShape {
  if (result === 'stale') return STALE_BACKOFF
  return result === 'unavailable' ? UNAVAILABLE_BACKOFF : REFUSED_BACKOFF
}
