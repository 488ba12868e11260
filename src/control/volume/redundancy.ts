// How many replicas a volume has and where: lost ones come back or are replaced, one more is made when a disk is to
// be emptied or a better place exists, and one too many leaves. Always one step at a time, adding before removing,
// and never touching the last copy that has all the data.
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { balanceTarget, surplusCopy } from './balance.ts'
import type { SpecChange } from './failures.ts'
import { type DiskFacts, fitsTags, type Placement, type PlacementWish, placeReplicas } from './placement.ts'
import { engineRuns, isServing, isWritten, type ReplicaView, timeOf } from './replicas.ts'
import { ownOr, type StorageSettings } from './settings.ts'

/** A replica whose rebuild failed this often in a row is not tried again. Longhorn's. */
const REBUILD_TRIES_MAX = 5
const BACKOFF_FIRST_MS = 60_000
const BACKOFF_MAX_MS = 5 * 60_000
/** A slot for a rebuild on a node is looked for again after this long. */
const SLOT_WAIT_MS = 5_000
/** Minutes; where the volume says nothing. */
const STALE_TIMEOUT_DEFAULT_MINUTES = 2880

export interface RedundancySeen {
  readonly volume: Volume
  readonly engine: Engine | undefined
  readonly epoch: VolumeEpoch | undefined
  readonly views: readonly ReplicaView[]
  readonly disks: readonly DiskFacts[]
  readonly settings: StorageSettings
  /** Rebuilds under way, by node. */
  readonly rebuilds: ReadonlyMap<string, number>
  /** Where the first copy of a strictly local volume must lie. */
  readonly wantedNode: string | undefined
}

export interface RedundancyAnswer {
  readonly creations: readonly DiskFacts[]
  /** Failed replicas that are taken back. */
  readonly changes: ReadonlyMap<string, SpecChange>
  /** Replicas that are to go as soon as the engine works without them, and why. */
  readonly leaving: ReadonlyMap<string, string>
  readonly removals: readonly ReplicaView[]
  /** Why not every wanted copy has a place; absent when all have. */
  readonly shortage?: string
  readonly wakeAt?: number
}

const NOTHING: RedundancyAnswer = {
  creations: [],
  changes: new Map(),
  leaving: new Map(),
  removals: [],
}

type BaseWish = Omit<PlacementWish, 'count' | 'present'>

/** What the volume asks of a place, its own words before the cluster's. */
export function placementWish(volume: Volume, settings: StorageSettings): BaseWish {
  const { spec } = volume
  return {
    sizeBytes: BigInt(spec?.size ?? 0),
    nodeSelector: spec?.nodeSelector ?? [],
    diskSelector: spec?.diskSelector ?? [],
    softNodeAntiAffinity: ownOr(spec?.replicaSoftAntiAffinity, settings.softNodeAntiAffinity),
    softZoneAntiAffinity: ownOr(spec?.replicaZoneSoftAntiAffinity, settings.softZoneAntiAffinity),
    softDiskAntiAffinity: ownOr(spec?.replicaDiskSoftAntiAffinity, settings.softDiskAntiAffinity),
  }
}

function wantedCount({ volume }: RedundancySeen): number {
  return volume.spec?.numberOfReplicas ?? 1
}

function placeBeside(
  seen: RedundancySeen,
  beside: readonly ReplicaView[],
  count: number,
  onNode?: string,
): Placement {
  const present = beside.map(({ nodeID, diskUUID }) => ({ nodeID, diskUUID }))
  const wish = { ...placementWish(seen.volume, seen.settings), count, present, ...(onNode ? { onNode } : {}) }
  return placeReplicas(wish, seen.disks, seen.settings.rules)
}

