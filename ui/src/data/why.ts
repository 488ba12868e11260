// Why something is not as it should be: asked from the explainer that `croft why` asks, again when the object changes.
import { useEffect, useState } from 'react'
import { useWords } from '../app/words.ts'
import { call } from './api.ts'

export interface Why {
  readonly healthy: boolean
  /** It goes on by itself. */
  readonly waiting: boolean
  readonly cause: string
  readonly effect?: string
  readonly next: string
  readonly about: { readonly kind: string; readonly namespace?: string; readonly name: string }
  readonly notes: readonly string[]
}

export interface WhyQuestion {
  readonly kind: 'vm' | 'image' | 'node' | 'pvc'
  /** Empty for a kind that has none. */
  readonly namespace: string
  readonly name: string
  /** Changes when the object does. */
  readonly version: string
}

/** Objects change in bursts; the answer is wanted once. */
const SETTLE_MS = 400

/** Undefined while nothing is asked or known. */
export function useWhy(question: WhyQuestion | undefined): Why | undefined {
  const { language } = useWords()
  const [answer, setAnswer] = useState<{ readonly path: string; readonly why: Why }>()
  const path = question && pathOf(question, language)
  const version = question?.version
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has another reason
  useEffect(() => {
    if (path === undefined) return
    const left = new AbortController()
    const timer = setTimeout(
      () =>
        call<Why>(path, { signal: left.signal }).then(
          (why) => setAnswer({ path, why }),
          () => undefined,
        ),
      answer?.path === path ? SETTLE_MS : 0,
    )
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [path, version])
  return answer?.path === path ? answer?.why : undefined
}

function pathOf({ kind, namespace, name }: WhyQuestion, language: string): string {
  const place = [namespace, name].filter(Boolean).map(encodeURIComponent).join('/')
  return `/v1-croft/why/${kind}/${place}?lang=${language}`
}
