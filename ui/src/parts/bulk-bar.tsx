// What can be done with the chosen rows of a list at once. A preview says which will be touched, which not and why;
// then they are done a few at a time, as one task.
import { type LucideIcon, X } from 'lucide-react'
import { useState } from 'react'
import { runBulk } from '../app/tasks.ts'
import { useWords } from '../app/words.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { StateMark } from './state-mark.tsx'

export interface BulkAction<T> {
  readonly id: string
  readonly title: string
  readonly icon: LucideIcon
  readonly isBad?: boolean
  /** True where it can be done to the row; otherwise why not, in words. */
  readonly can: (row: T) => true | string
  /** Throws with what the server said. */
  readonly does: (row: T) => Promise<unknown>
  /** What the user must know before it is done. */
  readonly warning?: string
}

export interface BulkBarProps<T> {
  readonly chosen: readonly T[]
  readonly actions: readonly BulkAction<T>[]
  readonly nameOf: (row: T) => string
  readonly onClear: () => void
}

/** Names beyond these are only counted. */
const NAMES_SHOWN = 50

export function BulkBar<T>({ chosen, actions, nameOf, onClear }: BulkBarProps<T>) {
  const { t } = useWords()
  const [action, setAction] = useState<BulkAction<T>>()
  return (
    <div className="bulk" role="toolbar" aria-label={t('list.bulk')}>
      <strong role="status">{t('list.chosen', { count: chosen.length })}</strong>
      {actions.map((one) => {
        const Icon = one.icon
        return (
          <Button
            key={one.id}
            isDisabled={chosen.every((row) => one.can(row) !== true)}
            onPress={() => setAction(one)}
          >
            <Icon className="icon" aria-hidden />
            {one.title}
          </Button>
        )
      })}
      <span className="push" />
      <Button kind="quiet" square label={t('list.chooseNone')} onPress={onClear}>
        <X className="icon" aria-hidden />
      </Button>
      {action && (
        <Preview
          action={action}
          chosen={chosen}
          nameOf={nameOf}
          onClose={() => setAction(undefined)}
          onDone={() => {
            setAction(undefined)
            onClear()
          }}
        />
      )}
    </div>
  )
}

interface PreviewProps<T> extends Omit<BulkBarProps<T>, 'actions' | 'onClear'> {
  readonly action: BulkAction<T>
  readonly onClose: () => void
  readonly onDone: () => void
}

function Preview<T>({ action, chosen, nameOf, onClose, onDone }: PreviewProps<T>) {
  const { t } = useWords()
  const able = chosen.filter((row) => action.can(row) === true)
  const others = chosen.flatMap((row) => {
    const why = action.can(row)
    return why === true ? [] : [{ name: nameOf(row), why }]
  })
  const run = () => {
    runBulk({
      title: t('list.bulkTask', { action: action.title, count: able.length }),
      rows: able.map((row) => ({ name: nameOf(row), does: () => action.does(row) })),
    })
    onDone()
  }
  const title = t('list.bulkTitle', { action: action.title, count: able.length })
  return (
    <Dialog title={title} isOpen onClose={onClose} isGrave={action.isBad ?? false}>
      {action.warning && <p>{action.warning}</p>}
      <ul className="names">
        {able.slice(0, NAMES_SHOWN).map((row) => (
          <li key={nameOf(row)}>{nameOf(row)}</li>
        ))}
        {able.length > NAMES_SHOWN && <li>{t('list.andMore', { count: able.length - NAMES_SHOWN })}</li>}
      </ul>
      {others.length > 0 && (
        <details>
          <summary>{t('list.leftOut', { count: others.length })}</summary>
          <ul className="names">
            {others.slice(0, NAMES_SHOWN).map(({ name, why }) => (
              <li key={name}>
                {name} <StateMark shown={{ tone: 'off', word: why }} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <div className="dialog-end">
        <Button autoFocus onPress={onClose}>
          {t('app.cancel')}
        </Button>
        <Button kind={action.isBad ? 'danger' : 'primary'} onPress={run}>
          {action.title}
        </Button>
      </div>
    </Dialog>
  )
}
