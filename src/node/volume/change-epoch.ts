// Changes of a live volume: pause, do something to all members at one moment, commit the set that it worked on, and
// swap the guest onto it. Losing a replica, growing, freezing layers and rebuilding are all this one thing.
import { failed, ok, type Result } from '../../base/result.ts'
import { seeDisk, stopGuest } from './engine-qemu.ts'
import { type Dropped, decideLive, type LiveStep } from './epoch/next-step.ts'
import type { EpochMember, EpochRecord, MembersSeen } from './epoch/record.ts'
import { PROBE_MS } from './member.ts'
import { carrySwap, nextRecord, type SwapFailure, type SwapTarget, yankHung, yankMembers } from './swap.ts'

/**
 * Compare-and-swap of the record. Failures: `EpochNotCommitted` when it surely did not change, `EpochUnknown` when
 * nobody can tell; then the guest waits until the record has been read again.
 */
export type Commit = (next: EpochRecord, before: EpochRecord) => Promise<Result<EpochRecord>>

export interface LiveVolume extends SwapTarget {
  readonly commit: Commit
  /** The replica on this host: first child, so that reads stay here. */
  readonly local?: string
  /** How long members are asked; absent: as shortly as a guest can wait. Milliseconds. */
  readonly probeMs?: number
}

export async function askAll(volume: SwapTarget & Pick<LiveVolume, 'probeMs'>): Promise<MembersSeen> {
  const answers = await Promise.all(
    volume.members.map(
      async (member) => [member.replica, await member.ask(volume.probeMs ?? PROBE_MS)] as const,
    ),
  )
  return new Map(answers)
}

export type RepairOutcome =
  | { readonly outcome: 'healthy'; readonly record: EpochRecord; readonly dropped: readonly Dropped[] }
  /** No member answers; the guest stays paused. */
  | { readonly outcome: 'faulted'; readonly record: EpochRecord; readonly why: string }
  /** Members came back without their memory: the guest has to be reset or ended, never continued. */
  | {
      readonly outcome: 'reset'
      readonly record: EpochRecord
      readonly why: string
      readonly present: readonly string[]
    }

export interface Trouble {
  /** Members that an error or a silence points at. */
  readonly suspects: ReadonlySet<string>
  /** An I/O failed: the connections are made anew even if all members are well. */
  readonly reopen?: boolean
}

/** A member can fail while its successor set is being opened, at most once for each. */
const ROUNDS_MAX = 8

/**
 * Brings a volume whose guest was stopped by an error, or whose member hangs, back to work with the members that
 * kept every acknowledged write. Idempotent; also finishes a swap that was cut off.
 */
export async function repairVolume(
  volume: LiveVolume,
  before: EpochRecord,
  trouble: Trouble,
): Promise<Result<RepairOutcome, SwapFailure>> {
  let record = before
  const suspects = new Set(trouble.suspects)
  let reopen = trouble.reopen ?? false
  const dropped: Dropped[] = []
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const seen = await askAll(volume)
    const step = decideLive({
      record,
      seen,
      suspects,
      reopen,
      ...(volume.local === undefined ? {} : { local: volume.local }),
    })
    if (step.step === 'wait') return ok({ outcome: 'faulted', record, why: step.why })
    if (step.step === 'reset') return ok({ outcome: 'reset', record, why: step.why, present: step.present })
    const moved = await moveOn(volume, record, step)
    if (!moved.ok) return moved
    record = moved.value
    if (step.step === 'commit') {
      dropped.push(...step.dropped)
      suspects.clear()
      reopen = false
    }
    const swapped = await carrySwap(volume, record)
    if (swapped.ok) {
      fenceDropped(volume, dropped)
      return ok({ outcome: 'healthy', record, dropped })
    }
    if (swapped.failure.replica === undefined) return swapped
    suspects.add(swapped.failure.replica)
  }
  return failed({ reason: 'RepairStuck', message: 'members go on failing one after another', retry: 'later' })
}

/** Stops the guest and commits the smaller set; nothing to commit when all members are well. */
async function moveOn(
  volume: LiveVolume,
  record: EpochRecord,
  step: Extract<LiveStep, { readonly step: 'keep' | 'commit' }>,
): Promise<Result<EpochRecord, SwapFailure>> {
  if (step.step === 'keep') return ok(record)
  const { qemu } = volume
  if (qemu) {
    const disk = await seeDisk(qemu, volume.disk)
    if (disk.ok)
      await yankMembers(
        qemu,
        disk.value,
        step.dropped.map((one) => one.replica),
      )
    const stopped = await stopGuest(qemu, async () => {
      if (disk.ok) await yankHung({ ...volume, qemu }, record, disk.value)
    })
    if (!stopped.ok) return stopped
  }
  const joining = step.joining ? { joining: step.joining } : {}
  return volume.commit(nextRecord(record, step.inSync, joining), record)
}

/** A dropped member that still lives must not keep an export open; nobody waits for one that does not answer. */
function fenceDropped(volume: SwapTarget, dropped: readonly Dropped[]): void {
  for (const { replica } of dropped) void volume.members.find((member) => member.replica === replica)?.fence()
}

export interface Change {
  /**
   * Runs while the guest is paused and all its writes are done. Gives the set that goes on, which may lack members
   * that it did not work on, and what else changes in the record.
   */
  readonly during: () => Promise<
    Result<{ readonly inSync: readonly EpochMember[]; readonly more?: Partial<EpochRecord> }>
  >
  /** Whether the guest goes on where nothing came of it; absent: unless it is kept paused. */
  readonly resumes?: boolean
}

/** One deliberate change of a live volume. On a failure before the commit the guest goes on as it was. */
export async function changeVolume(
  volume: LiveVolume,
  record: EpochRecord,
  change: Change,
): Promise<Result<EpochRecord, SwapFailure>> {
  const { qemu } = volume
  if (qemu) {
    const disk = await seeDisk(qemu, volume.disk)
    if (!disk.ok) return disk
    const stopped = await stopGuest(qemu, () => yankHung({ ...volume, qemu }, record, disk.value))
    if (!stopped.ok) return stopped
  }
  const done = await change.during()
  const committed = done.ok
    ? await volume.commit(nextRecord(record, done.value.inSync, done.value.more), record)
    : done
  if (!committed.ok) {
    const resumes = change.resumes ?? !volume.keepPaused
    if (qemu && resumes && committed.failure.reason !== 'EpochUnknown') await qemu.execute('cont')
    return committed
  }
  const swapped = await carrySwap(volume, committed.value)
  return swapped.ok ? committed : swapped
}
