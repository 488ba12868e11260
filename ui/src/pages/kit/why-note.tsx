// What is the matter with an object: cause, effect and next step, from the same explainer as `croft why`.
import { useEffect, useState } from 'react'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import type { Shown } from '../../data/machine-state.ts'

interface Why {
  readonly healthy: boolean
  readonly cause: string
  readonly effect?: string
  readonly next: string
}

export interface WhyNoteProps {
  readonly kind: 'pvc' | 'image' | 'node' | 'vm'
  readonly namespace: string
  readonly name: string
  readonly shown: Shown
  /** Nothing is asked about what is as it should be. */
  readonly isFine: boolean
}

export function WhyNote({ kind, namespace, name, shown, isFine }: WhyNoteProps) {
  const { t, language } = useWords()
  const [why, setWhy] = useState<Why>()
  const { word } = shown
  // biome-ignore lint/correctness/useExhaustiveDependencies: another state has another reason
  useEffect(() => {
    setWhy(undefined)
    if (isFine) return
    const left = new AbortController()
    const path = `/v1-croft/why/${kind}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`
    call<Why>(`${path}?lang=${language}`, { signal: left.signal }).then(setWhy, () => undefined)
    return () => left.abort()
  }, [kind, namespace, name, language, isFine, word])
  if (isFine || !why || why.healthy) return null
  return (
    <section className={`note ${shown.tone}`} aria-label={t('machine.why')}>
      <strong>{why.cause}</strong>
      {why.effect && <p>{why.effect}</p>}
      <p className="muted">{why.next}</p>
    </section>
  )
}
