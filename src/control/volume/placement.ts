// Where the replicas of a volume go: one pure function from disks and wishes to places. Rules and their texts are
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
  readonly availableBytes: bigint
  readonly maximumBytes: bigint
  readonly reservedBytes: bigint
  /** Sum of the sizes of the replicas that are there already. */
  readonly scheduledBytes: bigint
}

export interface PlacementWish {
  readonly sizeBytes: bigint
  readonly count: number
  readonly nodeSelector: readonly string[]
  readonly diskSelector: readonly string[]
  /** Two replicas on one node are allowed when there is no other place. */
  readonly softNodeAntiAffinity: boolean
  /** Node and disk of the replicas that stand already. */
  readonly present: readonly { readonly nodeID: string; readonly diskUUID: string }[]
}

export interface PlacementRules {
  /** Virtual bytes allowed per usable byte, in percent. */
  readonly overProvisioningPercent: bigint
  /** A disk with less left than this share takes nothing new, in percent. */
  readonly minimalAvailablePercent: bigint
}

export interface Placement {
  readonly disks: readonly DiskFacts[]
  /** Why fewer than `count` were placed, in Longhorn's words; absent when all were. */
  readonly shortage?: string
}

function hasTags(wanted: readonly string[], held: readonly string[]): boolean {
  return wanted.every((tag) => held.includes(tag))
}

/** Whether the disk admits a replica of this size. */
export function hasRoom(disk: DiskFacts, sizeBytes: bigint, rules: PlacementRules): boolean {
  const usableBytes = disk.maximumBytes - disk.reservedBytes
  return (
    disk.scheduledBytes + sizeBytes <= (usableBytes * rules.overProvisioningPercent) / 100n &&
    disk.availableBytes > (disk.maximumBytes * rules.minimalAvailablePercent) / 100n
  )
}

/** Fresh zones first, then fresh nodes, then fresh disks, then the disk with the most virtual room left. */
function better(a: DiskFacts, b: DiskFacts, used: readonly DiskFacts[]): number {
  const uses = (test: (disk: DiskFacts) => boolean): number => (used.some(test) ? 1 : 0)
  const rank = (disk: DiskFacts): number =>
    uses((other) => other.zone === disk.zone) * 4 +
    uses((other) => other.nodeID === disk.nodeID) * 2 +
    uses((other) => other.diskUUID === disk.diskUUID)
  const left = (disk: DiskFacts): bigint => disk.maximumBytes - disk.reservedBytes - disk.scheduledBytes
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (left(a) !== left(b)) return left(a) > left(b) ? -1 : 1
  return a.diskUUID < b.diskUUID ? -1 : 1
}

/** Places up to `wish.count` new replicas. Same input, same answer. */
export function placeReplicas(
  wish: PlacementWish,
  disks: readonly DiskFacts[],
  rules: PlacementRules,
): Placement {
  const usable = disks.filter((disk) => disk.usable)
  if (usable.length === 0) return { disks: [], shortage: 'disks are unavailable' }
  const tagged = usable.filter(
    (disk) => hasTags(wish.nodeSelector, disk.nodeTags) && hasTags(wish.diskSelector, disk.diskTags),
  )
  if (tagged.length === 0) return { disks: [], shortage: tagShortage(wish) }
  const chosen: DiskFacts[] = []
  const standing = disks.filter((disk) =>
    wish.present.some((place) => place.nodeID === disk.nodeID && place.diskUUID === disk.diskUUID),
  )
  let shortage: string | undefined
  while (chosen.length < wish.count && shortage === undefined) {
    const used = [...standing, ...chosen]
    const roomy = tagged.filter((disk) =>
      hasRoom(withChosen(disk, chosen, wish.sizeBytes), wish.sizeBytes, rules),
    )
    const apart = roomy.filter(
      (disk) => wish.softNodeAntiAffinity || !used.some((u) => u.nodeID === disk.nodeID),
    )
    const [best] = [...apart].sort((a, b) => better(a, b, used))
    if (best) chosen.push(best)
    else shortage = roomy.length === 0 ? 'insufficient storage' : 'hard affinity cannot be satisfied'
  }
  return shortage === undefined ? { disks: chosen } : { disks: chosen, shortage }
}

function withChosen(disk: DiskFacts, chosen: readonly DiskFacts[], sizeBytes: bigint): DiskFacts {
  const count = chosen.filter((other) => other.diskUUID === disk.diskUUID).length
  return count === 0 ? disk : { ...disk, scheduledBytes: disk.scheduledBytes + sizeBytes * BigInt(count) }
}

function tagShortage(wish: PlacementWish): string {
  const tags = [
    ...(wish.nodeSelector.length > 0 ? [`node tags ${wish.nodeSelector.join(',')}`] : []),
    ...(wish.diskSelector.length > 0 ? [`disk tags ${wish.diskSelector.join(',')}`] : []),
  ]
  return `tags not fulfilled: no usable disk has ${tags.join(' and ')}`
}
