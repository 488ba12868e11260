// Order of resourceVersions. They are decimal revisions of one store, compared without turning them into numbers,
// because a foreign API server may count beyond 2^53.

/** Negative when `a` is older than `b`, 0 when equal. An absent version is older than any. */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  const left = a ?? ''
  const right = b ?? ''
  if (left.length !== right.length) return left.length - right.length
  return left < right ? -1 : left > right ? 1 : 0
}
