// Which nodes can take a Pod, and in Kubernetes' words why the others cannot.
import type { Namespace } from '../../kinds/core/namespace.ts'
import type { Node } from '../../kinds/core/node.ts'
import type { Pod } from '../../kinds/core/pod.ts'
import { type Amounts, amountsOf, podRequests, sumOf } from '../../kinds/pod-requests.ts'
import { podMatchesNode } from './node-selector.ts'
import {
  type AffinityFacts,
  type AffinityRefusal,
  affinityFacts,
  affinityRefusal,
  type Placed,
} from './pod-affinity.ts'
import { insufficient } from './resources.ts'
import { isTolerated, untolerated } from './taints.ts'

export interface NodeState {
  readonly node: Node
  /** Pods that hold resources of it: bound and not ended. */
  readonly pods: readonly Pod[]
  readonly used: Amounts
  readonly allocatable: Amounts
}

export interface Filtered {
  readonly fitting: readonly NodeState[]
  /** Reasons by node, each in the words of an event. */
  readonly refused: readonly (readonly string[])[]
  readonly affinity: AffinityFacts
}

/** Pods of a node that names no number. */
const PODS_MAX_DEFAULT = 110n
const NANO = 1_000_000_000n
const UNSCHEDULABLE = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }

const AFFINITY_TEXT: Readonly<Record<AffinityRefusal, string>> = {
  affinity: "node(s) didn't match pod affinity rules",
  'anti-affinity': "node(s) didn't match pod anti-affinity rules",
  'existing-anti-affinity': "node(s) didn't satisfy existing pods anti-affinity rules",
}

export function nodeState(node: Node, pods: readonly Pod[]): NodeState {
  const holding = pods.filter((pod) => !hasEnded(pod))
  return { node, pods: holding, used: sumOf(holding), allocatable: amountsOf(node.status?.allocatable) }
}

export function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

export function filterNodes(
  pod: Pod,
  states: readonly NodeState[],
  namespaces: readonly Namespace[],
): Filtered {
  const placed: Placed[] = []
  for (const { node, pods } of states) for (const other of pods) placed.push({ pod: other, node })
  const affinity = affinityFacts(pod, placed, namespaces)
  const fitting: NodeState[] = []
  const refused: (readonly string[])[] = []
  for (const state of states) {
    const reasons = reasonsAgainst(pod, state, affinity)
    if (reasons.length === 0) fitting.push(state)
    else refused.push(reasons)
  }
  return { fitting, refused, affinity }
}

/** The first check that fails speaks; of resources all that are short are told. */
function reasonsAgainst(pod: Pod, state: NodeState, affinity: AffinityFacts): readonly string[] {
  const { node } = state
  const { tolerations, nodeName } = pod.spec ?? {}
  if (nodeName && nodeName !== node.metadata.name) return ["node(s) didn't match the requested node name"]
  if (node.spec?.unschedulable && !isTolerated(UNSCHEDULABLE, tolerations)) {
    return ['node(s) were unschedulable']
  }
  const taint = untolerated(node.spec?.taints, tolerations)
  if (taint !== undefined) return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`]
  if (!podMatchesNode(pod as Parameters<typeof podMatchesNode>[0], node)) {
    return ["node(s) didn't match Pod's node affinity/selector"]
  }
  if (!canRun(pod, node)) return ['node(s) have no container runtime: only virtual machines run on them']
  if (portsClash(pod, state.pods)) return ["node(s) didn't have free ports for the requested pod ports"]
  const podsMax = state.allocatable.get('pods') ?? PODS_MAX_DEFAULT * NANO
  if (BigInt(state.pods.length + 1) * NANO > podsMax) return ['Too many pods']
  const short = insufficient(podRequests(pod), state.used, state.allocatable)
  if (short.length > 0) return short.map((name) => `Insufficient ${name}`)
  const refusal = affinityRefusal(affinity, node)
  return refusal === undefined ? [] : [AFFINITY_TEXT[refusal]]
}

/** A node whose agent is croft's runs virtual machines, not containers, until it says otherwise. */
function canRun(pod: Pod, node: Node): boolean {
  if (pod.metadata.labels?.['kubevirt.io'] === 'virt-launcher') return true
  const runtime = node.status?.nodeInfo?.containerRuntimeVersion ?? ''
  return runtime !== '' && !runtime.startsWith('croft')
}

function portsClash(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod)
  if (wanted.length === 0) return false
  const taken = new Set(others.flatMap(hostPorts))
  return wanted.some((port) => taken.has(port))
}

function hostPorts(pod: Pod): readonly string[] {
  return (pod.spec?.containers ?? []).flatMap((container) =>
    (container.ports ?? []).flatMap(({ hostPort, protocol = 'TCP' }) =>
      hostPort ? [`${protocol}/${hostPort}`] : [],
    ),
  )
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.`, the sentence tools match on. */
export function unavailableText(nodes: number, refused: readonly (readonly string[])[]): string {
  if (nodes === 0) return 'no nodes available to schedule pods'
  const counts = new Map<string, number>()
  for (const reason of refused.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodes} nodes are available: ${parts.join(', ')}.`
}
