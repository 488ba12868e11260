// A field whose value is one of a list, in the browser's own control.
import { useId } from 'react'

export interface Option {
  readonly id: string
  readonly text: string
  readonly isDisabled?: boolean
}
export interface ChoiceFieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly refusal?: string | undefined
  readonly value: string
  readonly options: readonly Option[]
  readonly isDisabled?: boolean
  readonly onValue: (id: string) => void
}

export function ChoiceField(props: ChoiceFieldProps) {
  const { label, hint, refusal, value, options, isDisabled = false, onValue } = props
  const id = useId()
  const about = [hint && `${id}-hint`, refusal && `${id}-refusal`].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="input"
        value={value}
        disabled={isDisabled}
        aria-invalid={refusal !== undefined}
        {...(about === '' ? {} : { 'aria-describedby': about })}
        onChange={(event) => onValue(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.id} value={option.id} disabled={option.isDisabled ?? false}>
            {option.text}
          </option>
        ))}
      </select>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {refusal && (
        <span className="refusal" id={`${id}-refusal`} role="alert">
          {refusal}
        </span>
      )}
    </div>
  )
}

export interface CheckFieldProps {
  readonly label: string
  readonly hint?: string
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  readonly onValue: (isChecked: boolean) => void
}

export function CheckField({ label, hint, isChecked, isDisabled = false, onValue }: CheckFieldProps) {
  return (
    <label className="check-line">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={(event) => onValue(event.target.checked)}
      />
      <span>
        {label}
        {hint && (
          <>
            <br />
            <span className="muted small">{hint}</span>
          </>
        )}
      </span>
    </label>
  )
}
