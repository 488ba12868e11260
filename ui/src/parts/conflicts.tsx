// What somebody else changed while a form was filled in, beside what the form says.
import { useWords } from '../app/words.ts'
import type { Conflict } from '../data/changes.ts'
import { Button } from './button.tsx'

export interface ConflictsProps {
  readonly conflicts: readonly Conflict[]
  /** The form's values after all. */
  readonly onMine: () => void
  /** The form is filled anew with what is there now. */
  readonly onTheirs: () => void
}

export function Conflicts({ conflicts, onMine, onTheirs }: ConflictsProps) {
  const { t } = useWords()
  return (
    <div className="note warn" role="alert">
      <strong>{t('edit.conflict')}</strong>
      <table aria-label={t('edit.conflict')}>
        <thead>
          <tr>
            <th scope="col">{t('edit.field')}</th>
            <th scope="col">{t('edit.theirs')}</th>
            <th scope="col">{t('edit.mine')}</th>
          </tr>
        </thead>
        <tbody>
          {conflicts.map(({ path, theirs, mine }) => (
            <tr key={path}>
              <td className="mono wrap">{path}</td>
              <td className="wrap">{textOf(theirs)}</td>
              <td className="wrap">{textOf(mine)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="dialog-end">
        <Button onPress={onTheirs}>{t('edit.takeTheirs')}</Button>
        <Button onPress={onMine}>{t('edit.takeMine')}</Button>
      </div>
    </div>
  )
}

function textOf(value: unknown): string {
  return value === undefined || value === null
    ? '–'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)
}
