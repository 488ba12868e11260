// Which of the fitting nodes is best: Kubernetes' default scores with their weights, each first stretched to 0..100
// over the nodes in question. Equal nodes are told apart by name, so that the same input gives the same node.
import type { Pod } from '../../kinds/core/pod.ts'
import { podRequests } from '../../kinds/pod-requests.ts'
import type { NodeState } from './filter.ts'
import { preferenceOf } from './node-selector.ts'
import { type AffinityFacts, affinityPreference } from './pod-affinity.ts'
import { isTolerated } from './taints.ts'

const WEIGHTS = { allocation: 1, balance: 1, nodeAffinity: 2, podAffinity: 2, taints: 3 } as const
const SCORED_RESOURCES = ['cpu', 'memory'] as const

export function bestNode(
  pod: Pod,
  fitting: readonly NodeState[],
  affinity: AffinityFacts,
): NodeState | undefined {
  if (fitting.length <= 1) return fitting[0]
  const wishes = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
  const nodeAffinity = stretched(
    fitting.map(({ node }) => preferenceOf(wishes as Parameters<typeof preferenceOf>[0], node)),
  )
  const podAffinity = stretched(fitting.map(({ node }) => affinityPreference(affinity, node)))
  const taints = stretched(fitting.map((state) => -unwelcome(pod, state)))
  let best: { readonly state: NodeState; readonly score: number } | undefined
  fitting.forEach((state, index) => {
    const { allocation, balance } = allocationScores(pod, state)
    const score =
      allocation * WEIGHTS.allocation +
      balance * WEIGHTS.balance +
      nodeAffinity[index]! * WEIGHTS.nodeAffinity +
      podAffinity[index]! * WEIGHTS.podAffinity +
      taints[index]! * WEIGHTS.taints
    if (best === undefined || score > best.score || (score === best.score && isBefore(state, best.state))) {
      best = { state, score }
    }
  })
  return best?.state
}

function isBefore(a: NodeState, b: NodeState): boolean {
  return a.pods.length - b.pods.length < 0 || (a.pods.length === b.pods.length && nameOf(a) < nameOf(b))
}

function nameOf({ node }: NodeState): string {
  return node.metadata.name ?? ''
}

/** 0 for the least, 100 for the greatest; all 0 when they are equal. */
function stretched(values: readonly number[]): readonly number[] {
  const least = Math.min(...values)
  const greatest = Math.max(...values)
  if (least === greatest) return values.map(() => 0)
  return values.map((value) => (100 * (value - least)) / (greatest - least))
}

/** How much is left free after the Pod, and how evenly cpu and memory are used. */
function allocationScores(
  pod: Pod,
  state: NodeState,
): { readonly allocation: number; readonly balance: number } {
  const wanted = podRequests(pod)
  const shares: number[] = []
  for (const name of SCORED_RESOURCES) {
    const capacity = state.allocatable.get(name) ?? 0n
    if (capacity <= 0n) continue
    const used = (state.used.get(name) ?? 0n) + (wanted.get(name) ?? 0n)
    // Ten thousandths are exact enough for a score, and make plain numbers of amounts beyond 2^53.
    shares.push(Math.min(1, Number((used * 10_000n) / capacity) / 10_000))
  }
  if (shares.length === 0) return { allocation: 0, balance: 0 }
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
  const deviation = Math.sqrt(shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / shares.length)
  return { allocation: 100 * (1 - mean), balance: 100 * (1 - deviation) }
}

function unwelcome(pod: Pod, { node }: NodeState): number {
  const soft = (node.spec?.taints ?? []).filter((taint) => taint.effect === 'PreferNoSchedule')
  return soft.filter((taint) => !isTolerated(taint, pod.spec?.tolerations)).length
}
