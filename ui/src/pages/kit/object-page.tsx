// One object: its name, state and actions, and its views: overview, what happened, YAML, and those of its kind.
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { KubeObject } from '../../../../src/base/object.ts'
import { useWords } from '../../app/words.ts'
import type { Shown } from '../../data/machine-state.ts'
import type { Objects } from '../../data/use-objects.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { EventsTab } from './events-tab.tsx'
import type { KindPlace } from './places.ts'
import { YamlTab } from './yaml-tab.tsx'
import './kit.css'

export interface Tab {
  readonly id: string
  readonly title: string
  readonly content: ReactNode
}

export interface ObjectPageProps<T extends KubeObject> {
  readonly place: KindPlace<T>
  /** Of the one object, as a list of one. */
  readonly objects: Pick<Objects<T>, 'list' | 'liveness' | 'failure'>
  readonly name: string
  readonly title?: string
  /** The list that it stands in. */
  readonly back: ReactNode
  readonly about?: string | undefined
  readonly shown?: (object: T) => Shown
  readonly actions?: (object: T) => ReactNode
  /** Between the views and the heading: what is the matter. */
  readonly why?: (object: T) => ReactNode
  readonly overview: (object: T) => ReactNode
  /** Views of the kind's own, after the overview. */
  readonly more?: (object: T) => readonly Tab[]
}

export function ObjectPage<T extends KubeObject>(props: ObjectPageProps<T>) {
  const { place, objects, name, title = name, back, about, shown, actions, why, overview, more } = props
  const { t } = useWords()
  const [object] = objects.list
  if (!object) return <Absent name={name} objects={objects} back={back} />
  const tabs: readonly Tab[] = [
    { id: 'overview', title: t('machine.overview'), content: overview(object) },
    ...(more?.(object) ?? []),
    { id: 'events', title: t('kit.events'), content: <EventsTab kind={place.kind} object={object} /> },
    { id: 'yaml', title: t('machine.yaml'), content: <YamlTab place={place} object={object} /> },
  ]
  return (
    <div className="page">
      <div className="page-head">
        <h1>{title}</h1>
        {shown && <StateMark shown={shown(object)} />}
        {about && <span className="muted">{about}</span>}
        <span className="btns push">{actions?.(object)}</span>
      </div>
      {why?.(object)}
      <Tabs tabs={tabs} />
    </div>
  )
}

function Tabs({ tabs }: { readonly tabs: readonly Tab[] }) {
  const { t } = useWords()
  const chosen = useSearch({ strict: false, select: ({ tab }: { readonly tab?: string }) => tab })
  const open = tabs.find(({ id }) => id === chosen) ?? tabs[0]
  return (
    <>
      <nav className="tabs" aria-label={t('kit.views')}>
        {tabs.map(({ id, title }, index) => (
          <Link
            key={id}
            to="."
            search={
              ((old: Record<string, unknown>) => ({ ...old, tab: index === 0 ? undefined : id })) as never
            }
            aria-current={id === open?.id ? 'page' : undefined}
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{ 'aria-current': id === open?.id ? 'page' : undefined }}
          >
            {title}
          </Link>
        ))}
      </nav>
      {open?.content}
    </>
  )
}

interface AbsentProps {
  readonly name: string
  readonly objects: Pick<Objects<KubeObject>, 'liveness' | 'failure'>
  readonly back: ReactNode
}

function Absent({ name, objects: { liveness, failure }, back }: AbsentProps) {
  const { t } = useWords()
  if (failure && liveness === 'failed') return <Refusal failure={failure} />
  if (liveness === 'loading') return <p className="muted">{t('app.loading')}</p>
  return (
    <div className="empty">
      <h1>{t('kit.notFound', { name })}</h1>
      {back}
    </div>
  )
}
