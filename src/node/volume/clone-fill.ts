// A replica of a volume that is a copy of another one: before it serves for the first time, its agent fills it from a
// snapshot of the source. What is made is a flat image of its own; nothing of the source is needed afterwards.
import { failed, ok, type Result } from '../../base/result.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import type { NbdChild } from '../plan/backing.ts'
import { nbdOptions } from './copy.ts'
import { makePrivateFolder } from './daemon.ts'
import { HEAD_FILE, type ReplicaPlace, replicaPlace } from './layout.ts'
import type { Member } from './member.ts'
import { membersOf } from './members.ts'
import { writeMeta } from './meta.ts'
import { type VolumeContext, writeHead } from './replica.ts'
import { tlsArgv } from './tls.ts'

/** Percent, `done`, or `failed: why`; read by the volume's control. */
const CLONE_PROGRESS = 'croft.io/clone-progress'
const SNAPSHOT_SOURCE = /^snap:\/\/([^/]+)\/([^/]+)$/
const VOLUME_SOURCE = /^vol:\/\/([^/]+)$/
const COPY_TIMEOUT_MS = 24 * 3600 * 1000
/** Progress is written this often at most. Milliseconds. */
const TELL_MS = 2_000
/** A source that does not come is asked for again. Milliseconds. */
const RETRY_MS = 3_000

export interface CloneSource {
  readonly volume: string
  readonly snapshot: string
}

/** What the replica is to be filled from; undefined for a volume that is no copy, or whose source is not named yet. */
export function cloneSourceOf(
  { look }: VolumeContext,
  replica: Replica,
): CloneSource | undefined | 'unknown' {
  const { namespace } = replica.metadata
  const volume = look.get(Volume, namespace, replica.spec?.volumeName ?? '')
  const text = volume?.spec?.dataSource ?? ''
  const named = SNAPSHOT_SOURCE.exec(text)
  if (named) return { volume: named[1]!, snapshot: named[2]! }
  const whole = VOLUME_SOURCE.exec(text)
  if (!whole) return undefined
  // Control takes a passing snapshot for this copy and says so on it.
  const passing = look
    .list(Snapshot, namespace)
    .find((one) => one.metadata.annotations?.['croft.io/clone-of'] === replica.spec?.volumeName)
  return passing ? { volume: whole[1]!, snapshot: passing.metadata.name! } : 'unknown'
}

/** `CloneUnderWay` while it is being filled; the replica is woken when that is over. */
export function fillClone(
  context: VolumeContext,
  replica: Replica,
  source: CloneSource | 'unknown',
): Result<void> {
  const uid = replica.metadata.uid!
  if (!context.fills.has(uid)) {
    context.fills.add(uid)
    void run(context, replica, source).finally(() => {
      context.fills.delete(uid)
      context.wakeReplica(replica)
    })
  }
  return failed({
    reason: 'CloneUnderWay',
    message: 'the content of its source is being copied',
    retry: 'later',
  })
}

async function run(context: VolumeContext, replica: Replica, source: CloneSource | 'unknown'): Promise<void> {
  const { host } = context
  const done =
    source === 'unknown'
      ? failed({ reason: 'SourceUnknown', message: 'its passing snapshot is not there yet', retry: 'later' })
      : await fill(context, replica, source)
  if (done.ok) return tellProgress(context, replica, 'done')
  const { reason, message } = done.failure
  host.log.info('a replica is not filled yet', { replica: replica.metadata.name, reason, message })
  if (!WAITS.has(reason)) await tellProgress(context, replica, `failed: ${message}`)
  await host.clock.sleep(RETRY_MS).catch(() => undefined)
}

const WAITS: ReadonlySet<string> = new Set([
  'SourceUnknown',
  'NoSource',
  'NoSuchSnapshot',
  'ReplicaNotRunning',
])

async function tellProgress({ client }: VolumeContext, replica: Replica, text: string): Promise<void> {
  if (replica.metadata.annotations?.[CLONE_PROGRESS] === text) return
  const { name, namespace } = replica.metadata
  await client.patch(
    Replica,
    name!,
    { metadata: { annotations: { [CLONE_PROGRESS]: text } } },
    { namespace: namespace! },
  )
}

async function fill(context: VolumeContext, replica: Replica, source: CloneSource): Promise<Result<void>> {
  const served = await openSource(context, replica.metadata.namespace!, source)
  if (!served.ok) return served
  const { member, child } = served.value
  const place = replicaPlace(context.runFolder, replica)
  const made = await makePrivateFolder(context.host.files, place.folder)
  if (!made.ok) return made
  const sizeBytes = Number(replica.spec?.volumeSize ?? 0)
  await context.host.files.remove(place.head)
  const head = await writeHead(context.host.files, place.head, { sizeBytes })
  const copied = head.ok ? await copy(context, replica, { child, place }) : head
  await member.closeLayer(source.snapshot)
  if (!copied.ok) return copied
  const synced = await syncFile(context, place.head)
  if (!synced.ok) return synced
  return writeMeta(context.host.files, place.meta, {
    formatVersion: 1,
    volume: replica.spec?.volumeName ?? '',
    replica: replica.metadata.name!,
    sizeBytes,
    head: HEAD_FILE,
    epoch: 0,
    incarnation: '',
    cleanShutdown: true,
  })
}

/** A healthy replica of the source that serves the snapshot: one of this host where there is one. */
async function openSource(
  context: VolumeContext,
  namespace: string,
  { volume, snapshot }: CloneSource,
): Promise<Result<{ readonly member: Member; readonly child: NbdChild }>> {
  const record = context.look.get(VolumeEpoch, namespace, volume)
  const inSync = new Set(record?.spec.inSync.map((one) => one.replica))
  const members = await membersOf(context, namespace, volume)
  let why = `no replica of ${volume} runs yet`
  for (const member of members.filter((one) => inSync.has(one.replica))) {
    const opened = await member.openLayer(snapshot)
    if (opened.ok) return ok({ member, child: opened.value })
    why = opened.failure.message
  }
  return failed({ reason: 'NoSource', message: why, retry: 'later' })
}

interface Copying {
  readonly child: NbdChild
  readonly place: ReplicaPlace
}

/** Sparse: what reads as zeros takes no room, for the target is new. */
async function copy(
  context: VolumeContext,
  replica: Replica,
  { child, place }: Copying,
): Promise<Result<void>> {
  const { host } = context
  const from = `json:${JSON.stringify({ driver: 'raw', file: nbdOptions(child) })}`
  let toldAt = Number.NEGATIVE_INFINITY
  const done = await host.exec.run(
    [
      ...['qemu-img', 'convert', ...tlsArgv(child), '-p', '-n', '--target-is-zero'],
      ...['-t', 'none', '-W', '-m', '8', '-O', 'qcow2', from, place.head],
    ],
    {
      timeoutMs: COPY_TIMEOUT_MS,
      onLine: (line) => {
        const percent = /\(([\d.]+)\/100%\)/.exec(line)?.[1]
        if (percent === undefined || host.clock.monotonic() - toldAt < TELL_MS) return
        toldAt = host.clock.monotonic()
        void tellProgress(context, replica, String(Math.min(99, Math.floor(Number(percent))))).catch(
          () => undefined,
        )
      },
    },
  )
  return done.ok ? ok(undefined) : done
}

async function syncFile({ host }: VolumeContext, path: string): Promise<Result<void>> {
  const opened = await host.files.open(path, 'write')
  if (!opened.ok) return opened
  const synced = await opened.value.sync()
  await opened.value.close()
  return synced
}
