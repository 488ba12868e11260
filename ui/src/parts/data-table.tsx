// A table of any length of which only the rows in sight are drawn. It stays a real table for screen readers. Columns
// sort, rows are chosen by check boxes, and j, k and x walk and choose without the mouse.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type KeyboardEvent, memo, type ReactNode, useCallback, useRef } from 'react'
import { useWords } from '../app/words.ts'
import type { Sort } from '../data/sorting.ts'
import { isTyping } from './filter-field.tsx'

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
  readonly onSort?: (sort: Sort) => void
  readonly selection?: Selection<T> | undefined
}

const ROW_HEIGHT = 44
/** Rows beyond the edge, so that scrolling shows no gaps. */
const BEYOND = 8

export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, rows, keyOf, sort, onSort, selection } = props
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: BEYOND,
    getItemKey: (index) => keyOf(rows[index] as T),
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
  // Rows of one line are all equally high: only others are measured.
  const wraps = columns.some((column) => column.wraps)
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const width = columns.length + (selection ? 1 : 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll" ref={scroll} aria-label={label} tabIndex={0} onKeyDown={walk}>
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {selection && <SelectAll rows={rows} keyOf={keyOf} selection={selection} />}
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} columns={width} />}
          {items.map(({ index, key }) => (
            <MemoRow
              key={String(key)}
              row={rows[index]}
              rowKey={String(key)}
              index={index}
              columns={columns as readonly Column<unknown>[]}
              measure={wraps ? virtual.measureElement : undefined}
              isChosen={selection ? selection.keys.has(String(key)) : undefined}
              name={selection ? selection.nameOf(rows[index] as T) : ''}
              onToggle={toggle}
            />
          ))}
          {after > 0 && <Spacer height={after} columns={width} />}
        </tbody>
      </table>
    </section>
  )
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

interface RowProps {
  readonly row: unknown
  readonly rowKey: string
  readonly index: number
  readonly columns: readonly Column<unknown>[]
  readonly measure: ((element: Element | null) => void) | undefined
  readonly isChosen: boolean | undefined
  readonly name: string
  readonly onToggle: (key: string) => void
}

function Row({ row, rowKey, index, columns, measure, isChosen, name, onToggle }: RowProps) {
  const { t } = useWords()
  return (
    <tr
      ref={measure ?? null}
      data-index={index}
      aria-rowindex={index + 2}
      {...(isChosen === undefined ? {} : { 'aria-selected': isChosen })}
    >
      {isChosen !== undefined && (
        <td className="choose">
          <input
            type="checkbox"
            aria-label={t('list.choose', { name })}
            checked={isChosen}
            onChange={() => onToggle(rowKey)}
          />
        </td>
      )}
      {columns.map(({ id, cell, isNumber, priority = 1, wraps }) => (
        <td key={id} data-priority={priority} className={isNumber ? 'num' : wraps ? 'wrap' : ''}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}
const MemoRow = memo(Row)

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
