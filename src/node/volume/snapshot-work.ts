// Snapshot objects of volumes that are attached here: taken in one pause for all that belong together, told, and
// merged away when their objects go.
import { failed, ok, type Result } from '../../base/result.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import { DONE, RETRY, type WorkAnswer } from '../keyed-work.ts'
import type { EngineContext } from './engine.ts'
import { type LayerWords, layersOf, settled } from './layers.ts'
import type { LiveEngine } from './live-engine.ts'
import type { Member } from './member.ts'
import type { ReplicaMeta } from './meta.ts'
import { reportStatus } from './report.ts'
import { snapshotVolumes } from './snapshot.ts'

const GROUP = 'croft.io/group'
const GROUP_SIZE = 'croft.io/group-size'
const QUIESCE = 'croft.io/quiesce'
/** Longhorn's name for what is written to. */
const HEAD = 'volume-head'
/** Others of its group, or a rebuild that is under way, are waited for. Milliseconds. */
const WAIT_MS = 1_000
/** The size of what is written to is told this often at most. Milliseconds. */
const HEAD_TELL_MS = 30_000

/** One look at the snapshots of a volume. */
export async function reconcileSnapshots(
  context: EngineContext,
  namespace: string,
  volumeName: string,
): Promise<WorkAnswer> {
  const live = context.live.get(volumeName)?.engine
  if (!live || live.broken !== undefined) return DONE
  const seen = await layersSeen(live)
  if (!seen.ok) return RETRY
  const objects = context.look.list(Snapshot, namespace).filter((one) => one.spec?.volume === volumeName)
  const names = new Set(layersOf(seen.value.meta).map((layer) => layer.name))
  const due = objects.filter((one) => isDue(one) && !names.has(one.metadata.name!))
  const going = objects.filter((one) => one.metadata.deletionTimestamp && names.has(one.metadata.name!))
  let waits = false
  for (const snapshot of due) {
    const taken = await take(context, snapshot)
    if (taken.ok) waits ||= taken.value === 'waits'
    else {
      waits = true
      context.host.log.warn('a snapshot was not taken', {
        snapshot: snapshot.metadata.name,
        reason: taken.failure.reason,
        message: taken.failure.message,
      })
    }
  }
  for (const snapshot of going) {
    const removed = await remove(live, snapshot.metadata.name!)
    if (removed.ok) continue
    waits = true
    const { reason, message } = removed.failure
    if (reason !== 'Busy')
      context.host.log.warn('a snapshot was not removed', { snapshot: snapshot.metadata.name, message })
    if (reason === 'LayerBranches')
      await reportStatus(context.client, Snapshot, snapshot, { error: message, markRemoved: true })
  }
  await tell(context, live, objects)
  if (going.length > 0) context.wakeEngineOf(namespace, live.engineName)
  return waits ? { againMs: WAIT_MS } : DONE
}

const isDue = ({ spec, status, metadata }: Snapshot): boolean =>
  spec?.createSnapshot === true && !metadata.deletionTimestamp && !status?.creationTime && !status?.error

interface LayersSeen {
  readonly meta: ReplicaMeta
  readonly sizes: Readonly<Record<string, number>>
}

async function inStep(live: LiveEngine): Promise<readonly Member[]> {
  const { members } = await live.volume()
  return live.record.inSync.flatMap(
    ({ replica }) => members.find((member) => member.replica === replica) ?? [],
  )
}

/** What the first replica in step holds; they hold the same. */
async function layersSeen(live: LiveEngine): Promise<Result<LayersSeen>> {
  const [first] = await inStep(live)
  if (!first) return failed({ reason: 'NoReplica', message: 'no replica in step answers', retry: 'later' })
  const [meta, sizes] = await Promise.all([first.meta(), first.layerSizes()])
  if (!meta.ok) return meta
  return sizes.ok ? ok({ meta: settled(meta.value), sizes: sizes.value }) : sizes
}

// --- taking ---

interface Part {
  readonly snapshot: Snapshot
  readonly live: LiveEngine
}

/** `waits`: not all of its group are there yet. */
async function take(context: EngineContext, snapshot: Snapshot): Promise<Result<'taken' | 'waits'>> {
  const parts = partsOf(context, snapshot)
  if (!parts) return ok('waits')
  if (parts.some(({ live }) => live.record.joining || live.isMerging)) return ok('waits')
  const sorted = [...parts].sort((a, b) => (a.live.volumeName < b.live.volumeName ? -1 : 1))
  const stands = new Set(sorted.flatMap(({ live }) => [...live.stands]))
  const machines = new Set([...stands].map((stand) => stand.machine))
  if (machines.size > 1)
    return failed({
      reason: 'SeveralMachines',
      message: `the volumes of snapshot ${snapshot.metadata.name} stand under ${machines.size} machines; there is no instant for all of them`,
      retry: 'later',
    })
  const [stand] = stands
  const wanted = snapshot.metadata.annotations?.[QUIESCE] ?? snapshot.metadata.labels?.[QUIESCE]
  const frozen = wanted === 'true' ? await stand?.freezeGuest?.() : undefined
  if (frozen && !frozen.ok) return frozen
  try {
    const held = (index: number): Promise<Result<'taken'>> => {
      const part = sorted[index]
      if (part) return part.live.hold(() => held(index + 1))
      const [first] = stands
      return first ? first.inTurn(() => takeAll(context, sorted)) : takeAll(context, sorted)
    }
    return await held(0)
  } finally {
    if (frozen?.value) await stand?.thawGuest?.()
  }
}

