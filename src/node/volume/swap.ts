// The one primitive of the data path: puts a disk of a live guest onto the committed epoch. Every step is told from
// what QEMU and the members say now (epoch/swap-step.ts), so it may be cut off anywhere and be called again.
import { assert, unreachable } from '../../base/assert.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { NbdChild } from '../plan/backing.ts'
import {
  addNodes,
  type DiskSeen,
  type EngineDisk,
  type EngineQemu,
  removeNodes,
  seeDisk,
  setDrive,
  stopGuest,
  yankNodes,
} from './engine-qemu.ts'
import { type EpochMember, type EpochRecord, exportName, servingMembers } from './epoch/record.ts'
import { decideSwap, type SwapStep } from './epoch/swap-step.ts'
import { type Member, PROBE_MS } from './member.ts'

/** Seven steps and some that are taken again after a fault; more means that nothing gets better. */
const STEPS_MAX = 24

/** A guest that shut down, panicked or has not begun is not continued by a change of its storage. */
const RESUMABLE: ReadonlySet<string> = new Set(['running', 'paused', 'io-error'])

export interface SwapTarget {
  /** Absent: no machine stands on the volume, so there is nobody to pause and nothing to swap. */
  readonly qemu?: EngineQemu | undefined
  readonly disk: EngineDisk
  readonly members: readonly Member[]
  /** Its user has paused the machine: it is left paused. */
  readonly keepPaused: boolean
  /** Told before each step; throwing there is how tests cut a swap off. */
  readonly onStep?: (step: SwapStep['step']) => void
}

/**
 * Carries the swap to the committed record out. Failures: `MemberFailed` with the replica in `command`; those of QMP.
 * The guest stays paused on a failure.
 */
export async function carrySwap(target: SwapTarget, record: EpochRecord): Promise<Result<void, SwapFailure>> {
  const { qemu } = target
  if (qemu) return carryUnder({ ...target, qemu }, record)
  const served = await serveAll(target.members, record)
  return served.ok ? ok(undefined) : served
}

/** A target with a machine on it. */
export type Under = SwapTarget & { readonly qemu: EngineQemu }

async function carryUnder(target: Under, record: EpochRecord): Promise<Result<void, SwapFailure>> {
  for (let turn = 0; turn < STEPS_MAX; turn++) {
    const disk = await seeDisk(target.qemu, target.disk)
    if (!disk.ok) return disk
    const exports = await exportsOf(target.members, record)
    const step = decideSwap({
      record,
      paused: !disk.value.running,
      keepPaused: target.keepPaused || !RESUMABLE.has(disk.value.status),
      exports,
      deviceExports: exportNames(disk.value.current),
      idleExports: disk.value.idle.flatMap(exportNames),
    })
    target.onStep?.(step.step)
    if (step.step === 'done') return ok(undefined)
    const taken = await take(step, target, record, disk.value)
    if (!taken.ok) return taken
  }
  return failed({
    reason: 'SwapStuck',
    message: `the swap did not end in ${STEPS_MAX} steps`,
    retry: 'later',
  })
}

export interface SwapFailure extends Failure {
  /** The member that is to blame, where one is. */
  readonly replica?: string
}

function exportNames(one: DiskSeen['current']): readonly string[] {
  return one?.children.map((child) => child.exportName) ?? []
}

async function exportsOf(
  members: readonly Member[],
  record: EpochRecord,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = await Promise.all(
    servingMembers(record).map(async ({ replica }): Promise<readonly [string, readonly string[]]> => {
      const seen = await memberOf(members, replica)?.ask(PROBE_MS)
      return [replica, seen?.state === 'present' ? seen.report.exports : []]
    }),
  )
  return new Map(asked)
}

const memberOf = (members: readonly Member[], replica: string): Member | undefined =>
  members.find((member) => member.replica === replica)

