// Columns that lists of many kinds have.
import type { ReactNode } from 'react'
import type { KubeObject } from '../../../../src/base/object.ts'
import type { Say } from '../../app/words.ts'
import { Age } from '../../parts/age.tsx'
import type { Column } from '../../parts/data-table.tsx'

export function projectColumn<T extends KubeObject>(t: Say): Column<T> {
  return {
    id: 'project',
    title: t('column.project'),
    priority: 3,
    cell: ({ metadata }) => <span className="muted">{metadata.namespace}</span>,
    sortKey: ({ metadata }) => metadata.namespace ?? '',
  }
}

export function ageColumn<T extends KubeObject>(t: Say): Column<T> {
  return {
    id: 'age',
    title: t('column.age'),
    priority: 3,
    isNumber: true,
    cell: ({ metadata }) => <Age since={metadata.creationTimestamp} />,
    // The older, the larger.
    sortKey: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
    text: ({ metadata }) => metadata.creationTimestamp ?? '',
  }
}

/** A column of plain text. */
export function textColumn<T>(
  id: string,
  title: string,
  textOf: (object: T) => string,
  more: Partial<Column<T>> = {},
): Column<T> {
  return { id, title, cell: (object) => textOf(object) || '–', sortKey: textOf, ...more }
}

/** The name, in a link to the page of the object. */
export function nameColumn<T extends KubeObject>(t: Say, link: (object: T) => ReactNode): Column<T> {
  return { id: 'name', title: t('column.name'), cell: link, sortKey: ({ metadata }) => metadata.name ?? '' }
}

/** Buttons at the end of a row. */
export function actionsColumn<T>(t: Say, buttons: (object: T) => ReactNode): Column<T> {
  return {
    id: 'actions',
    title: t('column.actions'),
    isNumber: true,
    cell: (object) => <span className="btns">{buttons(object)}</span>,
  }
}
