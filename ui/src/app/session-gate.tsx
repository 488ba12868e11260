// Lets nobody in without a session. A session that ends while a page is open is renewed over that page, which keeps
// everything that was typed.
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { Dialog, Modal, ModalOverlay } from 'react-aria-components'
import { ApiFailure, messageOf, onSessionOver } from '../data/api.ts'
import { mayHaveSession, readSession, type Session } from '../data/session.ts'
import { forgetAll, retryAll } from '../data/use-objects.ts'
import { LoginForm, LoginPage } from '../pages/login/login-page.tsx'
import { PasswordPage } from '../pages/login/password-page.tsx'
import { Button } from '../parts/button.tsx'
import { ensureProjects, forgetProjects } from './project.ts'
import { useWords } from './words.ts'

type Phase =
  | { readonly is: 'asking' }
  | { readonly is: 'unreachable'; readonly message: string }
  | { readonly is: 'out' }
  | { readonly is: 'in'; readonly session: Session; readonly over: boolean }

interface Here {
  readonly session: Session
  leave(): void
}
const SessionContext = createContext<Here | undefined>(undefined)

export function useSession(): Here {
  const here = useContext(SessionContext)
  if (!here) throw new Error('useSession outside of SessionGate')
  return here
}

export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { t } = useWords()
  const [phase, setPhase] = useState<Phase>({ is: 'asking' })

  useEffect(() => {
    if (phase.is !== 'asking') return
    const session = readSession()
    // Wanted right after it; whoever has no session asks for neither.
    if (mayHaveSession()) ensureProjects().catch(() => undefined)
    session.then(
      (session) => setPhase(session ? { is: 'in', session, over: false } : { is: 'out' }),
      (error: unknown) => {
        const isRefused = error instanceof ApiFailure && (error.code === 401 || error.code === 403)
        setPhase(isRefused ? { is: 'out' } : { is: 'unreachable', message: messageOf(error) })
      },
    )
  }, [phase])

  useEffect(
    () => onSessionOver(() => setPhase((old) => (old.is === 'in' ? { ...old, over: true } : old))),
    [],
  )

  if (phase.is === 'asking') return null
  if (phase.is === 'unreachable')
    return (
      <main className="login">
        <div className="note bad">
          <strong>{t('app.offline')}</strong> {phase.message}
          <p>
            <Button onPress={() => setPhase({ is: 'asking' })}>{t('app.tryAgain')}</Button>
          </p>
        </div>
      </main>
    )
  if (phase.is === 'out')
    return <LoginPage onDone={(session) => setPhase({ is: 'in', session, over: false })} />

  const { session, over } = phase
  if (session.mustChangePassword)
    return (
      <PasswordPage
        onDone={() => setPhase({ is: 'in', session: { ...session, mustChangePassword: false }, over: false })}
      />
    )
  const renewed = (next: Session) => {
    if (next.username !== session.username) {
      forgetAll()
      forgetProjects()
    }
    setPhase({ is: 'in', session: next, over: false })
    retryAll()
  }
  const leave = () => {
    forgetAll()
    forgetProjects()
    setPhase({ is: 'out' })
  }
  return (
    <SessionContext value={{ session, leave }}>
      {children}
      <ModalOverlay isOpen={over} className="overlay">
        <Modal className="dialog-frame">
          <Dialog className="dialog" aria-label={t('login.title')}>
            <p>{t('app.sessionOver')}</p>
            <LoginForm username={session.username} onDone={renewed} />
          </Dialog>
        </Modal>
      </ModalOverlay>
    </SessionContext>
  )
}
