// Nearness to and distance from other Pods: both what the Pod itself wants and what Pods already placed demand.
import { type LabelSelector, labelSelectorOf, matchesLabels, nothing } from '../../base/labels.ts'
import type { Namespace } from '../../kinds/core/namespace.ts'
import type { Node } from '../../kinds/core/node.ts'
import type { Pod } from '../../kinds/core/pod.ts'

type Affinity = NonNullable<NonNullable<Pod['spec']>['affinity']>
type Term = NonNullable<
  NonNullable<Affinity['podAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>[number]
type Weighted = NonNullable<
  NonNullable<Affinity['podAffinity']>['preferredDuringSchedulingIgnoredDuringExecution']
>[number]

export interface Placed {
  readonly pod: Pod
  readonly node: Node
}

export type AffinityRefusal = 'affinity' | 'anti-affinity' | 'existing-anti-affinity'

/** What a decision about one Pod needs, worked out once for all nodes. */
export interface AffinityFacts {
  /** Topology values that satisfy each required term. */
  readonly near: readonly {
    readonly topologyKey: string
    readonly values: ReadonlySet<string>
    readonly free: boolean
  }[]
  readonly away: readonly { readonly topologyKey: string; readonly values: ReadonlySet<string> }[]
  readonly awayOfOthers: readonly { readonly topologyKey: string; readonly value: string }[]
  readonly wishes: readonly {
    readonly topologyKey: string
    readonly value: string
    readonly weight: number
  }[]
}

export function affinityFacts(
  pod: Pod,
  placed: readonly Placed[],
  namespaces: readonly Namespace[],
): AffinityFacts {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {}
  const near = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const away = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  return {
    near: near.map((term) => {
      const matches = matcher(term, pod, namespaces)
      const values = topologyValues(term, placed, matches)
      // The first of a group that wants to be near itself may begin anywhere.
      return { topologyKey: term.topologyKey, values, free: values.size === 0 && matches(pod) }
    }),
    away: away.map((term) => ({
      topologyKey: term.topologyKey,
      values: topologyValues(term, placed, matcher(term, pod, namespaces)),
    })),
    awayOfOthers: demandsOfOthers(pod, placed, namespaces),
    wishes: wishesOf(pod, placed, namespaces),
  }
}

export function affinityRefusal(facts: AffinityFacts, node: Node): AffinityRefusal | undefined {
  const labels = node.metadata.labels ?? {}
  for (const { topologyKey, value } of facts.awayOfOthers) {
    if (labels[topologyKey] === value) return 'existing-anti-affinity'
  }
  for (const { topologyKey, values } of facts.away) {
    const value = labels[topologyKey]
    if (value !== undefined && values.has(value)) return 'anti-affinity'
  }
  for (const { topologyKey, values, free } of facts.near) {
    const value = labels[topologyKey]
    if (value === undefined || !(free || values.has(value))) return 'affinity'
  }
  return undefined
}

/** Sum of the weights of the wishes for and against this node. */
export function affinityPreference(facts: AffinityFacts, node: Node): number {
  const labels = node.metadata.labels ?? {}
  let sum = 0
  for (const { topologyKey, value, weight } of facts.wishes) if (labels[topologyKey] === value) sum += weight
  return sum
}

function topologyValues(
  term: Term,
  placed: readonly Placed[],
  matches: (pod: Pod) => boolean,
): ReadonlySet<string> {
  const values = new Set<string>()
  for (const { pod, node } of placed) {
    const value = node.metadata.labels?.[term.topologyKey]
    if (value !== undefined && matches(pod)) values.add(value)
  }
  return values
}

function demandsOfOthers(
  pod: Pod,
  placed: readonly Placed[],
  namespaces: readonly Namespace[],
): AffinityFacts['awayOfOthers'] {
  return placed.flatMap(({ pod: other, node }) => {
    const terms = other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    return terms.flatMap((term) => {
      const value = node.metadata.labels?.[term.topologyKey]
      if (value === undefined || !matcher(term, other, namespaces)(pod)) return []
      return [{ topologyKey: term.topologyKey, value }]
    })
  })
}

function wishesOf(
  pod: Pod,
  placed: readonly Placed[],
  namespaces: readonly Namespace[],
): AffinityFacts['wishes'] {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {}
  const wishes = [
    ...signed(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
    ...signed(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
  ]
  return wishes.flatMap(({ term, weight }) => {
    const matches = matcher(term, pod, namespaces)
    return placed.flatMap(({ pod: other, node }) => {
      const value = node.metadata.labels?.[term.topologyKey]
      return value !== undefined && matches(other) ? [{ topologyKey: term.topologyKey, value, weight }] : []
    })
  })
}

function signed(
  terms: readonly Weighted[] | undefined,
  sign: number,
): readonly { readonly term: Term; readonly weight: number }[] {
  return (terms ?? []).flatMap(({ weight, podAffinityTerm }) =>
    podAffinityTerm === undefined ? [] : [{ term: podAffinityTerm, weight: sign * (weight ?? 0) }],
  )
}

/** Whether another Pod is meant by the term of `owner`. */
function matcher(term: Term, owner: Pod, namespaces: readonly Namespace[]): (other: Pod) => boolean {
  const selector = selectorOf(term.labelSelector)
  const listed = term.namespaces ?? []
  const bySelector = term.namespaceSelector === undefined ? undefined : selectorOf(term.namespaceSelector)
  const own = listed.length === 0 && bySelector === undefined
  const chosen = new Set<string | undefined>(own ? [owner.metadata.namespace] : listed)
  if (bySelector !== undefined) {
    for (const { metadata } of namespaces) {
      if (matchesLabels(bySelector, metadata.labels ?? {})) chosen.add(metadata.name)
    }
  }
  return (other) =>
    chosen.has(other.metadata.namespace) && matchesLabels(selector, other.metadata.labels ?? {})
}

/** A malformed selector, which admission refuses, matches nothing. */
function selectorOf(selector: Term['labelSelector']): LabelSelector {
  try {
    return labelSelectorOf(selector as Parameters<typeof labelSelectorOf>[0])
  } catch {
    return nothing
  }
}
