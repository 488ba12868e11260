// Decides one Node of Longhorn: whether it can be used, from what Kubernetes knows of the host, and what is promised
// on each of its disks, counted anew from the replicas and images that exist. The agent tells of the disks themselves.
import { shortHash } from '../base/derived-name.ts'
import type { JsonObject } from '../base/json.ts'
import { Node as CoreNode } from '../kinds/core/node.ts'
import type { Action, Decider, Decision, Look } from '../kinds/decide.ts'
import { BackingImage } from '../kinds/longhorn/backing-image.ts'
import { InstanceManager } from '../kinds/longhorn/instance-manager.ts'
import { Node } from '../kinds/longhorn/node.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import { Setting } from '../kinds/longhorn/setting.ts'
import { CROFT_ENGINE_IMAGE } from '../kinds/longhorn/settings.ts'
import { type ConditionLike, type ConditionWish, findCondition, withConditions } from './conditions.ts'
import { controllerRef } from './owner.ts'
import { storageSettings } from './volume/settings.ts'

const REPLICAS_BY_NODE = 'storage-node-replicas'
/** Many replicas come together; their sum is written once. */
const SETTLE_MS = 2_000

type DiskStatus = NonNullable<NonNullable<Node['status']>['diskStatus']>[string]

export interface SeenStorageNode {
  readonly node: Node
  readonly host: CoreNode | undefined
  readonly manager?: InstanceManager | undefined
  readonly replicas: readonly Replica[]
  readonly images: readonly BackingImage[]
  readonly minimalAvailablePercent: bigint
  /** A cordoned host takes no new replicas. */
  readonly heedsCordon: boolean
}

export function decideStorageNode(seen: SeenStorageNode, now: number): Decision {
  const { node, host, replicas } = seen
  if (node.metadata.deletionTimestamp) return { actions: [] }
  const actions: readonly Action[] = [
    ...(!host && replicas.length === 0 ? [removal(node)] : []),
    ...instanceManager(seen),
  ]
  const present = (node.status?.conditions ?? []) as readonly ConditionLike[]
  // An agent registers its host first; a node that never was told of is not judged.
  const conditions = present.length === 0 ? present : withConditions(present, nodeWishes(seen), now)
  const diskStatus = Object.fromEntries(
    Object.entries(node.status?.diskStatus ?? {}).map(([name, disk]) => [name, diskOf(disk, seen, now)]),
  )
  const zone = host?.metadata.labels?.['topology.kubernetes.io/zone'] ?? node.status?.zone
  const region = host?.metadata.labels?.['topology.kubernetes.io/region'] ?? node.status?.region
  const status = {
    ...node.status,
    ...(present.length === 0 ? {} : { conditions }),
    ...(node.status?.diskStatus ? { diskStatus } : {}),
    ...(zone === undefined ? {} : { zone }),
    ...(region === undefined ? {} : { region }),
  }
  return { actions, status: status as unknown as JsonObject }
}

/** What clients of Longhorn look for on each node before they believe that volumes can be served there. */
function instanceManager({ node, host, manager }: SeenStorageNode): readonly Action[] {
  const { name = '', namespace = '' } = node.metadata
  const state = findCondition(node.status?.conditions, 'Ready')?.status === 'True' ? 'running' : 'unknown'
  if (!host || !node.status?.conditions) return []
  if (!manager) {
    const object = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: InstanceManager.kind,
      metadata: {
        name: managerName(name),
        namespace,
        ownerReferences: [{ ...controllerRef(Node, node), controller: false }],
      },
      spec: { nodeID: name, type: 'aio', dataEngine: 'v1', image: CROFT_ENGINE_IMAGE },
    }
    return [{ do: 'create', kind: InstanceManager, object: object as never }]
  }
  if (manager.status?.currentState === state) return []
  const target = { kind: InstanceManager, namespace, name: managerName(name) }
  return [{ do: 'patch', target, subresource: 'status', patch: { status: { currentState: state } } }]
}

function managerName(node: string): string {
  return `instance-manager-${shortHash(node, 8)}`
}

function removal({ metadata }: Node): Action {
  return {
    do: 'delete',
    target: { kind: Node, namespace: metadata.namespace!, name: metadata.name!, uid: metadata.uid! },
    onlyIf: { absent: [{ kind: CoreNode, name: metadata.name! }] },
  }
}

