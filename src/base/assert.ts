// Assertions stay on in production. A failed one is a bug of ours: the process stops and is started again, and
// guests, which are processes of their own, do not notice.

export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new AssertionError(why)
}

/** For the `default` of a switch over a union: fails to compile when a case is missing. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`)
}
