// Where the replicas of a volume go: pure functions from disks and wishes to places. Rules and their texts are
// Longhorn's (longhorn.io/docs, "Scheduling"): hard anti-affinity by node unless the volume says otherwise, soft by
// zone and disk, tags must all be there, space by over-provisioning and by what the disk really has left.

export interface DiskFacts {
  readonly nodeID: string
  readonly zone: string
  readonly diskUUID: string
  readonly diskPath: string
  readonly nodeTags: readonly string[]
  readonly diskTags: readonly string[]
  /** Node and disk are ready, wanted for scheduling, and not to be evicted. */
  readonly usable: boolean
  /** The node answers and the disk is there, whatever may be placed on it. Absent: as `usable`. */
  readonly alive?: boolean
  /** Everything is to leave this disk. */
  readonly evicting?: boolean
  readonly availableBytes: bigint
  readonly maximumBytes: bigint
  readonly reservedBytes: bigint
  /** Sum of the sizes of the replicas that are there already. */
  readonly scheduledBytes: bigint
}

export interface Place {
  readonly nodeID: string
  readonly diskUUID: string
}

export interface PlacementWish {
  readonly sizeBytes: bigint
  readonly count: number
  readonly nodeSelector: readonly string[]
  readonly diskSelector: readonly string[]
  /** Two replicas on one node are allowed when there is no other place. */
  readonly softNodeAntiAffinity: boolean
  /** The same for one zone. Allowed unless said otherwise. */
  readonly softZoneAntiAffinity?: boolean
  /** The same for one disk. Allowed unless said otherwise. */
  readonly softDiskAntiAffinity?: boolean
  /** Only disks of this node, for a copy that must lie beside its user. */
  readonly onNode?: string
  /** Node and disk of the replicas that stand already. */
  readonly present: readonly Place[]
}

export interface PlacementRules {
  /** Virtual bytes allowed per usable byte, in percent. */
  readonly overProvisioningPercent: bigint
  /** A disk with less left than this share takes nothing new, in percent. */
  readonly minimalAvailablePercent: bigint
  /** A volume that names no tags may use nodes that have some. Allowed unless said otherwise. */
  readonly taggedNodesForAll?: boolean
  /** The same for disks. */
  readonly taggedDisksForAll?: boolean
}

export interface Placement {
  readonly disks: readonly DiskFacts[]
  /** Why fewer than `count` were placed, in Longhorn's words; absent when all were. */
  readonly shortage?: string
}

/** All wanted tags are held; who wants none takes a tagged place only where that is allowed. */
function hasTags(wanted: readonly string[], held: readonly string[], taggedForAll = true): boolean {
  if (wanted.length === 0) return taggedForAll || held.length === 0
  return wanted.every((tag) => held.includes(tag))
}

type Selectors = Pick<PlacementWish, 'nodeSelector' | 'diskSelector'>

/** Whether a replica of a volume with these selectors may lie on the disk at all. */
export function fitsTags(disk: DiskFacts, wish: Selectors, rules: PlacementRules): boolean {
  return (
    hasTags(wish.nodeSelector, disk.nodeTags, rules.taggedNodesForAll) &&
    hasTags(wish.diskSelector, disk.diskTags, rules.taggedDisksForAll)
  )
}

/** Whether the disk admits a replica of this size. */
export function hasRoom(disk: DiskFacts, sizeBytes: bigint, rules: PlacementRules): boolean {
  const usableBytes = disk.maximumBytes - disk.reservedBytes
  return (
    disk.scheduledBytes + sizeBytes <= (usableBytes * rules.overProvisioningPercent) / 100n &&
    disk.availableBytes > (disk.maximumBytes * rules.minimalAvailablePercent) / 100n
  )
}

function count<T>(list: readonly T[], test: (item: T) => boolean): number {
  return list.filter(test).length
}

/** The least used node first, then the least used zone, then disk, then the disk with the most virtual room left. */
function better(a: DiskFacts, b: DiskFacts, used: readonly DiskFacts[]): number {
  const ranks = (disk: DiskFacts): readonly number[] => [
    count(used, (other) => other.nodeID === disk.nodeID),
    count(used, (other) => other.zone === disk.zone),
    count(used, (other) => other.diskUUID === disk.diskUUID),
  ]
  const left = (disk: DiskFacts): bigint => disk.maximumBytes - disk.reservedBytes - disk.scheduledBytes
  const [ofA, ofB] = [ranks(a), ranks(b)]
  const differing = ofA.findIndex((rank, index) => rank !== ofB[index])
  if (differing >= 0) return ofA[differing]! - ofB[differing]!
  if (left(a) !== left(b)) return left(a) > left(b) ? -1 : 1
  return a.diskUUID < b.diskUUID ? -1 : 1
}

/** Whether a new replica on `disk` keeps the distance that the volume asks for from those on `used`. */
function isApart(disk: DiskFacts, used: readonly DiskFacts[], wish: PlacementWish): boolean {
  return used.every(
    (other) =>
      (wish.softNodeAntiAffinity || other.nodeID !== disk.nodeID) &&
      (wish.softZoneAntiAffinity !== false || other.zone !== disk.zone) &&
      (wish.softDiskAntiAffinity !== false || other.diskUUID !== disk.diskUUID),
  )
}

/** Places up to `wish.count` new replicas. Same input, same answer. */
export function placeReplicas(
  wish: PlacementWish,
  disks: readonly DiskFacts[],
  rules: PlacementRules,
): Placement {
  const usable = disks.filter((disk) => disk.usable && (!wish.onNode || disk.nodeID === wish.onNode))
  if (usable.length === 0) return { disks: [], shortage: 'disks are unavailable' }
  const tagged = usable.filter((disk) => fitsTags(disk, wish, rules))
  if (tagged.length === 0) return { disks: [], shortage: tagShortage(wish) }
  const chosen: DiskFacts[] = []
  // One entry a replica, so that two on one disk count twice.
  const standing = wish.present.flatMap((place) => {
    const disk = disks.find((one) => one.nodeID === place.nodeID && one.diskUUID === place.diskUUID)
    return disk ? [disk] : []
  })
  let shortage: string | undefined
  while (chosen.length < wish.count && shortage === undefined) {
    const used = [...standing, ...chosen]
    const roomy = tagged.filter((disk) =>
      hasRoom(withChosen(disk, chosen, wish.sizeBytes), wish.sizeBytes, rules),
    )
    const apart = roomy.filter((disk) => isApart(disk, used, wish))
    const [best] = [...apart].sort((a, b) => better(a, b, used))
    if (best) chosen.push(best)
    else shortage = roomy.length === 0 ? 'insufficient storage' : 'hard affinity cannot be satisfied'
  }
  return shortage === undefined ? { disks: chosen } : { disks: chosen, shortage }
}

function withChosen(disk: DiskFacts, chosen: readonly DiskFacts[], sizeBytes: bigint): DiskFacts {
  const added = count(chosen, (other) => other.diskUUID === disk.diskUUID)
  return added === 0 ? disk : { ...disk, scheduledBytes: disk.scheduledBytes + sizeBytes * BigInt(added) }
}

function tagShortage(wish: PlacementWish): string {
  const tags = [
    ...(wish.nodeSelector.length > 0 ? [`node tags ${wish.nodeSelector.join(',')}`] : []),
    ...(wish.diskSelector.length > 0 ? [`disk tags ${wish.diskSelector.join(',')}`] : []),
  ]
  return tags.length === 0
    ? 'tags not fulfilled: every usable disk has tags, and volumes without tags may not use them'
    : `tags not fulfilled: no usable disk has ${tags.join(' and ')}`
}
