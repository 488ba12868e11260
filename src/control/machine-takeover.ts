// Decides the Pod of a machine whose node does not answer: it is given up, so that the machine starts elsewhere, once
// nobody can be hurt by it. The node's silence has lasted twice its lease by then (node-lifecycle), in which an agent
// that is cut off has stopped such machines itself; a volume whose only in-sync copy lies there is never started
// elsewhere. Harvester's setting vm-force-reset-policy says how much longer is waited, and whether at all.
import { isObject, parseJson } from '../base/json.ts'
import { Node } from '../kinds/core/node.ts'
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import { VolumeEpoch } from '../kinds/croft/volume-epoch.ts'
import type { Decider, Decision, Look } from '../kinds/decide.ts'
import { Setting } from '../kinds/harvester/setting.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import { type ConditionLike, findCondition } from './conditions.ts'
import { LONGHORN_NAMESPACE } from './data-volume.ts'
import { claimNames } from './scheduling/claims.ts'
import { hasEnded } from './scheduling/filter.ts'
import { handleOfPersistent } from './volume/users.ts'

const PODS_BY_NODE = 'machine-takeover-node'
const POLICY = 'vm-force-reset-policy'
const PERIOD_DEFAULT_MS = 15_000
/** What holds a takeover up is looked at again after this long. */
const LOOK_AGAIN_MS = 10_000

export interface SeenLostMachine {
  readonly pod: Pod
  readonly node: Node | undefined
  /** Undefined: machines wait for their node. Milliseconds from the time that it was found lost. */
  readonly periodMs: number | undefined
  /** Volumes of which no in-sync copy lies on a node that answers. */
  readonly stuck: readonly string[]
}

const NOTHING: Decision = { actions: [] }

export function decideTakeover(seen: SeenLostMachine, now: number): Decision {
  const { pod, node, periodMs, stuck } = seen
  const { namespace = '', name = '', uid = '', labels } = pod.metadata
  if (labels?.['kubevirt.io'] !== 'virt-launcher' || node === undefined || hasEnded(pod)) return NOTHING
  const ready = findCondition((node.status?.conditions ?? []) as readonly ConditionLike[], 'Ready')
  if (ready?.status !== 'Unknown' || periodMs === undefined) return NOTHING
  const since = Date.parse(ready.lastTransitionTime ?? '')
  const due = (Number.isNaN(since) ? now : since) + periodMs
  if (now < due) return { actions: [], wakeAt: due }
  const about = { kind: Pod, namespace, name, uid }
  const [first] = stuck
  if (first !== undefined)
    return {
      actions: [
        {
          do: 'note',
          about,
          type: 'Warning',
          reason: 'WaitsForNode',
          message: `The only in-sync copy of volume ${first} lies on node ${node.metadata.name}, which does not answer: the machine waits for it`,
        },
      ],
      wakeAt: now + LOOK_AGAIN_MS,
    }
  return {
    actions: [
      {
        do: 'note',
        about,
        type: 'Warning',
        reason: 'NodeLost',
        message: `Node ${node.metadata.name} does not answer: its machine is given up there and may start elsewhere`,
      },
      { do: 'delete', target: about, graceSeconds: 0 },
    ],
  }
}

function stuckVolumes(pod: Pod, look: Look): readonly string[] {
  const { namespace } = pod.metadata
  return claimNames(pod).flatMap((claimName) => {
    const pv = look.get(PersistentVolumeClaim, namespace, claimName)?.spec?.volumeName
    const volume = handleOfPersistent(look, pv)
    if (volume === undefined) return []
    const record = look.get(VolumeEpoch, LONGHORN_NAMESPACE, volume)?.spec
    // Nothing was ever written to it.
    if (!record || Number(record.epoch) === 0) return []
    return record.inSync.some(({ replica }) => isOnLivingNode(replica, look)) ? [] : [volume]
  })
}

function isOnLivingNode(replica: string, look: Look): boolean {
  const nodeName = look.get(Replica, LONGHORN_NAMESPACE, replica)?.spec?.nodeID
  const node = nodeName ? look.get(Node, undefined, nodeName) : undefined
  const conditions = (node?.status?.conditions ?? []) as readonly ConditionLike[]
  return findCondition(conditions, 'Ready')?.status === 'True'
}

function periodOf(look: Look): number | undefined {
  const setting = look.get(Setting, undefined, POLICY)
  const text = setting?.value || setting?.default
  if (!text) return PERIOD_DEFAULT_MS
  try {
    const policy: unknown = parseJson(text)
    if (!isObject(policy)) return PERIOD_DEFAULT_MS
    if (policy['enable'] === false) return undefined
    const seconds = Number(policy['period'])
    return Number.isFinite(seconds) ? seconds * 1_000 : PERIOD_DEFAULT_MS
  } catch {
    return PERIOD_DEFAULT_MS
  }
}

export const machineTakeover: Decider<typeof Pod, SeenLostMachine> = {
  name: 'machine-takeover',
  kind: Pod,
  indexes: [
    {
      kind: Pod,
      name: PODS_BY_NODE,
      values: (object) => {
        const { spec, metadata } = object as Pod
        return spec?.nodeName && metadata.labels?.['kubevirt.io'] === 'virt-launcher' ? [spec.nodeName] : []
      },
    },
  ],
  watches: [
    {
      kind: Node,
      keys: (object, look) => {
        const { metadata, status } = object as Node
        const ready = findCondition((status?.conditions ?? []) as readonly ConditionLike[], 'Ready')
        if (ready?.status !== 'Unknown') return []
        return look
          .byIndex(Pod, PODS_BY_NODE, metadata.name ?? '')
          .map((pod) => `${pod.metadata.namespace}/${pod.metadata.name}`)
      },
    },
    { kind: PersistentVolumeClaim, keys: () => [] },
    { kind: PersistentVolume, keys: () => [] },
    { kind: VolumeEpoch, keys: () => [] },
    { kind: Replica, keys: () => [] },
    { kind: Setting, keys: () => [] },
  ],
  gather(pod, look) {
    const node = pod.spec?.nodeName ? look.get(Node, undefined, pod.spec.nodeName) : undefined
    const ready = findCondition((node?.status?.conditions ?? []) as readonly ConditionLike[], 'Ready')
    // All but a few Pods stand on nodes that answer; nothing else is looked up for them.
    if (ready?.status !== 'Unknown') return { pod, node, periodMs: undefined, stuck: [] }
    return { pod, node, periodMs: periodOf(look), stuck: stuckVolumes(pod, look) }
  },
  decide: decideTakeover,
}
