// The whole interface: language for the component library, the session, the routes, messages.
import { RouterProvider } from '@tanstack/react-router'
import { I18nProvider } from 'react-aria-components'
import { localeOf } from '../words/say.ts'
import { Messages } from './message-list.tsx'
import { usePreferences } from './preferences.ts'
import { router } from './routes.tsx'
import { SessionGate } from './session-gate.tsx'

export function App() {
  const { language } = usePreferences()
  return (
    <I18nProvider locale={localeOf(language)}>
      <SessionGate>
        <RouterProvider router={router} />
      </SessionGate>
      <Messages />
    </I18nProvider>
  )
}
