// The user: who it is, a new password, the way out.
import { CircleUser, Keyboard, KeyRound, LogOut } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../data/api.ts'
import { logOut } from '../data/session.ts'
import { PasswordForm } from '../pages/login/password-page.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { tell } from './messages.ts'
import { useSession } from './session-gate.tsx'
import { showShortcuts } from './shortcut-help.tsx'
import { useWords } from './words.ts'

export function AccountMenu() {
  const { t } = useWords()
  const { session, leave } = useSession()
  const [changing, setChanging] = useState(false)
  const choose = (id: string) => {
    if (id === 'password') setChanging(true)
    else if (id === 'keys') showShortcuts()
    else logOut().then(leave, (error: unknown) => tell('bad', messageOf(error)))
  }
  return (
    <>
      <MenuButton
        label={t('app.account', { user: session.username })}
        icon={CircleUser}
        choices={[
          { id: 'password', text: t('app.password'), icon: KeyRound, note: session.username },
          { id: 'keys', text: t('keys.title'), icon: Keyboard },
          { id: 'logout', text: t('app.logout'), icon: LogOut },
        ]}
        onChoose={choose}
        quiet
      />
      <Dialog title={t('app.password')} isOpen={changing} onClose={() => setChanging(false)}>
        <PasswordForm
          onCancel={() => setChanging(false)}
          onDone={() => {
            setChanging(false)
            tell('ok', t('app.password.done'))
          }}
        />
      </Dialog>
    </>
  )
}
