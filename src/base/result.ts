// How a driver tells that the world failed it: as a value, never as an exception that crosses rooms.

export type Result<T, F = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: F }

/** A failure of the world (a program, a disk, a peer), not of the user and not of the code. */
export interface Failure {
  /** CamelCase word for conditions and events, for instance `ImageUnreachable`. */
  readonly reason: string
  /** One sentence for a person: what happened and, where known, what to do. */
  readonly message: string
  /** Whether the same attempt may succeed later without anybody changing its input. */
  readonly retry: 'later' | 'never'
  /** The exact command and what it printed on stderr, where a program was run. */
  readonly command?: string
  readonly stderr?: string
}

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function failed<F>(failure: F): { readonly ok: false; readonly failure: F } {
  return { ok: false, failure }
}
