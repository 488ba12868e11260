// The frame around every page: rail, top bar, banner, the page itself, and the tasks at the foot.
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { FolderOpen, WifiOff } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { messageOf } from '../data/api.ts'
import { HOSTS, NAMESPACES } from '../data/kinds.ts'
import { useObjects } from '../data/use-objects.ts'
import { MenuButton } from '../parts/menu-button.tsx'
import { AccountMenu } from './account-menu.tsx'
import { tell } from './messages.ts'
import { Notices } from './notices.tsx'
import { LanguageMenu, ThemeMenu } from './preference-menus.tsx'
import { ensureProjects, loadProjects, useProject, useProjects } from './project.ts'
import { Rail } from './rail.tsx'
import { Search } from './search.tsx'
import { ShortcutHelp } from './shortcut-help.tsx'
import { TaskFoot } from './task-foot.tsx'
import { useWords } from './words.ts'

export function Shell() {
  const { t } = useWords()
  const main = useRef<HTMLElement>(null)
  const projects = useProjects()
  useEffect(() => {
    if (!projects) ensureProjects().catch((error: unknown) => tell('bad', messageOf(error)))
  }, [projects])
  const isBare = useLocation({ select: ({ pathname }) => pathname.startsWith('/console/') })
  if (!projects) return <p className="hidden-visually">{t('app.loading')}</p>
  if (isBare)
    return (
      <main className="main bare" id="main">
        <Outlet />
      </main>
    )
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {t('app.skip')}
      </button>
      <Rail />
      <header className="bar">
        <ProjectMenu />
        <Search />
        <span className="btns push">
          <Notices />
          <LanguageMenu />
          <ThemeMenu />
          <AccountMenu />
        </span>
      </header>
      <div className="frame">
        <OfflineBanner />
        <main className="main" id="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
        <TaskFoot />
      </div>
      <ShortcutHelp />
    </div>
  )
}

/** One banner for all feeds: they share a connection, and namespaces or hosts are watched as long as the page is open. */
function OfflineBanner() {
  const { t } = useWords()
  const { liveness } = useObjects(HOSTS)
  const project = useProject()
  const other = useObjects(NAMESPACES, project === undefined ? {} : { name: project })
  if (liveness !== 'reconnecting' && other.liveness !== 'reconnecting') return null
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
  const projects = useProjects()
  const navigate = useNavigate()
  const { list } = useObjects(NAMESPACES)
  const present = list.length
  // A project that came or went: what the user may see of them is asked anew.
  useEffect(() => {
    if (present > 0) loadProjects().catch(() => undefined)
  }, [present])
  useEffect(() => {
    document.title = project === undefined ? 'Croft' : `${project} · Croft`
  }, [project])
  const names = (projects?.names ?? []).map((name) => ({ id: name, text: name }))
  return (
    <MenuButton
      label={t('app.project')}
      icon={FolderOpen}
      text={project ?? t('app.allProjects')}
      chosen={project ?? ALL}
      choices={projects?.all ? [{ id: ALL, text: t('app.allProjects') }, ...names] : names}
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
