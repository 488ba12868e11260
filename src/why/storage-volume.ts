// Why a volume of the storage system is not attached, not whole or not at rest: its copies, its engine, its record,
// and what to do about each. The record says which copies have every acknowledged write; nothing else is believed.
import { formatQuantity, quantityOf } from '../base/quantity.ts'
import { formatTime, parseTime } from '../base/time.ts'
import type { VolumeEpoch } from '../kinds/croft/volume-epoch.ts'
import type { Engine } from '../kinds/longhorn/engine.ts'
import type { Node } from '../kinds/longhorn/node.ts'
import type { Replica } from '../kinds/longhorn/replica.ts'
import type { Volume } from '../kinds/longhorn/volume.ts'
import {
  type About,
  conditionOf,
  fine,
  saying,
  type Tell,
  text,
  type Why,
  waits,
  withNotes,
  wrong,
} from './why.ts'

export interface StorageVolumeFacts {
  readonly volume: Volume
  readonly engine: Engine | undefined
  readonly epoch: VolumeEpoch | undefined
  readonly replicas: readonly Replica[]
  readonly nodes: readonly Node[]
  /** Rebuilds at a time on one node, as the setting has it. */
  readonly rebuildsPerNode: number
  /** How long a lost copy is waited for. Milliseconds. */
  readonly replenishWaitMs: number
}

export function whyStorageVolume(facts: StorageVolumeFacts, tell: Tell): Why {
  const { name = '', namespace = '' } = facts.volume.metadata
  const about: About = { kind: 'Volume', namespace, name }
  const why =
    whyDeleting(facts, tell, about) ??
    whyNoCopy(facts, tell, about) ??
    whyAway(facts, tell, about) ??
    whySilent(facts, tell, about) ??
    whyFilling(facts, tell, about) ??
    whyStarting(facts, tell, about) ??
    whyFew(facts, tell, about) ??
    whyGrowing(facts, tell, about) ??
    fine(tell, about)
  return withNotes(why, [manySnapshots(facts, tell)])
}

function sizeText(volume: Volume): string {
  return formatQuantity(quantityOf(BigInt(volume.spec?.size ?? 0), 'BinarySI'))
}

function whyDeleting(
  { volume, engine, replicas }: StorageVolumeFacts,
  tell: Tell,
  about: About,
): Why | undefined {
  if (!volume.metadata.deletionTimestamp) return undefined
  const left = [...(engine ? [engine] : []), ...replicas].map(({ metadata }) => metadata.name ?? '')
  return waits(tell, about, text(tell, 'why.volume.deleting', { what: left.join(', ') || about.name }))
}

function whyNoCopy({ volume, replicas }: StorageVolumeFacts, tell: Tell, about: About): Why | undefined {
  if (replicas.length > 0) return undefined
  const unplaced = saying(volume.status?.conditions, 'Scheduled', 'False')
  if (!unplaced) return undefined
  return wrong(
    about,
    text(tell, 'why.volume.noRoom', { size: sizeText(volume), disks: unplaced.message ?? '' }),
    text(tell, 'why.volume.noRoom.next'),
  )
}

const isFailed = ({ spec }: Replica): boolean => (spec?.failedAt ?? '') !== ''

function membersOf({ epoch, replicas }: StorageVolumeFacts): readonly Replica[] {
  const names = new Set((epoch?.spec.inSync ?? []).map((member) => member.replica))
  return replicas.filter((replica) => names.has(replica.metadata.name ?? ''))
}

function stateOf(replica: Replica, nodes: readonly Node[]): string {
  const node = nodes.find((one) => one.metadata.name === replica.spec?.nodeID)
  const ready = conditionOf(node?.status?.conditions, 'Ready')
  const where = `${replica.metadata.name} on ${replica.spec?.nodeID}`
  if (!node) return `${where} (the node is gone)`
  if (ready?.status !== 'True') return `${where} (${ready?.message || 'the node is not ready'})`
  const disk = Object.values(node.status?.diskStatus ?? {}).find(
    (one) => one.diskUUID === replica.spec?.diskID,
  )
  const onDisk = conditionOf(disk?.conditions, 'Ready')
  if (!disk || onDisk?.status !== 'True') return `${where} (${onDisk?.message || 'its disk is gone'})`
  const creation = saying(replica.status?.conditions, 'InstanceCreation', 'False')
  return creation?.message ? `${where} (${creation.message})` : where
}

function whyAway(facts: StorageVolumeFacts, tell: Tell, about: About): Why | undefined {
  if (facts.volume.status?.robustness !== 'faulted') return undefined
  const members = membersOf(facts)
  const names = (facts.epoch?.spec.inSync ?? []).map((member) => member.replica)
  const copies =
    members.length > 0 ? members.map((one) => stateOf(one, facts.nodes)).join('; ') : names.join(', ')
  return wrong(
    about,
    copies === '' ? text(tell, 'why.volume.faulted') : text(tell, 'why.volume.away', { copies }),
    copies === '' ? text(tell, 'why.volume.faulted.next') : text(tell, 'why.volume.away.next'),
  )
}

function whySilent({ volume, engine }: StorageVolumeFacts, tell: Tell, about: About): Why | undefined {
  const { state, robustness } = volume.status ?? {}
  if (state !== 'attached' || robustness !== 'unknown') return undefined
  const node = engine?.spec?.nodeID || volume.spec?.nodeID || ''
  return wrong(about, text(tell, 'why.volume.nodeSilent', { node }), text(tell, 'why.volume.nodeSilent.next'))
}