export function decideRedundancy(seen: RedundancySeen, now: number): RedundancyAnswer {
  const removals = removable(seen, now)
  if (!isWritten(seen.epoch)) return { ...beforeFirstUse(seen), removals }
  const answer = engineRuns(seen.engine) ? whileRunning(seen, now) : whileStopped(seen)
  const wakeAt = earliest([answer.wakeAt, staleAt(seen, now)])
  return { ...answer, removals, ...(wakeAt === undefined ? {} : { wakeAt }) }
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Nothing is written yet: replicas are placed together, and one that failed is simply replaced. */
function beforeFirstUse(seen: RedundancySeen): RedundancyAnswer {
  const serving = seen.views.filter((view) => isServing(view) && !view.evicting)
  const missing = wantedCount(seen) - serving.length
  if (missing < 0 && !engineRuns(seen.engine)) return { ...NOTHING, leaving: surplus(seen, serving) }
  if (missing <= 0) return NOTHING
  const strict = seen.volume.spec?.dataLocality === 'strict-local'
  const { disks, shortage } = placeBeside(seen, serving, missing, strict ? seen.wantedNode : undefined)
  return { ...NOTHING, creations: disks, ...(shortage === undefined ? {} : { shortage }) }
}

/** A detached volume is not repaired, but what it lacks is said, and what it has too much of goes. */
function whileStopped(seen: RedundancySeen): RedundancyAnswer {
  const serving = seen.views.filter(isServing)
  const missing = wantedCount(seen) - serving.length
  if (missing > 0) {
    const { shortage } = placeBeside(seen, serving, missing)
    return shortage === undefined ? NOTHING : { ...NOTHING, shortage }
  }
  const whole = serving.filter((view) => view.inSync)
  return whole.length > wantedCount(seen) ? { ...NOTHING, leaving: surplus(seen, whole) } : NOTHING
}

function whileRunning(seen: RedundancySeen, now: number): RedundancyAnswer {
  const whole = seen.views.filter((view) => view.mode === 'RW' && isServing(view))
  const good = whole.filter((view) => !view.evicting)
  const joining = seen.views.filter((view) => view.mode !== 'RW' && isServing(view))
  const isLeaving = seen.views.some((view) => view.leaving)
  // One change at a time: the next is decided on what this one leaves.
  if (whole.length === 0 || isLeaving) return NOTHING
  if (joining.length > 0) {
    const places = [...good, ...joining.filter((view) => !view.evicting)]
    return shortOf(seen, places)
  }
  if (good.length < wantedCount(seen)) return repair(seen, good, now)
  const evicted = whole.find((view) => view.evicting)
  if (evicted) return { ...NOTHING, leaving: new Map([[evicted.name, 'evicted']]) }
  if (good.length > wantedCount(seen)) return { ...NOTHING, leaving: surplus(seen, good) }
  return improve(seen, good)
}

function shortOf(seen: RedundancySeen, places: readonly ReplicaView[]): RedundancyAnswer {
  const missing = wantedCount(seen) - places.length
  if (missing <= 0) return NOTHING
  const { shortage } = placeBeside(seen, places, missing)
  return shortage === undefined ? NOTHING : { ...NOTHING, shortage }
}

function surplus(seen: RedundancySeen, good: readonly ReplicaView[]): ReadonlyMap<string, string> {
  if (good.length < 2) return new Map()
  const choice = surplusCopy(good, seen.disks, keptNode(seen))
  return choice ? new Map([[choice.name, 'surplus']]) : new Map()
}

/** Where a volume that wants a copy beside its user keeps one. */
function keptNode({ volume }: RedundancySeen): string | undefined {
  const local = volume.spec?.dataLocality
  return local === 'best-effort' || local === 'strict-local' ? volume.spec?.nodeID || undefined : undefined
}

function hasSlot(seen: RedundancySeen, nodeID: string): boolean {
  return (seen.rebuilds.get(nodeID) ?? 0) < seen.settings.rebuildsPerNode
}

/** A lost replica that is back is brought up to date; else a new one is made, after the lost one was waited for. */
function repair(seen: RedundancySeen, good: readonly ReplicaView[], now: number): RedundancyAnswer {
  const failed = seen.views.filter((view) => view.failed && !view.leaving)
  const returnable = failed.filter((view) => mayReturn(seen, view))
  const back = returnable.filter((view) => view.usable && !view.running && isApartFrom(seen, view, good))
  const due = back.filter((view) => retryAt(view) <= now)
  const withSlot = due.filter((view) => hasSlot(seen, view.nodeID))
  const [again] = [...withSlot].sort((a, b) => lastFailure(b) - lastFailure(a) || (a.name < b.name ? -1 : 1))
  if (again) return { ...NOTHING, changes: new Map([[again.name, { failedAt: '', desireState: 'running' }]]) }
  if (seen.settings.rebuildsPerNode === 0) return NOTHING
  if (due.length > 0) return { ...NOTHING, wakeAt: now + SLOT_WAIT_MS }
  const soon = earliest(back.map(retryAt))
  const since = timeOf(seen.volume.status?.lastDegradedAt) ?? now
  const waitsUntil = since + seen.settings.replenishWaitMs
  if (returnable.length > 0 && now < waitsUntil)
    return { ...NOTHING, wakeAt: Math.min(waitsUntil, soon ?? waitsUntil) }
  return replenish(seen, good, now)
}

function replenish(seen: RedundancySeen, good: readonly ReplicaView[], now: number): RedundancyAnswer {
  const missing = wantedCount(seen) - good.length
  // A disk on which a copy of this volume failed is the last choice.
  const failed = seen.views.filter((view) => view.failed).map((view) => view.diskUUID)
  const fresh = { ...seen, disks: seen.disks.filter((disk) => !failed.includes(disk.diskUUID)) }
  const elsewhere = placeBeside(fresh, good, 1)
  const placed = placeBeside(seen, good, missing)
  const [first] = [...elsewhere.disks, ...placed.disks]
  const shortage = placed.shortage === undefined ? {} : { shortage: placed.shortage }
  if (!first || seen.settings.rebuildsPerNode === 0) return { ...NOTHING, ...shortage }
  if (!hasSlot(seen, first.nodeID)) return { ...NOTHING, ...shortage, wakeAt: now + SLOT_WAIT_MS }
  return { ...NOTHING, ...shortage, creations: [first] }
}

/** A failed replica whose disk may still be asked for the volume. */
function mayReturn(seen: RedundancySeen, { replica, diskUUID }: ReplicaView): boolean {
  if ((replica.spec?.rebuildRetryCount ?? 0) >= REBUILD_TRIES_MAX) return false
  const disk = seen.disks.find((one) => one.diskUUID === diskUUID)
  // A disk that is away is waited for; one that is there must still be allowed.
  return !disk?.usable || fitsTags(disk, placementWish(seen.volume, seen.settings), seen.settings.rules)
}

function isApartFrom(seen: RedundancySeen, view: ReplicaView, good: readonly ReplicaView[]): boolean {
  const { softNodeAntiAffinity, softDiskAntiAffinity } = placementWish(seen.volume, seen.settings)
  return good.every(
    (other) =>
      (softNodeAntiAffinity || other.nodeID !== view.nodeID) &&
      (softDiskAntiAffinity !== false || other.diskUUID !== view.diskUUID),
  )
}

function lastFailure({ replica }: ReplicaView): number {
  return timeOf(replica.spec?.lastFailedAt) ?? timeOf(replica.spec?.failedAt) ?? 0
}

/** At once for one that was whole; after failed rebuilds after 1, 2, 4, 5, 5 minutes. */
function retryAt(view: ReplicaView): number {
  const tries = view.replica.spec?.rebuildRetryCount ?? 0
  if (tries === 0) return 0
  return lastFailure(view) + Math.min(BACKOFF_FIRST_MS * 2 ** (tries - 1), BACKOFF_MAX_MS)
}

/** All is well: one copy more beside the user, or at a place that spreads better. The surplus goes afterwards. */
function improve(seen: RedundancySeen, good: readonly ReplicaView[]): RedundancyAnswer {
  const { volume, settings, disks } = seen
  const at = keptNode(seen)
  if (at && !good.some((view) => view.nodeID === at)) {
    const [local] = placeBeside(seen, good.slice(1), 1, at).disks
    return local && hasSlot(seen, local.nodeID) ? { ...NOTHING, creations: [local] } : NOTHING
  }
  const own = volume.spec?.replicaAutoBalance
  const mode = own === undefined || own === 'ignored' ? settings.autoBalance : own
  const target = balanceTarget({
    mode,
    copies: good,
    disks,
    wish: placementWish(volume, settings),
    rules: settings.rules,
    keepNode: at,
    pressurePercent: settings.pressurePercent,
  })
  return target && hasSlot(seen, target.nodeID) ? { ...NOTHING, creations: [target] } : NOTHING
}

function staleAfterMs({ volume }: RedundancySeen): number {
  return (volume.spec?.staleReplicaTimeout || STALE_TIMEOUT_DEFAULT_MINUTES) * 60_000
}

/** Replicas that nobody needs any more. The committed set is never touched while it is all that is left. */
function removable(seen: RedundancySeen, now: number): readonly ReplicaView[] {
  const runs = engineRuns(seen.engine)
  const written = isWritten(seen.epoch)
  const whole = seen.views.filter((view) => isServing(view) && (runs ? view.mode === 'RW' : view.inSync))
  return seen.views.filter((view) => {
    if (!written) return view.failed || view.leaving
    if (whole.length === 0) return false
    if (view.leaving) return runs ? view.mode === '' && !view.inSync : true
    if (!view.failed || !runs || view.inSync) return false
    const tries = view.replica.spec?.rebuildRetryCount ?? 0
    if (tries >= REBUILD_TRIES_MAX && !view.replica.spec?.lastHealthyAt) return true
    const enough = whole.length >= wantedCount(seen)
    return enough && (tries >= REBUILD_TRIES_MAX || now - lastFailure(view) >= staleAfterMs(seen))
  })
}

function staleAt(seen: RedundancySeen, now: number): number | undefined {
  const times = seen.views
    .filter((view) => view.failed)
    .map((view) => lastFailure(view) + staleAfterMs(seen))
    .filter((time) => time > now)
  return earliest(times)
}
