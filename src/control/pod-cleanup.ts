// Decides one Pod whose node cannot care for it any more: a node that no longer exists, or one that must be left
// because of a NoExecute taint.
import { Node } from '../kinds/core/node.ts'
import { Pod } from '../kinds/core/pod.ts'
import type { Decider, Decision } from '../kinds/decide.ts'
import { hasEnded } from './scheduling/filter.ts'
import { type Taint, type Toleration, tolerates } from './scheduling/taints.ts'

const PODS_BY_NODE = 'pod-cleanup-node'

export interface SeenPlacedPod {
  readonly pod: Pod
  readonly node: Node | undefined
}

const NOTHING: Decision = { actions: [] }

export function decidePodCleanup({ pod, node }: SeenPlacedPod, now: number): Decision {
  const { nodeName, tolerations } = pod.spec ?? {}
  if (!nodeName) return NOTHING
  const { namespace = '', name = '', uid = '', deletionTimestamp } = pod.metadata
  const target = { kind: Pod, namespace, name, uid }
  if (node === undefined) {
    // Nobody is left who could report its end. The API is asked, because the cache may lag behind a registration.
    const onlyIf = { absent: [{ kind: Node, name: nodeName }] }
    return { actions: [{ do: 'delete', target, graceSeconds: 0, onlyIf }] }
  }
  if (deletionTimestamp !== undefined || hasEnded(pod)) return NOTHING
  const ends = ((node.spec?.taints ?? []) as readonly Taint[])
    .filter((taint) => taint.effect === 'NoExecute')
    .map((taint) => evictionMs(taint, (tolerations ?? []) as readonly Toleration[], now))
  const end = Math.min(...ends)
  if (end === Number.POSITIVE_INFINITY) return NOTHING
  if (now < end) return { actions: [], wakeAt: end }
  return {
    actions: [
      {
        do: 'note',
        about: target,
        type: 'Normal',
        reason: 'TaintManagerEviction',
        message: `Marking for deletion Pod ${namespace}/${name}`,
      },
      { do: 'delete', target },
    ],
  }
}

/** When a Pod has to leave for this taint; never when it is tolerated without limit. */
function evictionMs(taint: Taint, tolerations: readonly Toleration[], now: number): number {
  const matching = tolerations.filter((toleration) => tolerates(toleration, taint))
  if (matching.length === 0) return now
  const limits = matching.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [Math.max(0, Number(tolerationSeconds))],
  )
  if (limits.length === 0) return Number.POSITIVE_INFINITY
  const since = Date.parse(taint.timeAdded ?? '')
  return (Number.isNaN(since) ? now : since) + Math.min(...limits) * 1000
}

export const podCleanup: Decider<typeof Pod, SeenPlacedPod> = {
  name: 'pod-cleanup',
  kind: Pod,
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
      kind: Node,
      keys: (object, look) => {
        const node = object as Node
        const name = node.metadata.name ?? ''
        // Heartbeats are frequent and concern no Pod of a healthy node.
        const gone = look.get(Node, undefined, name) === undefined
        if (!gone && !(node.spec?.taints ?? []).some((taint) => taint.effect === 'NoExecute')) return []
        return look
          .byIndex(Pod, PODS_BY_NODE, name)
          .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
      },
    },
  ],
  gather: (pod, look) => ({
    pod,
    node: pod.spec?.nodeName ? look.get(Node, undefined, pod.spec.nodeName) : undefined,
  }),
  decide: decidePodCleanup,
}
