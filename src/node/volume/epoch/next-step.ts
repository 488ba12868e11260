// Who may serve a volume next. Given the committed record and what the members say, decides: commit a set, wait,
// make members equal, or give up with a reason. Only members of the committed set are ever chosen, so no choice can
// lose an acknowledged write; a set grows by a rebuild alone.
import type { EpochMember, EpochRecord, MemberReport, MembersSeen } from './record.ts'
import { isUnbroken, servingMembers } from './record.ts'

/** An engine starts without a member that does not come for this long. Longhorn's replica start time. Milliseconds. */
export const MEMBER_START_MS = 20_000

export interface Dropped {
  readonly replica: string
  readonly why: string
}

export interface CommitStep {
  readonly step: 'commit'
  readonly inSync: readonly EpochMember[]
  /** Goes on being rebuilt. */
  readonly joining?: EpochMember
  readonly dropped: readonly Dropped[]
}

export interface WaitStep {
  readonly step: 'wait'
  readonly missing: readonly string[]
  readonly why: string
}

export interface RefuseStep {
  readonly step: 'refuse'
  readonly reason: string
  readonly message: string
}

export interface EqualiseStep {
  readonly step: 'equalise'
  readonly authority: string
  readonly others: readonly {
    readonly replica: string
    /** `windows`: both processes lived on, their dirty bitmaps cover every difference. Else all blocks are compared. */
    readonly by: 'windows' | 'hashes'
  }[]
}

/** No member kept what the guest believes to be written: the guest must see a power cut, never go on. */
export interface ResetStep {
  readonly step: 'reset'
  readonly present: readonly string[]
  readonly why: string
}

export type OpenStep = CommitStep | WaitStep | RefuseStep | EqualiseStep
export type LiveStep = { readonly step: 'keep' } | CommitStep | WaitStep | ResetStep

export interface OpenInput {
  readonly record: EpochRecord
  /** What the members of the record say, or all candidates before the first engine. */
  readonly seen: MembersSeen
  /** How long the engine has waited for missing members. Milliseconds. */
  readonly waitedMs: number
  /** Preferred authority and first child: the replica on the engine's own host. */
  readonly local?: string
  /** Set once the members named by an `equalise` step were handled: those that are equal to the authority now. */
  readonly equal?: { readonly authority: string; readonly replicas: ReadonlySet<string> }
}

/** A new engine wants the volume: nothing of an old guest lives on. */
export function decideOpen(input: OpenInput): OpenStep {
  const { record, seen } = input
  const first = record.inSync.length === 0
  const names = first ? [...seen.keys()] : record.inSync.map((member) => member.replica)
  const ahead = reports(names, seen).find((report) => report.epoch > record.epoch)
  if (ahead)
    return {
      step: 'refuse',
      reason: 'RecordBehindReplica',
      message: `replica ${ahead.replica} served epoch ${ahead.epoch}, the record says ${record.epoch}: the record was put back to an older state; name the replica to trust before the volume is attached`,
    }
  const newest = Math.max(0, ...reports(names, seen).map((report) => report.epoch))
  const judged = names.map((name) => judge(name, input, newest))
  const good = judged.flatMap((one) => ('report' in one ? [one.report] : []))
  const missing = judged.filter((one) => 'absent' in one)
  if (good.length === 0 && missing.length === 0)
    return {
      step: 'refuse',
      reason: 'NoReplicaUsable',
      message: judged.map((one) => ('why' in one ? `${one.replica}: ${one.why}` : '')).join('; '),
    }
  if (good.length === 0 || (missing.length > 0 && input.waitedMs < MEMBER_START_MS))
    return {
      step: 'wait',
      missing: missing.map((one) => one.replica),
      why: good.length === 0 ? 'no replica of the committed set answers' : 'a replica does not answer yet',
    }
  const dropped = judged.flatMap((one) => ('why' in one ? [{ replica: one.replica, why: one.why }] : []))
  const ordered = localFirst(good, input.local)
  return sameBy(ordered, record) ? commit(ordered, dropped) : settle(ordered, dropped, input)
}

type Judged =
  | { readonly replica: string; readonly report: MemberReport }
  | { readonly replica: string; readonly why: string; readonly absent?: true }

function judge(replica: string, { record, seen }: OpenInput, newest: number): Judged {
  const one = seen.get(replica)
  if (one === undefined || one.state === 'absent')
    return { replica, why: one?.why ?? 'does not answer', absent: true }
  const { report } = one
  // Larger is a growth that was cut off before its commit; whoever opens the volume finishes it.
  if (report.sizeBytes < record.sizeBytes)
    return { replica, why: `has ${report.sizeBytes} bytes where the volume has ${record.sizeBytes}` }
  // No write is acknowledged in an epoch before all of its members noted it, so one behind is a crash between two
  // notes. Further behind is a disk that was put back to an older state.
  if (report.epoch < newest - 1)
    return { replica, why: `last served epoch ${report.epoch}, another replica served ${newest}` }
  return { replica, report }
}

