// Snapshots of a live machine's volumes: all disks of the machine and all their replicas at one instant, in one pause.
import { failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import { type LiveVolume, repairVolume } from './change-epoch.ts'
import { allDone, seeDisk, stopGuest } from './engine-qemu.ts'
import type { Dropped } from './epoch/next-step.ts'
import type { EpochRecord } from './epoch/record.ts'
import type { LayerWords } from './layers.ts'
import type { Member } from './member.ts'
import { type SwapFailure, yankHung } from './swap.ts'

export interface SnapshotVolume {
  readonly volume: LiveVolume
  readonly record: EpochRecord
  /** What the volume's layer is called, where the volumes have different names for this instant. */
  readonly words?: LayerWords
}

export interface SnapshotTaken {
  /** How long the guest stood still. Milliseconds. */
  readonly pauseMs: number
  /** Replicas that could not take part and left the set, by index of the volume. */
  readonly dropped: readonly (readonly Dropped[])[]
  readonly records: readonly EpochRecord[]
}

/**
 * All volumes stand under the same machine. A replica that cannot take part leaves its set before the guest goes on;
 * when none of a volume can, nothing was taken, anywhere. `keepPaused` of the first volume holds for the machine.
 */
export async function snapshotVolumes(
  host: Host,
  volumes: readonly SnapshotVolume[],
  words: LayerWords,
): Promise<Result<SnapshotTaken, SwapFailure>> {
  const [first] = volumes
  if (!first) return ok({ pauseMs: 0, dropped: [], records: [] })
  const prepared = await prepareAll(volumes, words)
  if (!prepared.ok) {
    await settleAll(volumes, words)
    return prepared
  }
  const before = host.clock.monotonic()
  const taken = await paused(first, async () => {
    const quiet = await allQuiet(volumes)
    return quiet.ok ? freezeAll(volumes, words) : quiet
  })
  const pauseMs = host.clock.monotonic() - before
  await settleAll(volumes, words)
  return taken.ok ? ok({ ...taken.value, pauseMs }) : taken
}

/** Does it while the guest stands still, where there is one. */
async function paused<T>(
  { volume, record }: SnapshotVolume,
  act: () => Promise<Result<T, SwapFailure>>,
): Promise<Result<T, SwapFailure>> {
  const { qemu } = volume
  if (!qemu) return act()
  const seen = await seeDisk(qemu, volume.disk)
  if (!seen.ok) return seen
  const stopped = await stopGuest(qemu, () => yankHung({ ...volume, qemu }, record, seen.value))
  if (!stopped.ok) return stopped
  const done = await act()
  // When not even undoing it went well, repair decides whether the guest may go on.
  if (volume.keepPaused || !seen.value.running) return done
  const gone = await qemu.execute('cont')
  return gone.ok ? done : gone
}

async function allQuiet(volumes: readonly SnapshotVolume[]): Promise<Result<void>> {
  for (const { volume } of volumes) {
    const done = volume.qemu ? await allDone(volume.qemu, volume.disk) : ok(undefined)
    if (!done.ok) return done
  }
  return ok(undefined)
}

function membersOf({ volume, record }: SnapshotVolume): readonly Member[] {
  return record.inSync.flatMap(
    ({ replica }) => volume.members.find((member) => member.replica === replica) ?? [],
  )
}

async function prepareAll(volumes: readonly SnapshotVolume[], words: LayerWords): Promise<Result<void>> {
  const answers = await Promise.all(
    volumes.flatMap((one) => membersOf(one).map((member) => member.prepareFreeze(one.words ?? words))),
  )
  return answers.find((answer) => !answer.ok) ?? ok(undefined)
}

async function settleAll(volumes: readonly SnapshotVolume[], words: LayerWords): Promise<void> {
  await Promise.all(
    volumes.flatMap((one) => membersOf(one).map((member) => member.settleFreeze((one.words ?? words).name))),
  )
}

async function freezeAll(
  volumes: readonly SnapshotVolume[],
  words: LayerWords,
): Promise<Result<Omit<SnapshotTaken, 'pauseMs'>, SwapFailure>> {
  const dropped: (readonly Dropped[])[] = []
  const records: EpochRecord[] = []
  const answers = await Promise.all(
    volumes.map(async (one) =>
      Promise.all(
        membersOf(one).map(async (member) => ({
          member,
          answer: await member.freeze((one.words ?? words).name),
        })),
      ),
    ),
  )
  for (const [index, one] of volumes.entries()) {
    const bad = answers[index]!.filter(({ answer }) => !answer.ok)
    if (bad.length === 0) {
      dropped.push([])
      records.push(one.record)
      continue
    }
    if (bad.length === one.record.inSync.length)
      return failed({
        reason: 'SnapshotFailed',
        message: `no replica could freeze ${(one.words ?? words).name}`,
        retry: 'later',
      })
    const suspects = new Set(bad.map(({ member }) => member.replica))
    const repaired = await repairVolume({ ...one.volume, keepPaused: true }, one.record, { suspects })
    if (!repaired.ok) return repaired
    if (repaired.value.outcome !== 'healthy')
      return failed({ reason: 'SnapshotFailed', message: repaired.value.why, retry: 'later' })
    dropped.push(repaired.value.dropped)
    records.push(repaired.value.record)
  }
  return ok({ dropped, records })
}
