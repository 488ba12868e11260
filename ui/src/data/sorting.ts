// The order, filter and CSV of lists: pure, and the same for every list.

export interface Sort {
  readonly column: string
  readonly isDown: boolean
}

/** What a list needs to know of a column. */
export interface Sorted<T> {
  readonly id: string
  readonly title: string
  readonly sortKey?: (row: T) => string | number
  readonly text?: (row: T) => string
}

/** `name` up, `-name` down: as it stands in the address. */
export function parseSort(text: string | undefined): Sort | undefined {
  if (!text) return undefined
  return text.startsWith('-') ? { column: text.slice(1), isDown: true } : { column: text, isDown: false }
}

export function sortText({ column, isDown }: Sort): string {
  return isDown ? `-${column}` : column
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** A new list in order; rows that are equal keep their places. */
export function sortRows<T>(
  rows: readonly T[],
  columns: readonly Sorted<T>[],
  sort: Sort | undefined,
): readonly T[] {
  const key = columns.find(({ id }) => id === sort?.column)?.sortKey
  if (!sort || !key) return rows
  const keyed = rows.map((row) => ({ row, key: key(row) }))
  const sign = sort.isDown ? -1 : 1
  keyed.sort((a, b) => sign * compare(a.key, b.key))
  return keyed.map(({ row }) => row)
}

export type Sorter<T> = typeof sortRows<T>

/**
 * Sorts a list again at each of its changes. While nothing changes by which it is sorted, it keeps the order that it
 * had: comparing thousands of names as people count takes longer than everything else.
 */
export function keepingSorter<T>(): Sorter<T> {
  let last:
    | {
        readonly rows: readonly T[]
        readonly columns: readonly Sorted<T>[]
        readonly sort: Sort | undefined
        readonly sorted: readonly T[]
      }
    | undefined
  return (rows, columns, sort) => {
    const key = columns.find(({ id }) => id === sort?.column)?.sortKey
    const isSame = last?.columns === columns && last.sort?.column === sort?.column
    const kept = last && key && isSame && last.sort?.isDown === sort?.isDown && inOldOrder(last, rows, key)
    const sorted = kept || sortRows(rows, columns, sort)
    last = { rows, columns, sort, sorted }
    return sorted
  }
}

/** Undefined where rows came, went or have another key. */
function inOldOrder<T>(
  old: { readonly rows: readonly T[]; readonly sorted: readonly T[] },
  rows: readonly T[],
  key: (row: T) => string | number,
): readonly T[] | undefined {
  if (old.rows.length !== rows.length) return undefined
  const changed = new Map<T, T>()
  for (const [at, row] of rows.entries()) {
    const before = old.rows[at] as T
    if (before === row) continue
    if (key(before) !== key(row)) return undefined
    changed.set(before, row)
  }
  return changed.size === 0 ? old.sorted : old.sorted.map((row) => changed.get(row) ?? row)
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return collator.compare(String(a), String(b))
}

export function textOf<T>({ text, sortKey }: Sorted<T>, row: T): string {
  return text ? text(row) : sortKey ? String(sortKey(row)) : ''
}

interface Term {
  readonly column: string | undefined
  readonly word: string
}

/** Words that must all be found; `state:running` looks in one column only, `"two words"` are one. */
export function parseFilter(
  text: string,
  columns: readonly { readonly id: string; readonly title: string }[],
) {
  const terms: Term[] = []
  for (const [, name, quoted, bare] of text.matchAll(/(?:([^\s:"]+):)?(?:"([^"]*)"|(\S+))/gu)) {
    const word = (quoted ?? bare ?? '').toLowerCase()
    const column = columns.find(({ id, title }) => id === name || title.toLowerCase() === name?.toLowerCase())
    if (name !== undefined && !column)
      terms.push({ column: undefined, word: `${name}:${word}`.toLowerCase() })
    else terms.push({ column: column?.id, word })
  }
  return terms
}

export function filterRows<T>(
  rows: readonly T[],
  columns: readonly Sorted<T>[],
  filter: string,
): readonly T[] {
  const terms = parseFilter(filter.trim(), columns)
  if (terms.length === 0) return rows
  const tests = terms.map(({ column, word }) => {
    const within = columns.filter(({ id, text, sortKey }) => (text || sortKey) && (!column || id === column))
    return (row: T) => within.some((one) => textOf(one, row).toLowerCase().includes(word))
  })
  return rows.filter((row) => tests.every((test) => test(row)))
}

/** RFC 4180, with what a spreadsheet would take for a formula made harmless. */
export function csvOf<T>(rows: readonly T[], columns: readonly Sorted<T>[]): string {
  const shown = columns.filter(({ text, sortKey }) => text || sortKey)
  const lines = [
    shown.map(({ title }) => title),
    ...rows.map((row) => shown.map((column) => textOf(column, row))),
  ]
  return lines.map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[-+]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
