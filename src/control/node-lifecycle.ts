// Decides one Node: whether its agent still lives, what that means for the scheduler (taints, the label that
// virtual machines select by), and for the Pods on it. Life is judged by how long ago its Lease arrived here, by our
// own monotonic clock, because the times inside the Lease come from the node's clock.
import type { JsonObject } from '../base/json.ts'
import { formatTime } from '../base/time.ts'
import { Node } from '../kinds/core/node.ts'
import { Pod } from '../kinds/core/pod.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { type ConditionLike, type ConditionWish, findCondition, withConditions } from './conditions.ts'
import { hasEnded } from './scheduling/filter.ts'
import type { Taint } from './scheduling/taints.ts'

export const LEASE_NAMESPACE = 'kube-node-lease'
export const SCHEDULABLE_LABEL = 'kubevirt.io/schedulable'
/** On a Node whose label was set to false here. */
const HELD = 'croft.io/schedulable-held'
const PODS_BY_NODE = 'node-lifecycle-pods'

/** A lease that names no duration. */
const DURATION_DEFAULT_MS = 10_000
/** Silence of this many durations counts as lost: a takeover must wait at least twice as long as the holder. */
export const DURATIONS_TO_LOST = 2
/** A node that was registered without a lease is given this long for its first one. */
const FIRST_LEASE_MS = 40_000

const NOT_READY = 'node.kubernetes.io/not-ready'
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
/** Taints that only this decider sets and takes away. */
const OWN_TAINTS = [
  NOT_READY,
  UNREACHABLE,
  UNSCHEDULABLE,
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/network-unavailable',
]
const PRESSURES: readonly (readonly [condition: string, taint: string])[] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
]
const HEARTBEAT_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

export interface SeenNode {
  readonly node: Node
  /** Milliseconds since the Lease last changed here; absent when there is none. */
  readonly leaseAgeMs: number | undefined
  readonly leaseDurationMs: number
  /** Milliseconds since the Node itself last changed here. */
  readonly nodeAgeMs: number
  readonly pods: readonly Pod[]
}

export function decideNode(seen: SeenNode, now: number): Decision {
  const { node } = seen
  if (node.metadata.deletionTimestamp !== undefined) return { actions: [] }
  const silentMs = seen.leaseAgeMs ?? seen.nodeAgeMs
  const limitMs = seen.leaseAgeMs === undefined ? FIRST_LEASE_MS : seen.leaseDurationMs * DURATIONS_TO_LOST
  const lost = silentMs >= limitMs
  const conditions = (node.status?.conditions ?? []) as readonly ConditionLike[]
  const wishes = lost ? unknownConditions(conditions) : []
  const next = wishes.length === 0 ? conditions : withConditions(conditions, wishes, now)
  const ready = findCondition(next, 'Ready')?.status
  const actions: Action[] = [
    ...taintActions(node, next, now),
    ...labelActions(node, ready),
    ...(ready === 'True' ? [] : seen.pods.flatMap((pod) => podActions(pod, node, now))),
  ]
  const before = findCondition(conditions, 'Ready')?.status
  if (before === 'True' && ready !== 'True') {
    actions.push({
      do: 'note',
      about: { kind: Node, name: node.metadata.name ?? '', uid: node.metadata.uid ?? '' },
      type: 'Warning',
      reason: 'NodeNotReady',
      message: `Node ${node.metadata.name} status is now: NodeNotReady`,
    })
  }
  return {
    actions,
    ...(wishes.length === 0
      ? {}
      : { status: { ...(node.status as JsonObject | undefined), conditions: next as never } }),
    ...(lost ? {} : { wakeAt: now + (limitMs - silentMs) }),
  }
}

/** What is not known any more is said to be unknown, never left as it was. */
function unknownConditions(conditions: readonly ConditionLike[]): readonly ConditionWish[] {
  return HEARTBEAT_CONDITIONS.filter((type) => findCondition(conditions, type)?.status !== 'Unknown').map(
    (type) => ({
      type,
      status: 'Unknown',
      reason: findCondition(conditions, type) === undefined ? 'NodeStatusNeverUpdated' : 'NodeStatusUnknown',
      message:
        findCondition(conditions, type) === undefined
          ? 'Kubelet never posted node status.'
          : 'Kubelet stopped posting node status.',
    }),
  )
}

