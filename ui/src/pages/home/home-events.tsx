// What happened lately, the newest first.
import { useMemo } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { HAPPENINGS, type Happening } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { StateMark } from '../../parts/state-mark.tsx'

const SHOWN_MAX = 12

function lastTime({ lastTimestamp, eventTime, metadata }: Happening): string {
  return String(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '')
}

export function HomeEvents() {
  const { t } = useWords()
  const { list, liveness } = useObjects(HAPPENINGS, { namespace: useProject() })
  const lately = useMemo(
    () => [...list].sort((a, b) => (lastTime(a) < lastTime(b) ? 1 : -1)).slice(0, SHOWN_MAX),
    [list],
  )
  return (
    <section className="card" aria-label={t('machine.lately')}>
      <header>
        <h2>{t('machine.lately')}</h2>
      </header>
      {lately.length === 0 ? (
        <p className="in muted">{liveness === 'loading' ? t('app.loading') : t('machine.noEvents')}</p>
      ) : (
        <table aria-label={t('machine.lately')}>
          <tbody>
            {lately.map((event) => (
              <tr key={event.metadata.uid}>
                <td className="muted num">
                  <Age since={lastTime(event)} />
                </td>
                <td className="wrap">
                  {event.type === 'Warning' && (
                    <>
                      <StateMark shown={{ tone: 'warn', word: event.reason ?? '' }} />{' '}
                    </>
                  )}
                  <strong>{event.involvedObject?.name}</strong> {event.message}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
