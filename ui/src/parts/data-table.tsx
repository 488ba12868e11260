// A table of any length of which only the rows in sight are drawn. It stays a real table for screen readers. Columns
// sort, rows are chosen by check boxes, and j, k and x walk and choose without the mouse. A row that scrolls out of
// sight lends its elements to one that comes into sight: making them takes longer than filling them.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type KeyboardEvent, memo, type ReactNode, useCallback, useRef } from 'react'
import { useWords } from '../app/words.ts'
import type { Sort } from '../data/sorting.ts'
import { isTyping } from './filter-field.tsx'
import { TableRow } from './table-row.tsx'

export interface Column<T> {
  readonly id: string
  readonly title: string
  readonly cell: (row: T) => ReactNode
  readonly isNumber?: boolean
  /** 1 stays on every screen; 2 and 3 leave first where it is narrow. */
  readonly priority?: 1 | 2 | 3
  /** Long texts go on in the next line. */
  readonly wraps?: boolean
  /** What the column is sorted by; one without it is not sorted. */
  readonly sortKey?: (row: T) => string | number
  /** The cell in words, for the filter (`id:word`) and CSV; without it the sort key. Neither: not in the CSV. */
  readonly text?: (row: T) => string
  /** The cell keeps nothing of its row, or knows by itself when it is given another: its elements are used again. */
  readonly isReused?: boolean
  /** Left out while rows rush by: nobody can press what is in it then. */
  readonly isLate?: boolean
  /** Not shown until chosen in the menu of columns. */
  readonly isExtra?: boolean
}

export interface Selection<T> {
  readonly keys: ReadonlySet<string>
  readonly nameOf: (row: T) => string
  readonly onKeys: (keys: ReadonlySet<string>) => void
}

export interface DataTableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  /** Must be the same function at each drawing, as columns should be the same list. */
  readonly keyOf: (row: T) => string
  readonly sort?: Sort | undefined
  readonly onSort?: ((sort: Sort) => void) | undefined
  readonly selection?: Selection<T> | undefined
}

const ROW_HEIGHT = 44
/** Rows beyond the edge, so that scrolling shows no gaps. */
const BEYOND = 4

export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, rows, keyOf, sort, onSort, selection } = props
  const scroll = useRef<HTMLDivElement>(null)
  // Rows of one line are all equally high: only others are measured, and only their measures go with them.
  const wraps = columns.some((column) => column.wraps)
  const keyAt = useCallback((index: number) => keyOf(rows[index] as T), [rows, keyOf])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: rowHeight,
    overscan: BEYOND,
    ...(wraps ? { getItemKey: keyAt } : {}),
  })
  const toggle = useToggle(selection)
  const walk = (event: KeyboardEvent) => {
    const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (!isPlain || (step === 0 && event.key !== 'x') || isTypingText(event.target)) return
    const row = (event.target as HTMLElement).closest<HTMLElement>('tr[data-index]')
    const at = row ? Number(row.dataset['index']) : -1
    event.preventDefault()
    if (step === 0) {
      const key = at >= 0 ? keyOf(rows[at] as T) : undefined
      if (key !== undefined) toggle(key)
      return
    }
    const next = Math.min(rows.length - 1, Math.max(0, at + step))
    virtual.scrollToIndex(next)
    const focus = () => {
      const cell = scroll.current?.querySelector<HTMLElement>(
        `tr[data-index="${next}"] :is(input, a, button)`,
      )
      cell?.focus()
      return cell !== null && cell !== undefined
    }
    // A row that was out of sight is there in the next frame.
    if (!focus()) requestAnimationFrame(focus)
  }
  const items = virtual.getVirtualItems().filter(({ index }) => index < rows.length)
  const keys = items.map(({ index }) => keyAt(index))
  const { places, isRushing } = usePlaces(keys, virtual.isScrolling)
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const width = columns.length + (selection ? 1 : 0)
  return (
    <section
      className="scroll"
      data-rushing={isRushing || undefined}
      ref={scroll}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onKeyDown={walk}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <Head rows={rows} keyOf={keyOf} columns={columns} sort={sort} onSort={onSort} selection={selection} />
        <tbody>
          {before > 0 && <Spacer height={before} columns={width} />}
          {items.map(({ index }, at) => {
            const key = keys[at] ?? ''
            return (
              <TableRow
                // Rows that are measured keep their elements to themselves.
                key={wraps ? key : places[at]}
                row={rows[index]}
                rowKey={key}
                index={index}
                columns={columns as readonly Column<unknown>[]}
                isRushing={isRushing}
                measure={wraps ? virtual.measureElement : undefined}
                isChosen={selection ? selection.keys.has(key) : undefined}
                name={selection ? selection.nameOf(rows[index] as T) : ''}
                onToggle={toggle}
              />
            )
          })}
          {after > 0 && <Spacer height={after} columns={width} />}
        </tbody>
      </table>
    </section>
  )
}

