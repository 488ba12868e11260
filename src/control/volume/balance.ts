// Which replica of a volume is one too many, and whether one would lie better elsewhere. Pure, and made so that it
// never goes round in circles: a move is made only when the spread gets strictly better, and the replica that leaves
// is the one whose absence leaves the best spread, which is never the new one.
import {
  type DiskFacts,
  type Place,
  type PlacementRules,
  type PlacementWish,
  placeReplicas,
} from './placement.ts'

export type BalanceMode = 'disabled' | 'least-effort' | 'best-effort'

/** A replica that has all data, as the choice sees it. */
export interface Copy extends Place {
  readonly name: string
}

/** Lower is better, the first number that differs decides. */
type Cost = readonly number[]

function isLess(a: Cost, b: Cost): boolean {
  const differing = a.findIndex((value, index) => value !== b[index])
  return differing >= 0 && a[differing]! < b[differing]!
}

function pairs(words: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  let sum = 0
  for (const value of counts.values()) sum += (value * (value - 1)) / 2
  return sum
}

function zoneOf(place: Place, disks: readonly DiskFacts[]): string {
  return disks.find((disk) => disk.nodeID === place.nodeID)?.zone ?? ''
}

/** How badly the copies are spread: over nodes, over zones, over disks. */
function spread(places: readonly Place[], disks: readonly DiskFacts[]): Cost {
  return [
    pairs(places.map((place) => place.nodeID)),
    pairs(places.map((place) => zoneOf(place, disks))),
    pairs(places.map((place) => place.diskUUID)),
  ]
}

/** Nodes and zones that hold none of the copies that could: what the least effort improves. */
function reach(places: readonly Place[], disks: readonly DiskFacts[]): Cost {
  return [
    -new Set(places.map((place) => place.nodeID)).size,
    -new Set(places.map((place) => zoneOf(place, disks))).size,
  ]
}

/**
 * The copy that is given up when there is one too many: never the one on `keepNode` while another can go, then the
 * one without which the rest is spread best, then the one on the fullest disk.
 */
export function surplusCopy(
  copies: readonly Copy[],
  disks: readonly DiskFacts[],
  keepNode: string | undefined,
): Copy | undefined {
  const away = copies.filter((copy) => copy.nodeID !== keepNode)
  const candidates = away.length > 0 ? away : copies
  const load = (copy: Copy): bigint =>
    disks.find((disk) => disk.diskUUID === copy.diskUUID)?.scheduledBytes ?? 0n
  return candidates.reduce<Copy | undefined>((worst, copy) => {
    if (worst === undefined) return copy
    const without = (one: Copy): Cost =>
      spread(
        copies.filter((other) => other.name !== one.name),
        disks,
      )
    if (isLess(without(copy), without(worst))) return copy
    if (isLess(without(worst), without(copy))) return worst
    if (load(copy) !== load(worst)) return load(copy) > load(worst) ? copy : worst
    return copy.name > worst.name ? copy : worst
  }, undefined)
}

export interface BalanceInput {
  readonly mode: BalanceMode
  readonly copies: readonly Copy[]
  readonly disks: readonly DiskFacts[]
  readonly wish: Omit<PlacementWish, 'count' | 'present'>
  readonly rules: PlacementRules
  /** Node whose copy stays, for volumes that keep one beside their user. */
  readonly keepNode: string | undefined
  /** Share of a disk, in percent, above which best effort moves copies to another disk of the node. */
  readonly pressurePercent: bigint
}

function isPressed(disk: DiskFacts, percent: bigint): boolean {
  return (disk.maximumBytes - disk.availableBytes) * 100n > disk.maximumBytes * percent
}

/** Where one more copy should be made so that afterwards one of the others can go and all lie better. */
export function balanceTarget(input: BalanceInput): DiskFacts | undefined {
  const { mode, copies, disks, wish, rules, keepNode } = input
  if (mode === 'disabled' || copies.length === 0) return undefined
  // The one that goes makes room for the one that comes: it does not count for the distance to others.
  const leaver = surplusCopy(copies, disks, keepNode)
  if (!leaver) return undefined
  const rest = copies.filter((copy) => copy.name !== leaver.name)
  const present = rest.map(({ nodeID, diskUUID }) => ({ nodeID, diskUUID }))
  const elsewhere = disks.filter((disk) => disk.diskUUID !== leaver.diskUUID)
  const [found] = placeReplicas({ ...wish, count: 1, present }, elsewhere, rules).disks
  if (found) {
    const after = [...present, { nodeID: found.nodeID, diskUUID: found.diskUUID }]
    const cost = mode === 'least-effort' ? reach : spread
    const again = surplusCopy([...copies, { ...found, name: '' }], disks, keepNode)
    // The answer holds only when the copy that would go then is one of the old ones.
    if (again?.name !== '' && isLess(cost(after, disks), cost(copies, disks))) return found
  }
  return mode === 'best-effort' ? relief(input) : undefined
}

/** Another disk of the same node for a copy on a disk under pressure. */
function relief({
  copies,
  disks,
  wish,
  rules,
  pressurePercent,
  keepNode,
}: BalanceInput): DiskFacts | undefined {
  for (const copy of copies) {
    const from = disks.find((disk) => disk.diskUUID === copy.diskUUID)
    if (!from || !isPressed(from, pressurePercent)) continue
    const present = copies.filter((other) => other.name !== copy.name)
    const others = disks.filter(
      (disk) => disk.diskUUID !== from.diskUUID && !isPressed(disk, pressurePercent),
    )
    const [found] = placeReplicas({ ...wish, count: 1, present, onNode: copy.nodeID }, others, rules).disks
    if (found && surplusCopy([...copies, { ...found, name: '' }], disks, keepNode)?.name === copy.name)
      return found
  }
  return undefined
}
