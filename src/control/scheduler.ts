// Decides one Pod that has no node yet: the best node that fits, or in words why none does. Serial, because every
// binding changes what is left for the next Pod.
import type { JsonObject } from '../base/json.ts'
import { parseTime } from '../base/time.ts'
import { Namespace } from '../kinds/core/namespace.ts'
import { Node } from '../kinds/core/node.ts'
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import type { Action, Decider, Decision, Look } from '../kinds/decide.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { type ConditionLike, withConditions } from './conditions.ts'
import {
  type ClaimOfPod,
  claimNames,
  judgeClaims,
  reachesVolumes,
  SELECTED_NODE,
} from './scheduling/claims.ts'
import { filterNodes, hasEnded, type NodeState, nodeState, unavailableText } from './scheduling/filter.ts'
import { bestNode } from './scheduling/score.ts'

export const SCHEDULER_NAME = 'default-scheduler'
/** Index over Pods by the node they are bound to. */
export const PODS_BY_NODE = 'pod-node'
/** Index over Pods: those that wait for the scheduler, under WAITING. */
export const PODS_WAITING = 'pod-waiting'
const WAITING = 'yes'
/** A new Pod whose claims are just being bound is not yet worth a warning. Whole seconds, as creation is. */
const USUAL_WAIT_MS = 2_000
const PODS_BY_CLAIM = 'scheduler-pod-claim'

export interface SeenPod {
  readonly pod: Pod
  readonly states: readonly NodeState[]
  readonly claims: readonly ClaimOfPod[]
  readonly namespaces: readonly Namespace[]
}

const NOTHING: Decision = { actions: [] }

export function decideScheduling(seen: SeenPod, now: number): Decision {
  const { pod } = seen
  if (!isWaiting(pod)) return NOTHING
  if ((pod.spec?.schedulingGates ?? []).length > 0) {
    return blocked(pod, now, {
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
      quiet: true,
    })
  }
  const verdict = judgeClaims(seen.claims)
  const total = seen.states.length
  const created = parseTime(pod.metadata.creationTimestamp ?? '')
  const toldFrom = created === undefined ? now : created + USUAL_WAIT_MS
  if (verdict.isUsual && now < toldFrom) return { actions: [], wakeAt: toldFrom }
  if (verdict.hindrance !== undefined) {
    const message = `0/${total} nodes are available: ${verdict.hindrance}.`
    return blocked(pod, now, { reason: 'Unschedulable', message })
  }
  const reached = seen.states.filter(({ node }) => reachesVolumes(verdict.volumes, node))
  const filtered = filterNodes(pod, reached, seen.namespaces)
  const chosen = chosenBefore(verdict.waiting, filtered.fitting)
  const best = chosen ?? bestNode(pod, filtered.fitting, filtered.affinity)
  if (best === undefined) {
    const unreached = Array.from({ length: total - reached.length }, () => [
      'node(s) had volume node affinity conflict',
    ])
    const message = unavailableText(total, [...filtered.refused, ...unreached])
    return blocked(pod, now, { reason: 'Unschedulable', message })
  }
  const name = best.node.metadata.name ?? ''
  if (verdict.waiting.length > 0) return { actions: verdict.waiting.flatMap((claim) => select(claim, name)) }
  return { actions: binding(pod, name) }
}

/** A node that was chosen for the claims already stays chosen while it fits: its volume may be half made. */
function chosenBefore(
  waiting: readonly PersistentVolumeClaim[],
  fitting: readonly NodeState[],
): NodeState | undefined {
  const names = new Set(waiting.map((claim) => claim.metadata.annotations?.[SELECTED_NODE]))
  return fitting.find(({ node }) => names.has(node.metadata.name))
}

function select(claim: PersistentVolumeClaim, node: string): readonly Action[] {
  if (claim.metadata.annotations?.[SELECTED_NODE] === node) return []
  const { namespace = '', name = '' } = claim.metadata
  return [
    {
      do: 'patch',
      target: { kind: PersistentVolumeClaim, namespace, name },
      patch: { metadata: { annotations: { [SELECTED_NODE]: node } } },
    },
  ]
}

function binding(pod: Pod, node: string): readonly Action[] {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const target = { kind: Pod, namespace, name, uid }
  return [
    {
      do: 'post',
      target,
      subresource: 'binding',
      object: {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, namespace, uid },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      },
    },
    {
      do: 'note',
      about: target,
      type: 'Normal',
      reason: 'Scheduled',
      message: `Successfully assigned ${namespace}/${name} to ${node}`,
    },
  ]
}

