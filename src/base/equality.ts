// When two JSON values say the same. A key whose value is undefined counts as absent, because optional fields are
// often built that way; the order of keys does not matter, that of lists does.

/** Deep equality of JSON values; stops at shared references, so unchanged parts of a copied object cost nothing. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const listA = Array.isArray(a)
  if (listA !== Array.isArray(b)) return false
  return listA
    ? equalLists(a as readonly unknown[], b as readonly unknown[])
    : equalMaps(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>)
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (!deepEqual(a[index], b[index])) return false
  return true
}

function equalMaps(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  let count = 0
  for (const key in a) {
    const left = a[key]
    if (left === undefined) continue
    count++
    // `in` would find toString and its kin; a plain read of a missing own key could too.
    if (!Object.hasOwn(b, key) || !deepEqual(left, b[key])) return false
  }
  for (const key in b) if (b[key] !== undefined) count--
  return count === 0
}
