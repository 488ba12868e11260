// Tables: the columns of a kind and the cells of one object, as `kubectl get` asks for them.
import type { Json } from '../base/json.ts'
import { findJsonPath } from '../base/jsonpath/jsonpath.ts'
import type { KubeObject } from '../base/object.ts'
import { ageColumn, nameColumn, since } from './cells.ts'
import type { AnyKind, Column } from './kind.ts'

/** An entry of a Table's columnDefinitions. */
export interface ColumnDefinition {
  readonly name: string
  readonly type: string
  readonly format: string
  readonly description: string
  /** 0 shows always, higher only with `-o wide`. */
  readonly priority: number
}
export type Cell = string | number | boolean | null

const wholeColumns = new WeakMap<readonly Column[], readonly Column[]>()

/** The columns that are shown: Name first, and Age where a kind has no columns of its own. */
function shownColumns(kind: AnyKind): readonly Column[] {
  let columns = wholeColumns.get(kind.columns)
  if (!columns) {
    const named = kind.columns.some((column) => column.format === 'name')
    const own = kind.columns.length === 0 ? [ageColumn] : kind.columns
    columns = named ? own : [nameColumn, ...own]
    wholeColumns.set(kind.columns, columns)
  }
  return columns
}

export function columnsOf(kind: AnyKind): readonly ColumnDefinition[] {
  return shownColumns(kind).map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? '',
    description,
    priority: priority ?? 0,
  }))
}

/** One cell for each of `columnsOf`. `now` is milliseconds since 1970. */
export function rowOf(kind: AnyKind, object: KubeObject, now: number): readonly Cell[] {
  return shownColumns(kind).map((column) => cellOf(column, object, now))
}

function cellOf(column: Column, object: KubeObject, now: number): Cell {
  if (typeof column.value === 'function') return column.value(object, now)
  const value = firstAt(column.value, object)
  if (value === undefined) return column.type === 'date' ? '<unknown>' : null
  switch (column.type) {
    case 'date':
      return since(String(value), now)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(value)
  }
}

/** First value at the path of a printer column; a path that cannot be read gives none. */
function firstAt(path: string, object: KubeObject): Json | undefined {
  const found = findJsonPath(path, object as unknown as Json, { allowMissingKeys: true })
  const first = found.ok ? found.value[0] : undefined
  return first === null ? undefined : first
}
