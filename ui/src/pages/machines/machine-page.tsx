// One machine: its name, state and actions, what is the matter with it, and its views.
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useWords } from '../../app/words.ts'
import { machineState } from '../../data/machine-state.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { WhyPanel } from '../../parts/why-panel.tsx'
import { PageActions } from './machine-buttons.tsx'
import { useMachine } from './use-machine.ts'

const TABS = [
  { to: '/machines/$namespace/$name', word: 'machine.overview', exact: true },
  { to: '/machines/$namespace/$name/console', word: 'machine.console', exact: false },
  { to: '/machines/$namespace/$name/disks', word: 'machine.disks', exact: false },
  { to: '/machines/$namespace/$name/networks', word: 'machine.networks', exact: false },
  { to: '/machines/$namespace/$name/snapshots', word: 'page.snapshots', exact: false },
  { to: '/machines/$namespace/$name/load', word: 'machine.metrics', exact: false },
  { to: '/machines/$namespace/$name/events', word: 'kit.events', exact: false },
  { to: '/machines/$namespace/$name/yaml', word: 'machine.yaml', exact: false },
] as const

export function MachinePage() {
  const { t, language } = useWords()
  const { namespace, name } = useParams({ from: '/machines/$namespace/$name' })
  const { machine, instance, liveness, failure } = useMachine()
  if (!machine) {
    if (failure && liveness === 'failed') return <Refusal failure={failure} />
    if (liveness === 'loading') return <p className="muted">{t('app.loading')}</p>
    return (
      <div className="empty">
        <h1>{t('machine.notFound', { name, namespace })}</h1>
        <Link to="/machines">{t('machine.back')}</Link>
      </div>
    )
  }
  const shown = machineState(language, machine)
  const host = instance?.status?.nodeName
  return (
    <div className="page">
      <div className="page-head">
        <h1>{name}</h1>
        <StateMark shown={shown} />
        <span className="muted">{host ? `${namespace} · ${host}` : namespace}</span>
        <PageActions machine={machine} instance={instance} />
      </div>
      <nav className="tabs" aria-label={t('machine.tabs')}>
        {TABS.map(({ to, word, exact }) => (
          <Link
            key={to}
            to={to}
            params={{ namespace, name }}
            activeOptions={{ exact, includeSearch: false }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t(word)}
          </Link>
        ))}
      </nav>
      <WhyPanel
        question={{
          kind: 'vm',
          namespace,
          name,
          version: `${machine.metadata.resourceVersion} ${instance?.metadata.resourceVersion ?? ''}`,
        }}
        shown={shown}
      />
      <Outlet />
    </div>
  )
}
