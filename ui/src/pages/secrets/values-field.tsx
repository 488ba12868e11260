// Rows of keys and values, to add to and to remove from.
import { Plus, Trash2 } from 'lucide-react'
import { useWords } from '../../app/words.ts'
import { Button } from '../../parts/button.tsx'
import { Area, Field } from '../../parts/field.tsx'
import { rowsFor, type ValueRow } from './values.ts'

export interface ValuesFieldProps {
  readonly rows: readonly ValueRow[]
  readonly refusal: string | undefined
  readonly onRows: (rows: readonly ValueRow[]) => void
}

export function ValuesField({ rows, refusal, onRows }: ValuesFieldProps) {
  const { t } = useWords()
  const change = (id: string, part: Partial<ValueRow>) =>
    onRows(rows.map((row) => (row.id === id ? { ...row, ...part } : row)))
  return (
    <fieldset className="stack plain-set">
      <legend className="label">{t('secrets.values')}</legend>
      {rows.map((row, index) => (
        <div key={row.id} className="value-row">
          <Field
            label={t('secrets.key')}
            value={row.key}
            readOnly={row.isOld}
            refusal={index === 0 ? refusal : undefined}
            onValue={(key) => change(row.id, { key })}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
          <Area
            label={t('secrets.value')}
            hint={row.isOld && row.text === undefined ? t('secrets.value.kept') : undefined}
            rows={1}
            value={row.text ?? ''}
            onValue={(text) => change(row.id, { text })}
            autoComplete="off"
          />
          <Button
            square
            kind="quiet"
            label={t('kit.remove')}
            longLabel={t('secrets.removeValue', { key: row.key })}
            onPress={() => onRows(rows.filter(({ id }) => id !== row.id))}
          >
            <Trash2 className="icon" aria-hidden />
          </Button>
        </div>
      ))}
      {rows.length === 0 && refusal && (
        <p className="refusal" role="alert">
          {refusal}
        </p>
      )}
      <div>
        <Button onPress={() => onRows([...rows, ...rowsFor([''], false)])}>
          <Plus className="icon" aria-hidden />
          {t('secrets.addValue')}
        </Button>
      </div>
    </fieldset>
  )
}
