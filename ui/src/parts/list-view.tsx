// A whole list: filter and order in the address, saved views, columns, choice of rows with actions on many, CSV.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { useWords } from '../app/words.ts'
import type { ApiFailure } from '../data/api.ts'
import { filterRows, keepingSorter, parseSort, type Sort, sortText } from '../data/sorting.ts'
import type { Liveness } from '../data/watch-feed.ts'
import { type BulkAction, BulkBar } from './bulk-bar.tsx'
import { type Column, DataTable } from './data-table.tsx'
import { FilterField } from './filter-field.tsx'
import { useColumnChoice } from './list-columns.ts'
import { ListMenu } from './list-menu.tsx'
import { LiveMark } from './live-mark.tsx'
import { Refusal } from './refusal.tsx'
import { type View, Views } from './saved-views.tsx'

export interface ListViewProps<T> {
  /** Names the list in what this browser keeps of it: saved views, columns. */
  readonly id: string
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  /** For check boxes and previews; it also makes rows choosable. */
  readonly nameOf: (row: T) => string
  readonly liveness: Liveness
  readonly failure?: ApiFailure | undefined
  readonly filterHint: string
  readonly defaultSort?: Sort
  /** Views that everybody has. */
  readonly views?: readonly View[]
  readonly bulk?: readonly BulkAction<T>[]
  /** What stands there while there is nothing at all. */
  readonly empty: ReactNode
}

/** What a list keeps in the address. */
export interface ListAddress {
  readonly q?: string
  readonly sort?: string
}

export function useListAddress(): {
  readonly q: string
  readonly sort: Sort | undefined
  go(change: { readonly q?: string; readonly sort?: Sort | undefined }): void
} {
  const navigate = useNavigate()
  const { q = '', sort } = useSearch({ strict: false }) as ListAddress
  return {
    q,
    sort: useMemo(() => parseSort(sort), [sort]),
    go: (change) =>
      void navigate({
        to: '.',
        replace: true,
        search: ((old: Record<string, unknown>) => ({
          ...old,
          ...('q' in change ? { q: change.q || undefined } : {}),
          ...('sort' in change ? { sort: change.sort && sortText(change.sort) } : {}),
        })) as never,
      }),
  }
}

export function ListView<T>(props: ListViewProps<T>) {
  const { id, label, columns, rows, keyOf, nameOf, liveness, failure, bulk = [], views = [] } = props
  const { t } = useWords()
  const { q, sort = props.defaultSort, go } = useListAddress()
  const choice = useColumnChoice(id, columns)
  const filter = useDeferredValue(q)
  const filtered = useMemo(() => filterRows(rows, columns, filter), [rows, columns, filter])
  const [sortRows] = useState(() => keepingSorter<T>())
  const shown = useMemo(() => sortRows(filtered, columns, sort), [sortRows, filtered, columns, sort])
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const chosen = useMemo(
    () => (keys.size === 0 ? [] : shown.filter((row) => keys.has(keyOf(row)))),
    [shown, keys, keyOf],
  )
  const chosenKeys = useMemo(() => new Set(chosen.map(keyOf)), [chosen, keyOf])
  const current: View = { id: '', title: '', q, ...(sort ? { sort: sortText(sort) } : {}) }
  return (
    <div className="card stretch">
      <header className="list-head">
        <FilterField value={q} hint={props.filterHint} onValue={(value) => go({ q: value })} />
        <Views
          list={id}
          common={views}
          current={current}
          onView={(view) => go({ q: view.q, sort: parseSort(view.sort) })}
        />
        <span className="push" />
        {q !== '' && (
          <span className="muted small" role="status">
            {t('list.shown', { shown: shown.length, all: rows.length })}
          </span>
        )}
        <LiveMark liveness={liveness} />
        <ListMenu choice={choice} columns={columns} rows={shown} name={id} />
      </header>
      {chosen.length > 0 && (
        <BulkBar chosen={chosen} actions={bulk} nameOf={nameOf} onClear={() => setKeys(new Set())} />
      )}
      {failure && liveness === 'failed' && <Refusal failure={failure} />}
      {shown.length > 0 && (
        <DataTable
          label={label}
          columns={choice.shown}
          rows={shown}
          keyOf={keyOf}
          sort={sort}
          onSort={(next) => go({ sort: next })}
          selection={bulk.length === 0 ? undefined : { keys: chosenKeys, nameOf, onKeys: setKeys }}
        />
      )}
      {shown.length === 0 && liveness !== 'failed' && (liveness !== 'loading' || rows.length > 0) && (
        <div className="empty">
          {rows.length === 0 ? props.empty : <strong>{t('app.noMatch', { filter: q })}</strong>}
        </div>
      )}
      {rows.length === 0 && liveness === 'loading' && <p className="empty">{t('app.loading')}</p>}
    </div>
  )
}
