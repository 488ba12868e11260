// Who wants a volume attached, and where. Longhorn keeps these wishes as tickets of a VolumeAttachment, each with the
// priority of its type; here the wishes of the control plane's own parts are computed from what there is (Pods,
// snapshots to be made, sizes to be reached), so that a wish never outlives its reason, and only those of others
// (people, import tools) are read from the VolumeAttachment.

export interface Wish {
  /** Identity; of two equal wishes the smaller one wins. */
  readonly id: string
  /** Longhorn's word for who wishes. */
  readonly type: string
  /** Absent: any node will do. */
  readonly nodeID?: string | undefined
}

/** Longhorn's priorities. */
const PRIORITIES: Readonly<Record<string, number>> = {
  'volume-restore-controller': 2000,
  'volume-expansion-controller': 2000,
  'longhorn-api': 1000,
  'csi-attacher': 900,
  'salvage-controller': 900,
  'share-manager-controller': 900,
}
/** Snapshots, backups, clones, evictions and rebuilds: they give way to a machine that wants another node. */
const BACKGROUND_PRIORITY = 800

function priorityOf(wish: Wish): number {
  return PRIORITIES[wish.type] ?? BACKGROUND_PRIORITY
}

function isWorkload(wish: Wish): boolean {
  return ['longhorn-api', 'csi-attacher', 'share-manager-controller'].includes(wish.type)
}

export function byImportance(a: Wish, b: Wish): number {
  const difference = priorityOf(b) - priorityOf(a)
  if (difference !== 0) return difference
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

export interface WishesSeen {
  readonly wishes: readonly Wish[]
  /** Node that the volume is attached to, or on the way to. */
  readonly current: string | undefined
  /** Where it is attached when nobody cares where; undefined while there is no such node. */
  readonly anyNode: string | undefined
}

/**
 * The node where the volume belongs now; undefined for none. It stays where it is while anybody wants it there; only
 * background work gives way, to a workload that wants another node.
 */
export function chooseNode({ wishes, current, anyNode }: WishesSeen): string | undefined {
  const sorted = [...wishes].sort(byImportance)
  const [top] = sorted
  if (!top) return undefined
  if (current === undefined) return top.nodeID ?? sorted.find(isWorkload)?.nodeID ?? anyNode
  const stays = sorted.filter((wish) => wish.nodeID === undefined || wish.nodeID === current)
  const keeps = stays.some((wish) => isWorkload(wish) || priorityOf(wish) > BACKGROUND_PRIORITY)
  if (keeps) return current
  const other = sorted.find((wish) => isWorkload(wish) && wish.nodeID && wish.nodeID !== current)
  if (other?.nodeID) return other.nodeID
  return stays.length > 0 ? current : top.nodeID
}