function nodeWishes({ node, host, heedsCordon }: SeenStorageNode): readonly ConditionWish[] {
  const name = node.metadata.name!
  const ready = findCondition(host?.status?.conditions as readonly ConditionLike[] | undefined, 'Ready')
  const cordoned = heedsCordon && host?.spec?.unschedulable === true
  return [
    !host
      ? {
          type: 'Ready',
          status: 'False',
          reason: 'KubernetesNodeGone',
          message: `Kubernetes has no node ${name} any more`,
        }
      : ready && ready.status !== 'True'
        ? {
            type: 'Ready',
            status: 'False',
            reason: 'KubernetesNodeNotReady',
            message: `node ${name} is not ready: ${ready.reason ?? ''}`,
          }
        : { type: 'Ready', status: 'True', reason: '', message: '' },
    cordoned
      ? {
          type: 'Schedulable',
          status: 'False',
          reason: 'KubernetesNodeCordoned',
          message: `node ${name} is cordoned`,
        }
      : { type: 'Schedulable', status: 'True', reason: '', message: '' },
  ]
}

function diskOf(disk: DiskStatus, seen: SeenStorageNode, now: number): DiskStatus {
  const uuid = disk.diskUUID
  if (!uuid) return disk
  const here = seen.replicas.filter((replica) => replica.spec?.diskID === uuid)
  const scheduledReplica = Object.fromEntries(
    here.map((replica) => [replica.metadata.name!, Number(replica.spec?.volumeSize ?? 0)]),
  )
  const scheduledBackingImage = Object.fromEntries(
    seen.images
      .filter((image) => image.spec?.diskFileSpecMap?.[uuid] !== undefined)
      .map((image) => [image.metadata.name!, Number(image.status?.size ?? 0)]),
  )
  const storageScheduled = Object.values(scheduledReplica).reduce((sum, size) => sum + size, 0)
  const conditions = withConditions(
    (disk.conditions ?? []) as readonly ConditionLike[],
    [pressure(disk, seen)],
    now,
  )
  return {
    ...disk,
    storageScheduled,
    scheduledReplica,
    scheduledBackingImage,
    conditions: conditions as never,
  }
}

function pressure(disk: DiskStatus, { minimalAvailablePercent }: SeenStorageNode): ConditionWish {
  const maximum = BigInt(disk.storageMaximum ?? 0)
  const available = BigInt(disk.storageAvailable ?? 0)
  const floor = (maximum * minimalAvailablePercent) / 100n
  return available > floor || maximum === 0n
    ? { type: 'Schedulable', status: 'True', reason: '', message: '' }
    : {
        type: 'Schedulable',
        status: 'False',
        reason: 'DiskPressure',
        message: `${available} of ${maximum} bytes are free, and nothing new is placed at ${floor} or less (storage-minimal-available-percentage)`,
      }
}

const keyOf = (look: Look, name: string | undefined): readonly string[] =>
  look
    .list(Node)
    .filter((node) => node.metadata.name === name)
    .map((node) => `${node.metadata.namespace}/${node.metadata.name}`)

export const storageNodeDecider: Decider<typeof Node, SeenStorageNode> = {
  name: 'storage-node',
  kind: Node,
  settleMs: SETTLE_MS,
  watches: [
    { kind: CoreNode, keys: ({ metadata }, look) => keyOf(look, metadata.name) },
    {
      kind: InstanceManager,
      keys: (object, look) => keyOf(look, (object as InstanceManager).spec?.nodeID),
    },
    { kind: Replica, keys: (object, look) => keyOf(look, (object as Replica).spec?.nodeID) },
    {
      kind: BackingImage,
      keys: (_object, look) => look.list(Node).flatMap((node) => keyOf(look, node.metadata.name)),
    },
    {
      kind: Setting,
      keys: (_object, look) => look.list(Node).flatMap((node) => keyOf(look, node.metadata.name)),
    },
  ],
  indexes: [
    {
      kind: Replica,
      name: REPLICAS_BY_NODE,
      values: (object) => [(object as Replica).spec?.nodeID ?? ''],
    },
  ],
  gather: (node, look) => {
    const { namespace, name } = node.metadata
    return {
      node,
      host: look.get(CoreNode, undefined, name!),
      manager: look.get(InstanceManager, namespace, managerName(name!)),
      replicas: look.byIndex(Replica, REPLICAS_BY_NODE, name!),
      images: look.list(BackingImage, namespace),
      minimalAvailablePercent: storageSettings(look, namespace).rules.minimalAvailablePercent,
      heedsCordon: look.get(Setting, namespace, 'disable-scheduling-on-cordoned-node')?.value !== 'false',
    }
  },
  decide: decideStorageNode,
}