/** Members need no comparing after a clean end, alone, or when nobody ever wrote. */
function sameBy(good: readonly MemberReport[], record: EpochRecord): boolean {
  return record.cleanShutdown || good.length === 1 || record.inSync.length === 0
}

function settle(good: readonly MemberReport[], dropped: readonly Dropped[], input: OpenInput): OpenStep {
  const { record, seen, equal } = input
  const unbroken = (report: MemberReport): boolean =>
    record.inSync.some((member) => member.replica === report.replica && isUnbroken(member, seen))
  if (!equal || !good.some((report) => report.replica === equal.authority)) {
    const authority = good.find(unbroken) ?? good[0]!
    return {
      step: 'equalise',
      authority: authority.replica,
      others: good
        .filter((report) => report !== authority)
        .map((report) => ({
          replica: report.replica,
          by: unbroken(authority) && unbroken(report) ? 'windows' : 'hashes',
        })),
    }
  }
  const equalNow = (report: MemberReport): boolean =>
    report.replica === equal.authority || equal.replicas.has(report.replica)
  return commit(good.filter(equalNow), [
    ...dropped,
    ...good
      .filter((report) => !equalNow(report))
      .map(({ replica }) => ({ replica, why: 'is not equal to the others yet' })),
  ])
}

export interface LiveInput {
  readonly record: EpochRecord
  readonly seen: MembersSeen
  /** Members that an I/O error or a time limit points at, although they may answer. */
  readonly suspects: ReadonlySet<string>
  /** An I/O failed, so the connections are made anew even where no member is to blame. */
  readonly reopen?: boolean
  readonly local?: string
}

/** An engine holds the volume and a guest stands on it. */
export function decideLive({ record, seen, suspects, reopen, local }: LiveInput): LiveStep {
  const unbroken = record.inSync.filter((member) => isUnbroken(member, seen))
  const trusted = unbroken.filter((member) => !suspects.has(member.replica))
  const joins = record.joining && isUnbroken(record.joining, seen) && !suspects.has(record.joining.replica)
  const joining = joins ? record.joining : undefined
  const whole = trusted.length === record.inSync.length && joining === record.joining
  // A commit of a hand-over may be on its way: the guest goes on only in an epoch that rules it out.
  if (whole && !reopen && !record.handOver) return { step: 'keep' }
  // When every member that is left failed alike (all disks full), none of them is worse than another: none is dropped.
  const kept = trusted.length > 0 ? trusted : unbroken
  const dropped = servingMembers(record)
    .filter((member) => !kept.includes(member) && member !== joining)
    .map(({ replica }) => ({ replica, why: whyDropped(replica, seen, suspects) }))
  if (kept.length > 0)
    return {
      step: 'commit',
      inSync: membersLocalFirst(kept, local),
      ...(joining ? { joining } : {}),
      dropped,
    }
  const present = record.inSync
    .map((member) => member.replica)
    .filter((replica) => seen.get(replica)?.state === 'present')
  if (present.length === 0)
    return {
      step: 'wait',
      missing: record.inSync.map((member) => member.replica),
      why: 'every replica of the committed set is lost; the guest waits for one to come back',
    }
  const absent = record.inSync.length - present.length
  return {
    step: 'reset',
    present,
    why: `no replica kept running, so writes that the guest believes in may be gone${absent > 0 ? `; ${absent} more do not answer` : ''}`,
  }
}

function whyDropped(replica: string, seen: MembersSeen, suspects: ReadonlySet<string>): string {
  const one = seen.get(replica)
  if (one === undefined || one.state === 'absent') return one?.why ?? 'does not answer'
  return suspects.has(replica) ? 'failed an input or output' : 'was started anew and may have lost writes'
}

function reports(names: readonly string[], seen: MembersSeen): readonly MemberReport[] {
  return names.flatMap((name) => {
    const one = seen.get(name)
    return one?.state === 'present' ? [one.report] : []
  })
}

function localFirst(good: readonly MemberReport[], local: string | undefined): readonly MemberReport[] {
  return [...good].sort((a, b) => Number(b.replica === local) - Number(a.replica === local))
}

/** Reads go to the first child. */
function membersLocalFirst(
  members: readonly EpochMember[],
  local: string | undefined,
): readonly EpochMember[] {
  return [...members].sort((a, b) => Number(b.replica === local) - Number(a.replica === local))
}

function commit(good: readonly MemberReport[], dropped: readonly Dropped[]): CommitStep {
  return {
    step: 'commit',
    inSync: good.map(({ replica, incarnation }) => ({ replica, incarnation })),
    dropped,
  }
}
