// Load as the server measures it (/v1-croft/metrics): over time for a chart, and the present of many.
import { useEffect, useState } from 'react'
import { ApiFailure, call, messageOf } from './api.ts'

export interface Series {
  readonly name: string
  readonly unit: string
  readonly values: readonly (number | null)[]
}
export interface Load {
  /** Seconds since 1970, and between two values. */
  readonly start: number
  readonly step: number
  readonly series: readonly Series[]
  readonly latest?: { readonly at: number; readonly values: Readonly<Record<string, number>> }
}
export interface LoadAnswer {
  readonly load: Load | undefined
  readonly failure: ApiFailure | undefined
}

/** As often as the server measures. */
const EVERY_MS = 10_000

/** `path` like `vm/NAMESPACE/NAME`, `span` like `1h`. Undefined path: nothing is asked. */
export function useLoad(path: string | undefined, span: string): LoadAnswer {
  return useAsked<Load>(path === undefined ? undefined : `${path}?start=-${span}`, EVERY_MS)
}

export interface Latest {
  readonly items: readonly { readonly name?: string; readonly values: Readonly<Record<string, number>> }[]
}

export function useLatest(type: 'vm' | 'node' | 'volume', isAsked: boolean): Latest | undefined {
  return useAsked<Latest>(isAsked ? `latest?type=${type}` : undefined, EVERY_MS).load
}

function useAsked<T>(query: string | undefined, everyMs: number) {
  const [answer, setAnswer] = useState<{
    readonly query?: string
    readonly load: T | undefined
    readonly failure: ApiFailure | undefined
  }>({ load: undefined, failure: undefined })
  useEffect(() => {
    if (query === undefined) return
    const left = new AbortController()
    const ask = () =>
      call<T>(`/v1-croft/metrics/${query}`, { signal: left.signal }).then(
        (load) => setAnswer({ query, load, failure: undefined }),
        (error: unknown) => {
          if (left.signal.aborted) return
          const failure = error instanceof ApiFailure ? error : new ApiFailure(0, '', messageOf(error))
          // What was there stays to be seen while the server does not answer.
          setAnswer((old) => ({ query, load: old.query === query ? old.load : undefined, failure }))
        },
      )
    void ask()
    const timer = setInterval(() => document.visibilityState === 'visible' && void ask(), everyMs)
    return () => {
      left.abort()
      clearInterval(timer)
    }
  }, [query, everyMs])
  return answer
}
