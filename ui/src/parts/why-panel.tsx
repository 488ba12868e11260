// What is the matter with an object that is not green: cause, effect, next step, and the object that the cause lies in.
import { Link } from '@tanstack/react-router'
import { useWords } from '../app/words.ts'
import type { Shown } from '../data/machine-state.ts'
import { useWhy, type Why, type WhyQuestion } from '../data/why.ts'
import { StateShape } from './state-mark.tsx'

export interface WhyPanelProps {
  readonly question: WhyQuestion
  readonly shown: Shown
}

export function WhyPanel({ question, shown }: WhyPanelProps) {
  const { t } = useWords()
  const isFine = shown.tone === 'ok'
  const why = useWhy(isFine && shown.message === undefined ? undefined : question)
  if (!why || (why.healthy && why.next === '' && why.notes.length === 0)) return null
  const tone = why.healthy ? 'off' : why.waiting ? 'busy' : shown.tone === 'bad' ? 'bad' : 'warn'
  const isElsewhere = why.about.name !== question.name
  return (
    <section className={`note ${tone}`} aria-label={t('machine.why')}>
      <strong>{why.cause}</strong>
      {why.effect && <p>{why.effect}</p>}
      {why.next !== '' && (
        <p className="muted">
          {t('why.next')} {why.next}
        </p>
      )}
      {why.notes.map((note) => (
        <p key={note} className="muted small">
          {note}
        </p>
      ))}
      {isElsewhere && (
        <p className="why-chain small">
          <span>{question.name}</span>
          <span aria-hidden>→</span>
          <span className={`state ${tone}`}>
            <StateShape tone={tone} />
            <Culprit why={why} />
          </span>
        </p>
      )}
    </section>
  )
}

const PAGES: Readonly<Record<string, (namespace: string, name: string) => string>> = {
  VirtualMachine: (namespace, name) => `/machines/${namespace}/${name}`,
  PersistentVolumeClaim: (namespace, name) => `/volumes/${namespace}/${name}`,
  VirtualMachineImage: () => '/images',
  Node: (_, name) => `/hosts/${name}`,
}

function Culprit({ why: { about } }: { readonly why: Why }) {
  const to = PAGES[about.kind]?.(about.namespace ?? '', about.name)
  const text = `${about.kind} ${about.name}`
  return to === undefined ? <span>{text}</span> : <Link to={to as never}>{text}</Link>
}