function whyFilling({ volume }: StorageVolumeFacts, tell: Tell, about: About): Why | undefined {
  const source = volume.spec?.dataSource ?? ''
  const state = volume.status?.cloneStatus?.state
  if (source === '' || state === 'completed') return undefined
  return state === 'failed'
    ? wrong(
        about,
        text(tell, 'why.volume.cloneFailed', { source }),
        text(tell, 'why.volume.cloneFailed.next'),
      )
    : waits(tell, about, text(tell, 'why.volume.cloning', { source }))
}

function whyStarting(facts: StorageVolumeFacts, tell: Tell, about: About): Why | undefined {
  const { volume, replicas, nodes } = facts
  if (volume.status?.state !== 'attaching') return undefined
  const image = saying(volume.status.conditions, 'WaitForBackingImage', 'True')
  const late = replicas.filter((one) => !isFailed(one) && one.status?.currentState !== 'running')
  const copies = image?.message || late.map((one) => stateOf(one, nodes)).join('; ') || 'engine'
  return waits(tell, about, text(tell, 'why.volume.starting', { node: volume.spec?.nodeID || '?', copies }))
}

function whyFew(facts: StorageVolumeFacts, tell: Tell, about: About): Why | undefined {
  const { volume, engine, replicas } = facts
  const want = Number(volume.spec?.numberOfReplicas ?? 1)
  const modes = engine?.status?.replicaModeMap ?? {}
  const isOn = volume.status?.state === 'attached'
  const have = isOn
    ? Object.values(modes).filter((mode) => mode === 'RW').length
    : replicas.filter((one) => !isFailed(one)).length
  const unplaced = saying(volume.status?.conditions, 'Scheduled', 'False')
  if (have >= want && !unplaced) return undefined
  const effect = text(tell, 'why.volume.fewCopies.effect')
  const rebuilding = isOn ? replicas.find((one) => modes[one.metadata.name ?? ''] === 'WO') : undefined
  if (rebuilding) return whyRebuilding(facts, rebuilding, tell, about)
  if (unplaced)
    return wrong(
      about,
      text(tell, 'why.volume.noPlace', { have, want, reason: unplaced.message ?? '' }),
      text(tell, 'why.volume.noPlace.next'),
      effect,
    )
  if (facts.rebuildsPerNode === 0)
    return wrong(about, text(tell, 'why.volume.rebuildOff'), text(tell, 'why.volume.rebuildOff.next'), effect)
  return whyLost(facts, tell, about, effect)
}

function whyRebuilding({ engine }: StorageVolumeFacts, replica: Replica, tell: Tell, about: About): Why {
  const name = replica.metadata.name ?? ''
  const states = engine?.status?.rebuildStatus ?? {}
  const progress = states[name] ?? Object.values(states).find((one) => one.isRebuilding)
  const percent = Math.min(100, Number(progress?.progress ?? 0))
  return waits(
    tell,
    about,
    text(tell, 'why.volume.rebuilding', { node: replica.spec?.nodeID ?? '', percent }),
  )
}

/** Copies are missing although there is a place: one is waited for, or one cannot be brought up to date. */
function whyLost(facts: StorageVolumeFacts, tell: Tell, about: About, effect: string): Why {
  const { volume, engine, replicas, replenishWaitMs } = facts
  const failed = replicas.filter(isFailed)
  const hopeless = failed.find((one) => (one.spec?.rebuildRetryCount ?? 0) >= 2)
  if (hopeless) {
    const node = hopeless.spec?.nodeID ?? ''
    const status = engine?.status?.rebuildStatus?.[hopeless.metadata.name ?? '']
    return wrong(
      about,
      text(tell, 'why.volume.rebuildFails', {
        node,
        times: hopeless.spec?.rebuildRetryCount ?? 0,
        message: status?.error || stateOf(hopeless, facts.nodes),
      }),
      text(tell, 'why.volume.rebuildFails.next', { node }),
      effect,
    )
  }
  const node = failed[0]?.spec?.nodeID ?? '?'
  const since = parseTime(volume.status?.lastDegradedAt ?? '') ?? tell.now
  const until = since + replenishWaitMs
  return waits(tell, about, text(tell, 'why.volume.copyLost', { node, wait: formatTime(until) }))
}

function whyGrowing({ volume, engine }: StorageVolumeFacts, tell: Tell, about: About): Why | undefined {
  if (volume.status?.expansionRequired !== true) return undefined
  const size = sizeText(volume)
  const message = engine?.status?.lastExpansionError
  return message && !engine?.status?.isExpanding
    ? wrong(
        about,
        text(tell, 'why.volume.growFailed', { size, message }),
        text(tell, 'why.volume.growFailed.next'),
      )
    : waits(tell, about, text(tell, 'why.volume.growing', { size }))
}

function manySnapshots({ volume, engine }: StorageVolumeFacts, tell: Tell): string | undefined {
  if (!saying(volume.status?.conditions, 'TooManySnapshots', 'True')) return undefined
  const count = Object.keys(engine?.status?.snapshots ?? {}).filter((name) => name !== 'volume-head').length
  return text(tell, 'why.volume.manySnapshots', { count, most: volume.spec?.snapshotMaxCount ?? 250 })
}
