// A table of any length of which only the rows in sight are drawn. It stays a real table for screen readers.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'

export interface Column<T> {
  readonly id: string
  readonly title: string
  readonly cell: (row: T) => ReactNode
  readonly isNumber?: boolean
  /** 1 stays on every screen; 2 and 3 leave first where it is narrow. */
  readonly priority?: 1 | 2 | 3
  /** Long texts go on in the next line. */
  readonly wraps?: boolean
}

export interface DataTableProps<T> {
  readonly label: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly keyOf: (row: T) => string
}

const ROW_HEIGHT = 45
/** Rows beyond the edge, so that scrolling shows no gaps. */
const BEYOND = 12

export function DataTable<T>({ label, columns, rows, keyOf }: DataTableProps<T>) {
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: BEYOND,
    getItemKey: (index) => keyOf(rows[index] as T),
  })
  const items = virtual.getVirtualItems()
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="scroll" ref={scroll} aria-label={label} tabIndex={0}>
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ id, title, isNumber, priority = 1 }) => (
              <th key={id} scope="col" data-priority={priority} className={isNumber ? 'num' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Spacer height={before} columns={columns.length} />}
          {items.map(({ index, key }) => (
            <tr key={String(key)} ref={virtual.measureElement} data-index={index} aria-rowindex={index + 2}>
              {columns.map(({ id, cell, isNumber, priority = 1, wraps }) => (
                <td key={id} data-priority={priority} className={isNumber ? 'num' : wraps ? 'wrap' : ''}>
                  {cell(rows[index] as T)}
                </td>
              ))}
            </tr>
          ))}
          {after > 0 && <Spacer height={after} columns={columns.length} />}
        </tbody>
      </table>
    </section>
  )
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr aria-hidden>
      <td className="spacer" colSpan={columns} style={{ height }} />
    </tr>
  )
}
