// What happened to an object, the newest first.
import type { KubeObject } from '../../../../src/base/object.ts'
import { useWords } from '../../app/words.ts'
import { HAPPENINGS, type Happening } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { StateMark } from '../../parts/state-mark.tsx'

/** More than anybody reads. */
const SHOWN_MAX = 100

interface EventsTabProps {
  readonly kind: string
  readonly object: KubeObject
}

function lastTime({ lastTimestamp, eventTime, metadata }: Happening): string {
  return String(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '')
}

export function EventsTab({ kind, object: { metadata } }: EventsTabProps) {
  const { t } = useWords()
  const { name = '', namespace = 'default' } = metadata
  const events = useObjects(HAPPENINGS, { namespace, fieldSelector: `involvedObject.name=${name}` })
  const about = events.list
    .filter(({ involvedObject }) => !involvedObject?.kind || involvedObject.kind === kind)
    .sort((a, b) => lastTime(b).localeCompare(lastTime(a)))
    .slice(0, SHOWN_MAX)
  if (events.failure && events.liveness === 'failed') return <Refusal failure={events.failure} />
  return (
    <section className="card" aria-label={t('kit.events')}>
      {about.length === 0 ? (
        <p className="in muted">{events.liveness === 'loading' ? t('app.loading') : t('machine.noEvents')}</p>
      ) : (
        <table aria-label={t('kit.events')}>
          <thead>
            <tr>
              <th scope="col">{t('column.time')}</th>
              <th scope="col">{t('column.reason')}</th>
              <th scope="col">{t('column.what')}</th>
            </tr>
          </thead>
          <tbody>
            {about.map((event) => (
              <tr key={event.metadata.uid}>
                <td className="muted">
                  <Age since={lastTime(event)} />
                </td>
                <td>
                  <StateMark
                    shown={{ tone: event.type === 'Warning' ? 'warn' : 'ok', word: event.reason ?? '' }}
                  />
                </td>
                <td className="wrap">
                  {event.message}
                  {(event.count ?? 1) > 1 && <span className="muted"> × {event.count}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
