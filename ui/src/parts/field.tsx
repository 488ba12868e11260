// One field of a form: label, hint, input, and what the server or the form says against it.
import { type InputHTMLAttributes, type TextareaHTMLAttributes, useId } from 'react'

interface Shared {
  readonly label: string
  readonly hint?: string | undefined
  readonly refusal?: string | undefined
  readonly onValue: (value: string) => void
}
type InputProps = Shared & Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'className'>
type AreaProps = Shared & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'className'>

export function Field({ label, hint, refusal, onValue, ...rest }: InputProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...rest}
        id={id}
        className="input"
        onChange={(event) => onValue(event.target.value)}
        {...describedBy(id, hint, refusal)}
      />
      <Notes id={id} hint={hint} refusal={refusal} />
    </div>
  )
}

export function Area({ label, hint, refusal, onValue, ...rest }: AreaProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        spellCheck={false}
        {...rest}
        id={id}
        className="input"
        onChange={(event) => onValue(event.target.value)}
        {...describedBy(id, hint, refusal)}
      />
      <Notes id={id} hint={hint} refusal={refusal} />
    </div>
  )
}

function describedBy(id: string, hint: string | undefined, refusal: string | undefined) {
  const ids = [hint && `${id}-hint`, refusal && `${id}-refusal`].filter(Boolean).join(' ')
  return {
    'aria-invalid': refusal !== undefined,
    ...(ids === '' ? {} : { 'aria-describedby': ids }),
  }
}

interface NotesProps {
  readonly id: string
  readonly hint: string | undefined
  readonly refusal: string | undefined
}
function Notes({ id, hint, refusal }: NotesProps) {
  return (
    <>
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
    </>
  )
}
