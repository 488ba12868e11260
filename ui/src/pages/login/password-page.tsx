// The first login: the password that was shown on a screen makes way for one that only its owner knows.
import { type FormEvent, useState } from 'react'
import { useWords } from '../../app/words.ts'
import { messageOf } from '../../data/api.ts'
import { changePassword } from '../../data/session.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { LoginFrame } from './login-page.tsx'

export function PasswordPage({ onDone }: { readonly onDone: () => void }) {
  const { t } = useWords()
  return (
    <LoginFrame title={t('login.change.title')}>
      <p className="muted">{t('login.change.why')}</p>
      <PasswordForm onDone={onDone} />
    </LoginFrame>
  )
}

interface FormProps {
  readonly onDone: () => void
  /** Absent where there is no way around it. */
  readonly onCancel?: () => void
}

/** Also for a change at will, from the menu of the user. */
export function PasswordForm({ onDone, onCancel }: FormProps) {
  const { t } = useWords()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (next !== again) {
      setRefusal(t('login.change.differs'))
      return
    }
    setBusy(true)
    setRefusal(undefined)
    try {
      await changePassword(current, next)
      onDone()
    } catch (error) {
      setRefusal(messageOf(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field
        label={t('login.change.current')}
        name="current"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        value={current}
        onValue={setCurrent}
      />
      <Field
        label={t('login.change.new')}
        name="new"
        type="password"
        autoComplete="new-password"
        required
        hint={t('login.change.rule')}
        value={next}
        onValue={setNext}
      />
      <Field
        label={t('login.change.again')}
        name="again"
        type="password"
        autoComplete="new-password"
        required
        value={again}
        onValue={setAgain}
        refusal={refusal}
      />
      <div className={onCancel ? 'dialog-end' : 'stack'}>
        {onCancel && <Button onPress={onCancel}>{t('app.cancel')}</Button>}
        <Button type="submit" kind="primary" isPending={busy}>
          {t('login.change.do')}
        </Button>
      </div>
    </form>
  )
}
