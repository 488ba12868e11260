// The disks of the cluster as placement sees them, from Longhorn's Node objects and the replicas that exist. What is
// scheduled is always counted anew: a kept counter drifts.
import type { Node } from '../../kinds/longhorn/node.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { DiskFacts } from './placement.ts'

interface ConditionLike {
  readonly type?: string
  readonly status?: string
}

function holds(conditions: readonly ConditionLike[] | null | undefined, type: string): boolean {
  return conditions?.find((condition) => condition.type === type)?.status === 'True'
}

function denies(conditions: readonly ConditionLike[] | null | undefined, type: string): boolean {
  return conditions?.find((condition) => condition.type === type)?.status === 'False'
}

/** Bytes promised per disk UUID. */
function scheduledBytes(replicas: readonly Replica[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const replica of replicas) {
    const disk = replica.spec?.diskID
    if (disk) sums.set(disk, (sums.get(disk) ?? 0n) + BigInt(replica.spec?.volumeSize ?? 0))
  }
  return sums
}

const NONE: ReadonlySet<string> = new Set()

/** `lostNodes` do not answer, whatever their own last word was. */
export function diskFacts(
  nodes: readonly Node[],
  replicas: readonly Replica[],
  lostNodes: ReadonlySet<string> = NONE,
): readonly DiskFacts[] {
  const scheduled = scheduledBytes(replicas)
  return nodes.flatMap((node) => {
    const nodeAlive = holds(node.status?.conditions, 'Ready') && !lostNodes.has(node.metadata.name!)
    const nodeUsable =
      nodeAlive &&
      holds(node.status?.conditions, 'Schedulable') &&
      node.spec?.allowScheduling !== false &&
      node.spec?.evictionRequested !== true
    return Object.entries(node.status?.diskStatus ?? {}).flatMap(([name, disk]) => {
      const wish = node.spec?.disks?.[name]
      if (!wish || !disk.diskUUID) return []
      return [
        {
          nodeID: node.metadata.name!,
          zone: node.status?.zone ?? '',
          diskUUID: disk.diskUUID,
          diskPath: disk.diskPath ?? wish.path ?? '',
          nodeTags: node.spec?.tags ?? [],
          diskTags: wish.tags ?? [],
          alive: nodeAlive && holds(disk.conditions, 'Ready'),
          evicting: node.spec?.evictionRequested === true || wish.evictionRequested === true,
          usable:
            nodeUsable &&
            wish.allowScheduling !== false &&
            wish.evictionRequested !== true &&
            holds(disk.conditions, 'Ready') &&
            !denies(disk.conditions, 'Schedulable'),
          availableBytes: BigInt(disk.storageAvailable ?? 0),
          maximumBytes: BigInt(disk.storageMaximum ?? 0),
          reservedBytes: BigInt(wish.storageReserved ?? 0),
          scheduledBytes: scheduled.get(disk.diskUUID) ?? 0n,
        },
      ]
    })
  })
}