const rowHeight = () => ROW_HEIGHT

/** Beyond this share of new rows from one drawing to the next nobody reads them. */
const RUSH = 0.25

interface Places {
  readonly places: readonly number[]
  readonly isRushing: boolean
}

/** The place of each row's elements: a row keeps its own while it is in sight, and leaves it to the next that comes. */
function usePlaces(keys: readonly string[], isScrolling: boolean): Places {
  const last = useRef({ of: new Map<string, number>(), made: 0, isRushing: false })
  const { of: old } = last.current
  const staying = new Set(keys)
  const free: number[] = []
  for (const [key, place] of old) if (!staying.has(key)) free.push(place)
  const isRushing = isScrolling && (last.current.isRushing || free.length > keys.length * RUSH)
  let { made } = last.current
  const places = keys.map((key) => old.get(key) ?? free.shift() ?? made++)
  last.current = { of: new Map(keys.map((key, at) => [key, places[at] ?? 0])), made, isRushing }
  return { places, isRushing }
}

/** Check boxes and buttons of the table itself are no places to type in. */
function isTypingText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return false
  return isTyping(target)
}

function useToggle<T>(selection: Selection<T> | undefined): (key: string) => void {
  const latest = useRef(selection)
  latest.current = selection
  return useCallback((key: string) => {
    const now = latest.current
    if (!now) return
    const keys = new Set(now.keys)
    if (!keys.delete(key)) keys.add(key)
    now.onKeys(keys)
  }, [])
}

type HeadProps<T> = Omit<DataTableProps<T>, 'label'>

/** Nothing of it changes while the rows scroll. */
const Head = memo(function Head<T>({ rows, keyOf, columns, sort, onSort, selection }: HeadProps<T>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selection && <SelectAll rows={rows} keyOf={keyOf} selection={selection} />}
        {columns.map((column) => (
          <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
        ))}
      </tr>
    </thead>
  )
}) as <T>(props: HeadProps<T>) => ReactNode

interface HeadCellProps<T> {
  readonly column: Column<T>
  readonly sort: Sort | undefined
  readonly onSort: ((sort: Sort) => void) | undefined
}

function HeadCell<T>({ column, sort, onSort }: HeadCellProps<T>) {
  const { id, title, isNumber, priority = 1, sortKey } = column
  const isSorted = sort?.column === id
  const down = isSorted && sort.isDown
  const Arrow = down ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      data-priority={priority}
      className={isNumber ? 'num' : ''}
      {...(isSorted ? { 'aria-sort': down ? 'descending' : 'ascending' } : {})}
    >
      {sortKey && onSort ? (
        <button
          type="button"
          className="sorter"
          onClick={() => onSort({ column: id, isDown: isSorted && !sort.isDown })}
        >
          {title}
          <Arrow className={isSorted ? 'icon' : 'icon faint'} aria-hidden />
        </button>
      ) : (
        title
      )}
    </th>
  )
}

interface SelectAllProps<T> {
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
  readonly selection: Selection<T>
}

function SelectAll<T>({ rows, keyOf, selection: { keys, onKeys } }: SelectAllProps<T>) {
  const { t } = useWords()
  const isAll = rows.length > 0 && keys.size >= rows.length
  return (
    <th scope="col" className="choose">
      <input
        type="checkbox"
        aria-label={t('list.chooseAll')}
        checked={isAll}
        ref={(box) => {
          if (box) box.indeterminate = keys.size > 0 && !isAll
        }}
        onChange={() => onKeys(isAll ? new Set() : new Set(rows.map(keyOf)))}
      />
    </th>
  )
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr aria-hidden>
      <td className="spacer" colSpan={columns} style={{ height }} />
    </tr>
  )
}
