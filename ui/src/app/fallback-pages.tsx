// What stands where a page cannot.
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { messageOf } from '../data/api.ts'
import { useWords } from './words.ts'

export function NoSuchPage() {
  const { t } = useWords()
  return (
    <div className="empty">
      <h1>{t('app.noSuchPage')}</h1>
      <Link to="/machines">{t('page.machines')}</Link>
    </div>
  )
}

export function BrokenPage({ error }: ErrorComponentProps) {
  const { t } = useWords()
  return (
    <main className="main">
      <div className="note bad" role="alert">
        <strong>{t('app.broken')}</strong>
        {messageOf(error)}
      </div>
    </main>
  )
}