/** All of its group, once they are there and their volumes are attached here; else undefined. */
function partsOf(context: EngineContext, snapshot: Snapshot): readonly Part[] | undefined {
  const { labels = {}, namespace } = snapshot.metadata
  const group = labels[GROUP]
  const mates =
    group === undefined
      ? [snapshot]
      : context.look
          .list(Snapshot, namespace)
          .filter((one) => one.metadata.labels?.[GROUP] === group && !one.metadata.deletionTimestamp)
  if (group !== undefined && mates.length < Number(labels[GROUP_SIZE] ?? 1)) return undefined
  const parts = mates.filter(isDue).flatMap((one) => {
    const live = context.live.get(one.spec?.volume ?? '')?.engine
    return live ? [{ snapshot: one, live }] : []
  })
  return parts.length === mates.filter(isDue).length && parts.length > 0 ? parts : undefined
}

/** In turn of all volumes and of their machine. */
async function takeAll({ host }: EngineContext, parts: readonly Part[]): Promise<Result<'taken'>> {
  const createdAt = new Date(host.clock.now()).toISOString()
  const wordsOf = ({ snapshot }: Part): LayerWords => ({
    name: snapshot.metadata.name!,
    userCreated: true,
    createdAt,
  })
  const volumes = []
  for (const part of parts) {
    const record = await part.live.mine()
    if (!record.ok) return record
    volumes.push({ volume: await part.live.volume(), record: record.value, words: wordsOf(part) })
  }
  const taken = await snapshotVolumes(host, volumes, wordsOf(parts[0]!))
  if (!taken.ok) {
    // Whoever could not freeze is looked at; a guest that was left standing is continued by that.
    for (const { live } of parts) live.lookAgain()
    return taken
  }
  host.log.info('snapshot taken', {
    snapshots: parts.map(({ snapshot }) => snapshot.metadata.name),
    pauseMs: Math.round(taken.value.pauseMs),
  })
  for (const [index, { live }] of parts.entries()) {
    const dropped = taken.value.dropped[index] ?? []
    for (const { replica, why } of dropped) live.lose(replica, why)
    if (dropped.length === 0) continue
    const settledNow = await live.settle(taken.value.records[index]!)
    if (!settledNow.ok) return settledNow
  }
  return ok('taken')
}

// --- removing ---

/** Every replica merges on its own; the volume reads the same at every moment of it. */
async function remove(live: LiveEngine, name: string): Promise<Result<void>> {
  if (live.record.joining || live.isMerging)
    return failed({ reason: 'Busy', message: 'a replica is being rebuilt', retry: 'later' })
  live.isMerging = true
  try {
    const answers = await Promise.all((await inStep(live)).map((member) => member.removeLayer(name)))
    return answers.find((answer) => !answer.ok) ?? ok(undefined)
  } finally {
    live.isMerging = false
  }
}

// --- telling ---

async function tell(context: EngineContext, live: LiveEngine, objects: readonly Snapshot[]): Promise<void> {
  const seen = await layersSeen(live)
  if (!seen.ok) return
  const { meta, sizes } = seen.value
  const layers = layersOf(meta)
  const childrenOf = (name: string): Readonly<Record<string, boolean>> =>
    Object.fromEntries([
      ...layers.filter((one) => one.parent === name).map((one) => [one.name, true] as const),
      ...(meta.parent === name ? [[HEAD, true] as const] : []),
    ])
  const entries = layers.map((layer) => ({
    name: layer.name,
    parent: layer.parent ?? '',
    children: childrenOf(layer.name),
    removed: objects.some((one) => one.metadata.name === layer.name && one.metadata.deletionTimestamp),
    usercreated: layer.userCreated,
    created: layer.createdAt,
    size: String(sizes[layer.file] ?? 0),
    labels: objects.find((one) => one.metadata.name === layer.name)?.spec?.labels ?? {},
  }))
  const head = {
    name: HEAD,
    parent: meta.parent ?? '',
    children: {},
    removed: false,
    usercreated: false,
    created: '',
    size: headSize(context, live, sizes[meta.head] ?? 0),
    labels: {},
  }
  await tellEngine(context, live, Object.fromEntries([...entries, head].map((one) => [one.name, one])))
  for (const entry of entries) {
    const snapshot = objects.find((one) => one.metadata.name === entry.name)
    // Those that nobody asked for are told by whoever made their object.
    if (!snapshot?.spec?.createSnapshot) continue
    await reportStatus(context.client, Snapshot, snapshot, {
      readyToUse: !entry.removed,
      creationTime: entry.created,
      parent: entry.parent,
      children: entry.children,
      size: Number(entry.size),
      restoreSize: live.record.sizeBytes,
      labels: entry.labels,
      userCreated: entry.usercreated,
      markRemoved: entry.removed,
      ownerID: context.nodeName,
      error: '',
    })
  }
}

/** It grows all the time: each of our own words would be followed by another one. */
function headSize({ host, look }: EngineContext, live: LiveEngine, bytes: number): string {
  const told = look.get(Engine, live.namespace, live.engineName)?.status?.snapshots?.[HEAD]?.size
  const now = host.clock.monotonic()
  if (told !== undefined && now - live.headToldAt < HEAD_TELL_MS) return told
  live.headToldAt = now
  return String(bytes)
}

async function tellEngine(
  { client, look }: EngineContext,
  live: LiveEngine,
  snapshots: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
): Promise<void> {
  const engine = look.get(Engine, live.namespace, live.engineName)
  if (!engine) return
  const before = engine.status?.snapshots ?? {}
  const stale = Object.keys(before).filter((name) => !(name in snapshots))
  await reportStatus(client, Engine, engine, {
    snapshots: { ...snapshots, ...Object.fromEntries(stale.map((name) => [name, null])) },
  })
}
