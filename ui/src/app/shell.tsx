// The frame around every page: rail, top bar, banner, and the page itself.
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { CircleUser, Disc3, FolderOpen, HardDrive, Monitor, Server, WifiOff } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { messageOf } from '../data/api.ts'
import { HOSTS, NAMESPACES } from '../data/kinds.ts'
import { logOut } from '../data/session.ts'
import { useObjects } from '../data/use-objects.ts'
import { Brand } from '../parts/brand.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { tell } from './messages.ts'
import { LanguageMenu, ThemeMenu } from './preference-menus.tsx'
import { isSystemNamespace, useProject } from './project.ts'
import { useSession } from './session-gate.tsx'
import { useWords } from './words.ts'

const PAGES = [
  { to: '/machines', word: 'page.machines', Icon: Monitor },
  { to: '/volumes', word: 'page.volumes', Icon: HardDrive },
  { to: '/images', word: 'page.images', Icon: Disc3 },
  { to: '/hosts', word: 'page.hosts', Icon: Server },
] as const

export function Shell() {
  const { t } = useWords()
  const main = useRef<HTMLElement>(null)
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {t('app.skip')}
      </button>
      <nav className="rail" aria-label={t('app.pages')}>
        <Link to="/machines" className="brand">
          <Brand /> croft
        </Link>
        <ul>
          {PAGES.map(({ to, word, Icon }) => (
            <li key={to}>
              <Link to={to} activeProps={{ 'aria-current': 'page' }}>
                <Icon className="icon" aria-hidden />
                {t(word)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <header className="bar">
        <ProjectMenu />
        <span className="push" />
        <LanguageMenu />
        <ThemeMenu />
        <AccountMenu />
      </header>
      <div className="frame">
        <OfflineBanner />
        <main className="main" id="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  )
}

/** One banner for all feeds: hosts are watched as long as the page is open. */
function OfflineBanner() {
  const { t } = useWords()
  const { liveness } = useObjects(HOSTS)
  if (liveness !== 'reconnecting') return null
  return (
    <div className="banner" role="status">
      <WifiOff className="icon" aria-hidden />
      {t('app.offline')}
    </div>
  )
}

const ALL = ''

function ProjectMenu() {
  const { t } = useWords()
  const project = useProject()
  const navigate = useNavigate()
  const { list } = useObjects(NAMESPACES)
  const names = list
    .map(({ metadata }) => metadata.name ?? '')
    .sort((a, b) => Number(isSystemNamespace(a)) - Number(isSystemNamespace(b)) || a.localeCompare(b))
  useEffect(() => {
    document.title = project === undefined ? 'Croft' : `${project} · Croft`
  }, [project])
  return (
    <MenuButton
      label={t('app.project')}
      icon={FolderOpen}
      text={project ?? t('app.allProjects')}
      chosen={project ?? ALL}
      choices={[{ id: ALL, text: t('app.allProjects') }, ...names.map((name) => ({ id: name, text: name }))]}
      onChoose={(id) =>
        void navigate({
          to: '.',
          search: ((old: Record<string, unknown>) => ({
            ...old,
            project: id === ALL ? undefined : id,
          })) as never,
        })
      }
    />
  )
}

function AccountMenu() {
  const { t } = useWords()
  const { session, leave } = useSession()
  return (
    <MenuButton
      label={t('app.account', { user: session.username })}
      icon={CircleUser}
      choices={[{ id: 'logout', text: t('app.logout') }]}
      onChoose={() => logOut().then(leave, (error: unknown) => tell('bad', messageOf(error)))}
      quiet
    />
  )
}
