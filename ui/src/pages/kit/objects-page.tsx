// A list of objects of one kind: live, filtered by the address, with what it is good for where it is empty.
import { Plus } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import type { KubeObject } from '../../../../src/base/object.ts'
import type { Objects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { isTyping } from '../../parts/filter-field.tsx'
import { ListView } from '../../parts/list-view.tsx'
import './kit.css'

export interface ObjectsPageProps<T extends KubeObject> {
  /** Names the list in what this browser keeps of it. */
  readonly id: string
  readonly title: string
  readonly objects: Pick<Objects<T>, 'list' | 'liveness' | 'failure'>
  readonly columns: readonly Column<T>[]
  readonly filterHint: string
  readonly empty: { readonly title: string; readonly next: string }
  /** Absent where the user may not. */
  readonly create?: { readonly label: string; readonly onPress: () => void } | undefined
  /** Above the table: a choice of kinds, what one should know. */
  readonly note?: ReactNode
  /** Dialogs. */
  readonly children?: ReactNode
}

const BY_NAME = { column: 'name', isDown: false } as const

export function ObjectsPage<T extends KubeObject>(props: ObjectsPageProps<T>) {
  const { id, title, objects, columns, filterHint, empty, create, note, children } = props
  return (
    <div className="page">
      <div className="page-head">
        <h1>{title}</h1>
        {objects.list.length > 0 && <span className="muted">{objects.list.length}</span>}
        <span className="push" />
        {create && <CreateButton {...create} />}
      </div>
      {note}
      <ListView
        id={id}
        label={title}
        columns={columns}
        rows={objects.list}
        keyOf={keyOf}
        nameOf={nameOf}
        liveness={objects.liveness}
        failure={objects.failure}
        filterHint={filterHint}
        defaultSort={BY_NAME}
        empty={
          <>
            <strong>{empty.title}</strong>
            <p className="measure">{empty.next}</p>
            {create && <Button onPress={create.onPress}>{create.label}</Button>}
          </>
        }
      />
      {children}
    </div>
  )
}

function CreateButton({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'c' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      event.preventDefault()
      onPress()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onPress])
  return (
    <Button kind="primary" onPress={onPress}>
      <Plus className="icon" aria-hidden />
      {label}
      <kbd aria-hidden>c</kbd>
    </Button>
  )
}

function keyOf({ metadata }: KubeObject): string {
  return metadata.uid ?? `${metadata.namespace}/${metadata.name}`
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? ''
}
