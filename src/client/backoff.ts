// How long to wait before trying again: exponential, with jitter, capped. One value a series of attempts.
import type { Random } from '../host/host.ts'

export interface BackoffShape {
  readonly firstMs: number
  readonly factor: number
  readonly maxMs: number
  /** Part of the delay that is left to chance, 0 to 1, so that many clients do not come back in one instant. */
  readonly jitter: number
}

/** For connections to the API: quick at first, at most half a minute. */
export const CONNECTION_BACKOFF: BackoffShape = { firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0.5 }

/** Delay before attempt number `attempt` (0 is the first retry). Milliseconds. */
export function backoffMs(shape: BackoffShape, attempt: number, random: Random): number {
  // The exponent is bounded, because factor ** 2000 is Infinity and Infinity * 0 is no delay at all.
  const whole = Math.min(shape.maxMs, shape.firstMs * shape.factor ** Math.min(attempt, 64))
  return whole * (1 - shape.jitter * random.float())
}
