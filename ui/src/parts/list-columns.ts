// Which columns of a list are shown; kept in this browser.
import { useMemo, useState } from 'react'
import { readStored, writeStored } from '../data/stored.ts'
import type { Column } from './data-table.tsx'

export interface ColumnChoice<T> {
  readonly shown: readonly Column<T>[]
  isShown(id: string): boolean
  toggle(id: string): void
}

export function useColumnChoice<T>(list: string, columns: readonly Column<T>[]): ColumnChoice<T> {
  const key = `croft.columns.${list}`
  /** Columns whose state differs from what it is without a choice. */
  const [flipped, setFlipped] = useState<readonly string[]>(() => readNames(key))
  return useMemo(() => {
    const isShown = (id: string) => {
      const column = columns.find((one) => one.id === id)
      return (column?.isExtra !== true) !== flipped.includes(id)
    }
    return {
      shown: columns.filter(({ id }) => isShown(id)),
      isShown,
      toggle: (id) => {
        const next = flipped.includes(id) ? flipped.filter((one) => one !== id) : [...flipped, id]
        setFlipped(next)
        writeStored(key, next)
      },
    }
  }, [key, columns, flipped])
}

function readNames(key: string): readonly string[] {
  const value = readStored(key)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
