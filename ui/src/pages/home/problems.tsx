// What needs somebody: each with its cause in the explainer's words and one thing to do.
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useProject } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { HOSTS, IMAGES, MACHINES } from '../../data/kinds.ts'
import { hostState, imageState, machineState, needsAttention, type Shown } from '../../data/machine-state.ts'
import { useObjects } from '../../data/use-objects.ts'
import { useWhy, type WhyQuestion } from '../../data/why.ts'
import { StateMark } from '../../parts/state-mark.tsx'

interface Problem {
  readonly id: string
  readonly name: string
  readonly shown: Shown
  readonly to: string
  readonly question: WhyQuestion
}

/** The lists have them all. */
const SHOWN_MAX = 8

export function Problems() {
  const { t } = useWords()
  const problems = useProblems()
  const { liveness } = useObjects(MACHINES, { namespace: useProject() })
  return (
    <section className="card" aria-label={t('home.needy')}>
      <header>
        <h2>{t('home.needy')}</h2>
        <span className="push muted">{problems.length > 0 ? problems.length : ''}</span>
      </header>
      {problems.length === 0 ? (
        <p className="in">
          {liveness === 'live' ? (
            <StateMark shown={{ tone: 'ok', word: t('home.allWell') }} />
          ) : (
            <span className="muted">{t('app.loading')}</span>
          )}
        </p>
      ) : (
        <ul className="lines">
          {problems.slice(0, SHOWN_MAX).map((problem) => (
            <Line key={problem.id} problem={problem} />
          ))}
          {problems.length > SHOWN_MAX && (
            <li>
              <Link to="/machines" search={{ q: 'attention:yes' } as never}>
                {t('list.andMore', { count: problems.length - SHOWN_MAX })}
              </Link>
            </li>
          )}
        </ul>
      )}
    </section>
  )
}

function Line({ problem: { name, shown, to, question } }: { readonly problem: Problem }) {
  const { t } = useWords()
  const why = useWhy(question)
  return (
    <li>
      <StateMark shown={shown} />
      <span className="line-text">
        <Link to={to as never}>
          <strong>{name}</strong>
        </Link>{' '}
        {why?.cause ?? shown.message ?? ''}
        {why && why.next !== '' && <span className="muted"> {why.next}</span>}
      </span>
      <Link to={to as never} className="btn" aria-label={t('action.of', { action: t('home.details'), name })}>
        {t('home.details')}
      </Link>
    </li>
  )
}

function useProblems(): readonly Problem[] {
  const { language } = useWords()
  const namespace = useProject()
  const machines = useObjects(MACHINES, { namespace }).list
  const images = useObjects(IMAGES, { namespace }).list
  const hosts = useObjects(HOSTS).list
  return useMemo(() => {
    const found: Problem[] = []
    const add = (
      kind: WhyQuestion['kind'],
      object: (typeof machines | typeof images | typeof hosts)[number],
      shown: Shown,
      place: { readonly name: string; readonly to: string },
    ) => {
      if (!needsAttention(shown)) return
      const { uid = '', name = '', namespace: own = '', resourceVersion = '' } = object.metadata
      found.push({
        id: uid,
        ...place,
        shown,
        question: { kind, namespace: own, name, version: resourceVersion },
      })
    }
    for (const host of hosts)
      add('node', host, hostState(language, host), {
        name: host.metadata.name ?? '',
        to: `/hosts/${host.metadata.name}`,
      })
    for (const machine of machines)
      add('vm', machine, machineState(language, machine), {
        name: machine.metadata.name ?? '',
        to: `/machines/${machine.metadata.namespace}/${machine.metadata.name}`,
      })
    for (const image of images)
      add('image', image, imageState(language, image), {
        name: image.spec.displayName || (image.metadata.name ?? ''),
        to: '/images',
      })
    return found.sort((a, b) => Number(a.shown.tone !== 'bad') - Number(b.shown.tone !== 'bad'))
  }, [machines, images, hosts, language])
}