async function take(
  step: SwapStep,
  target: Under,
  record: EpochRecord,
  disk: DiskSeen,
): Promise<Result<void, SwapFailure>> {
  const { qemu } = target
  switch (step.step) {
    case 'pause':
      return stopGuest(qemu, () => yankHung(target, record, disk))
    case 'serve': {
      const served = await serveAll(target.members, record)
      return served.ok ? ok(undefined) : served
    }
    case 'attach':
      return attach(target, record, disk)
    case 'continue':
      return continueGuest(qemu)
    case 'clean': {
      for (const old of disk.idle) {
        const removed = await removeNodes(qemu, old)
        if (!removed.ok) return removed
      }
      return ok(undefined)
    }
    case 'done':
      return ok(undefined)
    default:
      return unreachable(step)
  }
}

async function continueGuest(qemu: EngineQemu): Promise<Result<void>> {
  const gone = await qemu.execute('cont')
  return gone.ok ? ok(undefined) : gone
}

/** All members of the set open the epoch; the answer is the way to each, in the record's order. */
export async function serveAll(
  members: readonly Member[],
  record: EpochRecord,
): Promise<Result<readonly NbdChild[], SwapFailure>> {
  const answers = await Promise.all(
    servingMembers(record).map(async (entry): Promise<Result<NbdChild, SwapFailure>> => {
      const { replica, incarnation } = entry
      const member = memberOf(members, replica)
      if (!member)
        return failed({
          reason: 'MemberFailed',
          message: `replica ${replica} is not reachable`,
          retry: 'later',
          replica,
        })
      const served = await member.serve({ epoch: record.epoch, incarnation })
      return served.ok ? served : failed({ ...served.failure, reason: 'MemberFailed', replica })
    }),
  )
  const children: NbdChild[] = []
  for (const answer of answers) {
    if (!answer.ok) return answer
    children.push(answer.value)
  }
  return ok(children)
}

async function attach(
  { qemu, disk, members }: Under,
  record: EpochRecord,
  seen: DiskSeen,
): Promise<Result<void, SwapFailure>> {
  // Served already, so this only asks each member for its address again.
  const children = await serveAll(members, record)
  if (!children.ok) return children
  const added = await addNodes(qemu, disk, { epoch: record.epoch, children: children.value }, seen)
  if (!added.ok) {
    const guilty = servingMembers(record).find((member) =>
      added.failure.message.startsWith(exportName(member, record.epoch)),
    )
    return failed({ ...added.failure, ...(guilty ? { replica: guilty.replica } : {}) })
  }
  return setDrive(qemu, seen.front, added.value.top)
}

/** Cuts the engine's connections to members that do not answer. */
export async function yankHung(target: Under, record: EpochRecord, disk: DiskSeen): Promise<void> {
  const answers = await Promise.all(
    target.members.map(async (member) => ({ member, seen: await member.ask(PROBE_MS) })),
  )
  const silent = answers.filter(({ seen }) => seen.state === 'absent').map(({ member }) => member.replica)
  await yankMembers(
    target.qemu,
    disk,
    silent.length > 0 ? silent : servingMembers(record).map((one) => one.replica),
  )
}

/** Cuts the connections of the disk's nodes to these replicas. */
export async function yankMembers(
  qemu: EngineQemu,
  disk: DiskSeen,
  replicas: readonly string[],
): Promise<void> {
  const nodes = [disk.current, ...disk.idle].flatMap((one) => one?.children ?? [])
  await yankNodes(
    qemu,
    nodes
      .filter((node) => replicas.some((replica) => node.exportName.startsWith(`${replica}-`)))
      .map((node) => node.name),
  )
}

/** The record that follows, with this set; a member that joins has to be named again, and no hand-over outlives it. */
export function nextRecord(
  record: EpochRecord,
  inSync: readonly EpochMember[],
  more: Partial<EpochRecord> = {},
): EpochRecord {
  assert(inSync.length > 0, 'the set of a volume is never empty')
  const { joining: _, handOver: __, ...rest } = record
  return { ...rest, epoch: record.epoch + 1, inSync, cleanShutdown: false, ...more }
}
