// One row of a table. It is drawn anew only when something of it changed, and takes over the elements of another row.
import { memo, useLayoutEffect, useRef } from 'react'
import { useWords } from '../app/words.ts'
import type { Column } from './data-table.tsx'

export interface RowProps {
  readonly row: unknown
  readonly rowKey: string
  readonly index: number
  readonly columns: readonly Column<unknown>[]
  readonly isRushing: boolean
  readonly measure: ((element: Element | null) => void) | undefined
  readonly isChosen: boolean | undefined
  readonly name: string
  readonly onToggle: (key: string) => void
}

function Row({ row, rowKey, index, columns, isRushing, measure, isChosen, name, onToggle }: RowProps) {
  const { t } = useWords()
  const element = useRef<HTMLTableRowElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row or another place is measured anew
  useLayoutEffect(() => {
    measure?.(element.current)
    return () => measure?.(null)
  }, [measure, rowKey, index])
  useFocusOfOwn(element, rowKey)
  const pressed = useRef(rowKey)
  return (
    <tr
      ref={element}
      data-index={index}
      aria-rowindex={index + 2}
      onPointerDownCapture={() => {
        pressed.current = rowKey
      }}
      onClickCapture={(event) => {
        // Pressed on one machine, let go on another that scrolled into its place.
        if (event.detail === 0 || pressed.current === rowKey) return
        event.preventDefault()
        event.stopPropagation()
      }}
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
      {columns.map(({ id, cell, isNumber, priority = 1, wraps, isReused, isLate }) => (
        <td
          key={isReused ? id : `${id} ${rowKey}`}
          data-priority={priority}
          className={isNumber ? 'num' : wraps ? 'wrap' : ''}
        >
          {isLate ? <LateCell row={row} cell={cell} isRushing={isRushing} /> : cell(row)}
        </td>
      ))}
    </tr>
  )
}
export const TableRow = memo(Row)

interface LateProps {
  readonly row: unknown
  readonly cell: Column<unknown>['cell']
  readonly isRushing: boolean
}

/** Hidden by its style while rows rush by, with what it held before. */
const LateCell = memo(
  ({ row, cell }: LateProps) => <span className="late">{cell(row)}</span>,
  (old, next) => next.isRushing || (old.row === next.row && old.cell === next.cell),
)

/** A button that has the focus must not become that of another row: the focus stays with the list instead. */
function useFocusOfOwn(element: { readonly current: HTMLElement | null }, rowKey: string): void {
  const shown = useRef(rowKey)
  useLayoutEffect(() => {
    const isOther = shown.current !== rowKey
    shown.current = rowKey
    if (isOther && element.current?.contains(document.activeElement))
      element.current.closest<HTMLElement>('.scroll')?.focus({ preventScroll: true })
  }, [element, rowKey])
}
