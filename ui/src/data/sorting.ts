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
