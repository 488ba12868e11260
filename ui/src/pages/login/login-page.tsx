// Logging in.
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { LanguageMenu, ThemeMenu } from '../../app/preference-menus.tsx'
import { useWords } from '../../app/words.ts'
import { ApiFailure, messageOf } from '../../data/api.ts'
import { logIn, type Session } from '../../data/session.ts'
import { Brand } from '../../parts/brand.tsx'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'

interface Done {
  readonly onDone: (session: Session) => void
}

export function LoginPage({ onDone }: Done) {
  const { t } = useWords()
  return (
    <LoginFrame title={t('login.title')}>
      <LoginForm onDone={onDone} />
      <p className="muted small">{t('login.first')}</p>
    </LoginFrame>
  )
}

export function LoginFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="login">
      <div>
        <div className="card login-card">
          <div className="brand">
            <Brand size={28} />
          </div>
          <h1>{title}</h1>
          {children}
        </div>
        <div className="login-foot">
          <LanguageMenu />
          <ThemeMenu />
        </div>
      </div>
    </main>
  )
}

/** Also for a session that ended while a page is open: the name is known then. */
export function LoginForm({ onDone, username }: Done & { readonly username?: string }) {
  const { t } = useWords()
  const [name, setName] = useState(username ?? '')
  const [password, setPassword] = useState('')
  const [refusal, setRefusal] = useState<string>()
  const [wait, setWait] = useState(0)
  const [busy, setBusy] = useState(false)

  useEffect(() => {
    if (wait <= 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1_000)
    return () => clearTimeout(timer)
  }, [wait])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefusal(undefined)
    try {
      onDone(await logIn(name, password))
    } catch (error) {
      const code = error instanceof ApiFailure ? error.code : 0
      if (code === 429 && error instanceof ApiFailure) setWait(error.details?.retryAfterSeconds ?? 10)
      else setRefusal(code === 401 ? t('login.wrong') : messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  const shown = wait > 0 ? t('login.tooMany', { seconds: wait }) : refusal

  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <Field
        label={t('login.user')}
        name="username"
        autoComplete="username"
        autoCapitalize="none"
        required
        autoFocus={username === undefined}
        value={name}
        onValue={setName}
      />
      <Field
        label={t('login.password')}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={username !== undefined}
        value={password}
        onValue={setPassword}
        refusal={shown}
      />
      <Button type="submit" kind="primary" isPending={busy} isDisabled={wait > 0}>
        {t('login.do')}
      </Button>
    </form>
  )
}
