// What the user may do, as the API's own authorization says it: asked once for each project and again after a while.
// Buttons go by it; the server decides.
import { useEffect, useSyncExternalStore } from 'react'
import { call } from './api.ts'

export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface Wanted {
  readonly verb: string
  readonly group: string
  /** With its subresource behind a slash: `virtualmachines/start`. */
  readonly resource: string
  readonly name?: string
}

/** Rights change seldom; within this a page shows them. */
const KEEP_MS = 60_000

interface Answer {
  readonly rules: readonly Rule[] | undefined
  readonly askedMs: number
}
const answers = new Map<string, Answer>()
const listable = new Map<string, Promise<boolean>>()
const listeners = new Set<() => void>()

interface RulesReview {
  readonly status?: { readonly resourceRules?: readonly Rule[] }
}

async function ask(namespace: string): Promise<void> {
  const known = answers.get(namespace)
  if (known && Date.now() - known.askedMs < KEEP_MS) return
  answers.set(namespace, { rules: known?.rules, askedMs: Date.now() })
  try {
    const review = await call<RulesReview>('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      method: 'POST',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        spec: { namespace },
      },
    })
    answers.set(namespace, { rules: review.status?.resourceRules ?? [], askedMs: Date.now() })
  } catch {
    answers.delete(namespace)
  }
  for (const listener of listeners) listener()
}

/** Pure: whether one of the rules allows it. */
export function allows(rules: readonly Rule[], { verb, group, resource, name }: Wanted): boolean {
  const [, subresource] = resource.split('/')
  return rules.some(
    (rule) =>
      holds(rule.verbs, verb) &&
      holds(rule.apiGroups, group) &&
      (holds(rule.resources, resource) ||
        (subresource !== undefined && rule.resources?.includes(`*/${subresource}`) === true)) &&
      (!rule.resourceNames?.length || (name !== undefined && rule.resourceNames.includes(name))),
  )
}

function holds(list: readonly string[] | undefined, word: string): boolean {
  return list?.includes('*') === true || list?.includes(word) === true
}

export type May = (wanted: Wanted) => boolean

/** Until the server has answered everything is allowed: a button that comes alive late is worse than one refused. */
export function useMay(namespace: string | undefined): May {
  const place = namespace ?? 'default'
  useEffect(() => void ask(place), [place])
  const rules = useSyncExternalStore(subscribe, () => answers.get(place)?.rules)
  return (wanted) => rules === undefined || allows(rules, wanted)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

interface AccessReview {
  readonly status?: { readonly allowed?: boolean }
}

const PATH = /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+))?\/([^/]+)$/

/** Whether the collection at this path may be listed; asked once until the user changes. */
export function mayList(path: string): Promise<boolean> {
  let answer = listable.get(path)
  if (!answer) {
    const [, group = '', namespace, resource = ''] = PATH.exec(path) ?? []
    answer = call<AccessReview>('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      method: 'POST',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: {
            verb: 'list',
            group,
            resource,
            ...(namespace === undefined ? {} : { namespace: decodeURIComponent(namespace) }),
          },
        },
      },
    }).then(({ status }) => status?.allowed === true)
    // A refusal is asked again with the next attempt, and a question that was not answered, too.
    void answer.then(
      (allowed) => allowed || listable.delete(path),
      () => listable.delete(path),
    )
    listable.set(path, answer)
  }
  return answer
}

export function forgetRights(): void {
  answers.clear()
  listable.clear()
}
