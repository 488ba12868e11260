// Views of a list: a filter and an order with a name. Some everybody has; others this browser keeps.
import { BookmarkPlus, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { useWords } from '../app/words.ts'
import { readStored, writeStored } from '../data/stored.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'

export interface View {
  readonly id: string
  readonly title: string
  /** The filter. */
  readonly q: string
  /** As in the address: `age`, `-age`. */
  readonly sort?: string
}

export interface ViewsProps {
  readonly list: string
  readonly common: readonly View[]
  readonly current: View
  readonly onView: (view: View) => void
}

export function Views({ list, common, current, onView }: ViewsProps) {
  const { t } = useWords()
  const key = `croft.views.${list}`
  const [own, setOwn] = useState<readonly View[]>(() => readViews(key))
  const [naming, setNaming] = useState(false)
  const keep = (next: readonly View[]) => {
    setOwn(next)
    writeStored(key, next)
  }
  const isCurrent = ({ q, sort }: View) => q === current.q && (sort === undefined || sort === current.sort)
  const isKnown = [...common, ...own].some(isCurrent)
  return (
    <>
      {[...common, ...own].map((view) => (
        <span key={view.id} className="view">
          <button
            type="button"
            className="tag pressable"
            aria-pressed={isCurrent(view)}
            onClick={() => onView(isCurrent(view) ? { ...view, q: '' } : view)}
          >
            {view.title}
          </button>
          {own.includes(view) && (
            <Button
              kind="quiet"
              square
              label={t('list.forgetView', { name: view.title })}
              onPress={() => keep(own.filter((one) => one !== view))}
            >
              <X className="icon" aria-hidden />
            </Button>
          )}
        </span>
      ))}
      {current.q !== '' && !isKnown && (
        <Button kind="quiet" square label={t('list.saveView')} onPress={() => setNaming(true)}>
          <BookmarkPlus className="icon" aria-hidden />
        </Button>
      )}
      <Dialog title={t('list.saveView')} isOpen={naming} onClose={() => setNaming(false)}>
        <NameForm
          suggestion={current.q}
          onCancel={() => setNaming(false)}
          onName={(title) => {
            keep([...own.filter((one) => one.title !== title), { ...current, id: `own-${title}`, title }])
            setNaming(false)
          }}
        />
      </Dialog>
    </>
  )
}

interface NameFormProps {
  readonly suggestion: string
  readonly onName: (name: string) => void
  readonly onCancel: () => void
}

function NameForm({ suggestion, onName, onCancel }: NameFormProps) {
  const { t } = useWords()
  const [name, setName] = useState(suggestion)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') onName(name.trim())
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Field label={t('column.name')} value={name} onValue={setName} autoFocus autoComplete="off" required />
      <div className="dialog-end">
        <Button onPress={onCancel}>{t('app.cancel')}</Button>
        <Button type="submit" kind="primary">
          {t('list.saveView')}
        </Button>
      </div>
    </form>
  )
}

function readViews(key: string): readonly View[] {
  const value = readStored(key)
  if (!Array.isArray(value)) return []
  return value.filter(
    (one): one is View =>
      typeof one?.id === 'string' && typeof one.title === 'string' && typeof one.q === 'string',
  )
}
