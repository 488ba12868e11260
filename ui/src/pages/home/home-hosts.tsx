// The hosts at a glance.
import { Link } from '@tanstack/react-router'
import { useWords } from '../../app/words.ts'
import { HOSTS, INSTANCES } from '../../data/kinds.ts'
import { hostState } from '../../data/machine-state.ts'
import { quantityText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { StateMark } from '../../parts/state-mark.tsx'

/** The list of hosts has them all. */
const SHOWN_MAX = 10

export function HomeHosts() {
  const { t, language } = useWords()
  const hosts = useObjects(HOSTS).list
  const instances = useObjects(INSTANCES).list
  return (
    <section className="card" aria-label={t('page.hosts')}>
      <header>
        <h2>{t('page.hosts')}</h2>
      </header>
      <table aria-label={t('page.hosts')}>
        <thead>
          <tr>
            <th scope="col">{t('column.state')}</th>
            <th scope="col">{t('column.name')}</th>
            <th scope="col" className="num">
              {t('column.machines')}
            </th>
            <th scope="col" className="num" data-priority="2">
              {t('column.memory')}
            </th>
            <th scope="col" className="num" data-priority="2">
              {t('column.age')}
            </th>
          </tr>
        </thead>
        <tbody>
          {hosts.slice(0, SHOWN_MAX).map((host) => (
            <tr key={host.metadata.uid}>
              <td>
                <StateMark shown={hostState(language, host)} />
              </td>
              <td>
                <Link to={`/hosts/${host.metadata.name}` as never}>
                  <strong>{host.metadata.name}</strong>
                </Link>
              </td>
              <td className="num">
                {instances.filter(({ status }) => status?.nodeName === host.metadata.name).length}
              </td>
              <td className="num" data-priority="2">
                {quantityText(language, host.status?.capacity?.['memory'])}
              </td>
              <td className="num" data-priority="2">
                <Age since={host.metadata.creationTimestamp} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
