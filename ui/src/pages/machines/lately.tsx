// What happened to a machine, its instance and its launcher, the newest first.
import { useWords } from '../../app/words.ts'
import { HAPPENINGS, type Happening } from '../../data/kinds.ts'
import { claimsOf } from '../../data/machine-actions.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { useMachine } from './use-machine.ts'

/** More than anybody reads. */
const EVENTS_MAX = 200

export function EventsTab() {
  return <Lately shownMax={EVENTS_MAX} />
}

function lastTime({ lastTimestamp, eventTime, metadata }: Happening): string {
  return String(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '')
}

export function Lately({ shownMax }: { readonly shownMax: number }) {
  const { t } = useWords()
  const { namespace, name, machine } = useMachine()
  const claims = machine ? claimsOf(machine) : []
  const { list } = useObjects(HAPPENINGS, { namespace })
  const about = list
    .filter(
      ({ involvedObject }) =>
        involvedObject?.name === name ||
        involvedObject?.name?.startsWith(`virt-launcher-${name}-`) ||
        claims.includes(involvedObject?.name ?? ''),
    )
    .sort((a, b) => lastTime(b).localeCompare(lastTime(a)))
    .slice(0, shownMax)
  return (
    <section className="card" aria-label={t('machine.lately')}>
      <header>
        <h2>{t('machine.lately')}</h2>
      </header>
      {about.length === 0 ? (
        <p className="in muted">{t('machine.noEvents')}</p>
      ) : (
        <table aria-label={t('machine.lately')}>
          <thead>
            <tr>
              <th scope="col">{t('column.time')}</th>
              <th scope="col">{t('column.what')}</th>
            </tr>
          </thead>
          <tbody>
            {about.map((event) => (
              <tr key={event.metadata.uid}>
                <td className="muted">
                  <Age since={lastTime(event)} />
                </td>
                <td className="wrap">
                  {event.type === 'Warning' ? (
                    <StateMark shown={{ tone: 'warn', word: event.reason ?? '' }} />
                  ) : (
                    <strong>{event.reason}</strong>
                  )}{' '}
                  {event.message}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
