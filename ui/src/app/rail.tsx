// The rail at the left: pages, with how much is there and how much of it needs somebody. On narrow screens it lies at
// the foot, with the first pages and a menu for the rest.
import { Link, useNavigate } from '@tanstack/react-router'
import { Ellipsis } from 'lucide-react'
import { useMemo } from 'react'
import { IMAGES, MACHINES } from '../data/kinds.ts'
import { imageState, machineState, needsAttention, type Shown } from '../data/machine-state.ts'
import { useObjects } from '../data/use-objects.ts'
import { Brand } from '../parts/brand.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import { PAGES, type PageLink } from './pages.ts'
import { useProject } from './project.ts'
import { useWords } from './words.ts'

interface Count {
  readonly all: number
  readonly needy: number
}

/** As many as have room at the foot of a telephone. */
const AT_FOOT = 4

export function Rail() {
  const { t } = useWords()
  const navigate = useNavigate()
  const counts = useCounts()
  const rest = PAGES.slice(AT_FOOT)
  return (
    <nav className="rail" aria-label={t('app.pages')}>
      <Link to="/" className="brand">
        <Brand /> croft
      </Link>
      {([1, 2] as const).map((group) => (
        <ul key={group}>
          {PAGES.map((page, index) =>
            page.group === group ? (
              <li key={page.to} className={index >= AT_FOOT ? 'wide-only' : ''}>
                <RailLink page={page} count={counts[page.to]} />
              </li>
            ) : null,
          )}
        </ul>
      ))}
      {rest.length > 0 && (
        <span className="narrow-only">
          <MenuButton
            quiet
            icon={Ellipsis}
            label={t('app.more')}
            choices={rest.map(({ to, word, icon }) => ({ id: to, text: t(word), icon }))}
            onChoose={(to) => void navigate({ to: to as never })}
          />
        </span>
      )}
    </nav>
  )
}

function RailLink({ page, count }: { readonly page: PageLink; readonly count: Count | undefined }) {
  const { t } = useWords()
  const { to, word, icon: Icon } = page
  return (
    <Link
      to={to as never}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
    >
      <Icon className="icon" aria-hidden />
      <span>{t(word)}</span>
      {count && count.needy > 0 ? (
        <span className="count needy">
          <span aria-hidden>{count.needy}</span>
          <span className="hidden-visually">{t('app.needy', { count: count.needy })}</span>
        </span>
      ) : count && count.all > 0 ? (
        <span className="count" aria-hidden>
          {count.all}
        </span>
      ) : null}
    </Link>
  )
}

function useCounts(): Readonly<Record<string, Count | undefined>> {
  const { language } = useWords()
  const namespace = useProject()
  const machines = useObjects(MACHINES, { namespace }).list
  const images = useObjects(IMAGES, { namespace }).list
  return useMemo(
    () => ({
      '/machines': count(machines, (one) => machineState(language, one)),
      '/images': count(images, (one) => imageState(language, one)),
    }),
    [machines, images, language],
  )
}

function count<T>(list: readonly T[], shown: (object: T) => Shown): Count {
  return { all: list.length, needy: list.filter((one) => needsAttention(shown(one))).length }
}
