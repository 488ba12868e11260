// Whether the user may do a thing, as the API itself answers it. Nothing is offered before the answer is there.
import { useEffect, useState } from 'react'
import type { KubeObject } from '../../../../src/base/object.ts'
import { useSession } from '../../app/session-gate.tsx'
import { call } from '../../data/api.ts'
import type { Place } from '../../data/kinds.ts'

export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete'

export interface Wanted {
  readonly verb: Verb
  readonly place: Place<KubeObject>
  /** Absent: in all namespaces, or for a kind that has none. */
  readonly namespace?: string | undefined
  readonly name?: string | undefined
}

/** Rights change seldom, and every write is judged again by the server. */
const KEEP_MS = 30_000

interface Answer {
  readonly atMs: number
  readonly allowed: Promise<boolean>
}
const answers = new Map<string, Answer>()

interface Review {
  readonly status?: { readonly allowed?: boolean }
}

function ask({ verb, place, namespace, name }: Wanted): Promise<boolean> {
  const { group, plural } = place
  return call<Review>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    method: 'POST',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb,
          group,
          resource: plural,
          ...(namespace === undefined ? {} : { namespace }),
          ...(name === undefined ? {} : { name }),
        },
      },
    },
  }).then(
    ({ status }) => status?.allowed === true,
    () => false,
  )
}

/** Undefined until the answer is there. */
export function useMay(wanted: Wanted): boolean | undefined {
  const { session } = useSession()
  const { verb, place, namespace = '', name = '' } = wanted
  const key = [session.username, verb, place.group, place.plural, namespace, name].join(' ')
  const [known, setKnown] = useState<{ readonly key: string; readonly allowed: boolean }>()
  useEffect(() => {
    let left = false
    const kept = answers.get(key)
    const isFresh = kept !== undefined && performance.now() - kept.atMs < KEEP_MS
    const answer = isFresh
      ? kept
      : {
          atMs: performance.now(),
          allowed: ask({ verb, place, namespace: namespace || undefined, name: name || undefined }),
        }
    answers.set(key, answer)
    void answer.allowed.then((allowed) => {
      if (!left) setKnown({ key, allowed })
    })
    return () => {
      left = true
    }
  }, [key, verb, place, namespace, name])
  return known?.key === key ? known.allowed : undefined
}