function taintActions(node: Node, conditions: readonly ConditionLike[], now: number): readonly Action[] {
  const present = (node.spec?.taints ?? []) as readonly Taint[]
  const wanted = wantedTaints(node, conditions)
  const kept = present.filter(
    (taint) => !OWN_TAINTS.includes(taint.key ?? '') || wanted.some((wish) => isSameTaint(wish, taint)),
  )
  const added = wanted.filter((wish) => !present.some((taint) => isSameTaint(wish, taint)))
  if (added.length === 0 && kept.length === present.length) return []
  const stamped = added.map((taint) =>
    taint.effect === 'NoExecute' ? { ...taint, timeAdded: formatTime(now) } : taint,
  )
  const taints = [...kept, ...stamped]
  const { resourceVersion, name = '' } = node.metadata
  return [
    {
      do: 'patch',
      target: { kind: Node, name },
      patch: { spec: { taints: taints.length === 0 ? null : (taints as never) } },
      // The list is written whole, so it must not have changed under us.
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  ]
}

function wantedTaints(node: Node, conditions: readonly ConditionLike[]): readonly Taint[] {
  const ready = findCondition(conditions, 'Ready')?.status
  const wanted: Taint[] = []
  if (ready === 'Unknown') {
    wanted.push({ key: UNREACHABLE, effect: 'NoSchedule' }, { key: UNREACHABLE, effect: 'NoExecute' })
  } else if (ready !== 'True') {
    wanted.push({ key: NOT_READY, effect: 'NoSchedule' }, { key: NOT_READY, effect: 'NoExecute' })
  }
  for (const [condition, key] of PRESSURES) {
    if (findCondition(conditions, condition)?.status === 'True') wanted.push({ key, effect: 'NoSchedule' })
  }
  if (node.spec?.unschedulable) wanted.push({ key: UNSCHEDULABLE, effect: 'NoSchedule' })
  return wanted
}

function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

/**
 * A lost node takes no machines. The label belongs to people otherwise, so what was taken away is noted and given
 * back when the node returns.
 */
function labelActions(node: Node, ready: string | undefined): readonly Action[] {
  const held = node.metadata.annotations?.[HELD] !== undefined
  const lost = ready === 'Unknown' && node.metadata.labels?.[SCHEDULABLE_LABEL] === 'true'
  if (!lost && !(held && ready === 'True')) return []
  return [
    {
      do: 'patch',
      target: { kind: Node, name: node.metadata.name ?? '' },
      patch: {
        metadata: {
          labels: { [SCHEDULABLE_LABEL]: lost ? 'false' : 'true' },
          annotations: { [HELD]: lost ? 'the node does not answer' : null },
        },
      },
    },
  ]
}

/** A Pod on a node that is not ready is not ready; more is not known about it. */
function podActions(pod: Pod, node: Node, now: number): readonly Action[] {
  const conditions = (pod.status?.conditions ?? []) as readonly ConditionLike[]
  if (hasEnded(pod) || findCondition(conditions, 'Ready')?.status !== 'True') return []
  const { namespace = '', name = '', uid = '', resourceVersion } = pod.metadata
  const wish = {
    type: 'Ready',
    status: 'False',
    reason: 'NodeNotReady',
    message: `node ${node.metadata.name} is not ready; whether the Pod still runs is not known`,
  } as const
  return [
    {
      do: 'patch',
      target: { kind: Pod, namespace, name, uid },
      patch: { status: { conditions: withConditions(conditions, [wish], now) as never } },
      subresource: 'status',
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
  ]
}

export const nodeLifecycle: Decider<typeof Node, SeenNode> = {
  name: 'node-lifecycle',
  kind: Node,
  indexes: [
    {
      kind: Pod,
      name: PODS_BY_NODE,
      values: (object) => {
        const node = (object as Pod).spec?.nodeName
        return node ? [node] : []
      },
    },
  ],
  watches: [
    {
      kind: Lease,
      keys: ({ metadata }) => (metadata.namespace === LEASE_NAMESPACE ? [metadata.name ?? ''] : []),
    },
    {
      kind: Pod,
      keys: (object, look) => {
        const name = (object as Pod).spec?.nodeName
        const node = name ? look.get(Node, undefined, name) : undefined
        const conditions = (node?.status?.conditions ?? []) as readonly ConditionLike[]
        return name && node && findCondition(conditions, 'Ready')?.status !== 'True' ? [name] : []
      },
    },
  ],
  gather(node, look) {
    const name = node.metadata.name ?? ''
    const seconds = look.get(Lease, LEASE_NAMESPACE, name)?.spec?.leaseDurationSeconds
    return {
      node,
      leaseAgeMs: look.ageMs(Lease, LEASE_NAMESPACE, name),
      leaseDurationMs: seconds ? seconds * 1000 : DURATION_DEFAULT_MS,
      nodeAgeMs: look.ageMs(Node, undefined, name) ?? 0,
      pods: look.byIndex(Pod, PODS_BY_NODE, name),
    }
  },
  decide: decideNode,
}