interface Block {
  readonly reason: string
  readonly message: string
  /** No event: the Pod's owner wanted it so. */
  readonly quiet?: boolean
}

function blocked(pod: Pod, now: number, { reason, message, quiet }: Block): Decision {
  const { namespace = '', name = '', uid = '' } = pod.metadata
  const conditions = (pod.status?.conditions ?? []) as readonly ConditionLike[]
  const before = conditions.find((condition) => condition.type === 'PodScheduled')
  // One event a reason; the condition holds on to it.
  const told = before?.status === 'False' && before.message === message
  const wish = { type: 'PodScheduled', status: 'False', reason, message } as const
  return {
    actions:
      told || quiet
        ? []
        : [
            {
              do: 'note',
              about: { kind: Pod, namespace, name, uid },
              type: 'Warning',
              reason: 'FailedScheduling',
              message,
            },
          ],
    status: {
      ...(pod.status as JsonObject | undefined),
      conditions: withConditions(conditions, [wish], now) as unknown as readonly JsonObject[],
    },
  }
}

function isWaiting(pod: Pod): boolean {
  return (
    !pod.spec?.nodeName &&
    (pod.spec?.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
    pod.metadata.deletionTimestamp === undefined &&
    !hasEnded(pod)
  )
}

function waitingKeys(look: Look, which: (pod: Pod) => boolean = () => true): readonly string[] {
  return look
    .byIndex(Pod, PODS_WAITING, WAITING)
    .filter(which)
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
}

function claimsOf(pod: Pod, look: Look): readonly ClaimOfPod[] {
  const { namespace } = pod.metadata
  return claimNames(pod).map((name) => {
    const claim = look.get(PersistentVolumeClaim, namespace, name)
    const volumeName = claim?.spec?.volumeName
    const className = claim?.spec?.storageClassName
    return {
      name,
      claim,
      volume: volumeName ? look.get(PersistentVolume, undefined, volumeName) : undefined,
      storageClass: className ? look.get(StorageClass, undefined, className) : undefined,
    }
  })
}

export const scheduler: Decider<typeof Pod, SeenPod> = {
  name: 'scheduler',
  step: 5,
  kind: Pod,
  serial: true,
  indexes: [
    {
      kind: Pod,
      name: PODS_BY_NODE,
      values: (object) => {
        const node = (object as Pod).spec?.nodeName
        return node ? [node] : []
      },
    },
    { kind: Pod, name: PODS_WAITING, values: (object) => (isWaiting(object as Pod) ? [WAITING] : []) },
    {
      kind: Pod,
      name: PODS_BY_CLAIM,
      values: (object) => claimNames(object as Pod).map((name) => `${object.metadata.namespace}/${name}`),
    },
  ],
  watches: [
    { kind: Node, keys: (_node, look) => waitingKeys(look) },
    // A Pod that ends or moves makes room, and may be what another wants to be near to.
    {
      kind: Pod,
      keys: (object, look) => {
        const pod = object as Pod
        const { namespace, name } = pod.metadata
        const gone = look.get(Pod, namespace, name ?? '') === undefined
        if (!pod.spec?.nodeName) return []
        return gone || hasEnded(pod) ? waitingKeys(look) : waitingKeys(look, hasPodAffinity)
      },
    },
    {
      kind: PersistentVolumeClaim,
      keys: ({ metadata }, look) =>
        look
          .byIndex(Pod, PODS_BY_CLAIM, `${metadata.namespace}/${metadata.name}`)
          .filter(isWaiting)
          .map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`),
    },
    { kind: PersistentVolume, keys: () => [] },
    { kind: StorageClass, keys: () => [] },
    { kind: Namespace, keys: () => [] },
  ],
  gather(pod, look) {
    // Everything else is skipped for the many Pods that are placed already.
    if (!isWaiting(pod)) return { pod, states: [], claims: [], namespaces: [] }
    return {
      pod,
      states: look
        .list(Node)
        .map((node) => nodeState(node, look.byIndex(Pod, PODS_BY_NODE, node.metadata.name ?? ''))),
      claims: claimsOf(pod, look),
      namespaces: look.list(Namespace),
    }
  },
  decide: decideScheduling,
}

function hasPodAffinity(pod: Pod): boolean {
  return pod.spec?.affinity?.podAffinity !== undefined || pod.spec?.affinity?.podAntiAffinity !== undefined
}
