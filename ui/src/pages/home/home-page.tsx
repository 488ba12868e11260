// Home: what needs somebody first, then how much room there is, the hosts, and what happened lately.

import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { HOSTS, IMAGES, MACHINES } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Capacity } from './capacity.tsx'
import { HomeEvents } from './home-events.tsx'
import { HomeHosts } from './home-hosts.tsx'
import { Problems } from './problems.tsx'

export function HomePage() {
  const { t } = useWords()
  const namespace = useProject()
  const hosts = useObjects(HOSTS)
  const machines = useObjects(MACHINES, { namespace }).list.length
  const images = useObjects(IMAGES, { namespace }).list.length
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('page.home')}</h1>
        <span className="muted">{t('home.sum', { hosts: hosts.list.length, machines, images })}</span>
      </div>
      <Problems />
      {hosts.liveness !== 'failed' && <Capacity />}
      <div className="columns home">
        {hosts.liveness !== 'failed' && <HomeHosts />}
        <HomeEvents />
      </div>
    </div>
  )
}
