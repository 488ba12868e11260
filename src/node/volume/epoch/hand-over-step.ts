// A volume goes from one machine's QEMU to another's while the guest moves: where that stands and what comes next,
// told from what is seen, never from memory. At every moment the record names the one engine that may go on: until
// the commit the source, after it the target; whoever crashes in between, exactly one of them is runnable.
//
// The order is what keeps data: the intent is on record before anything is opened for the target; the source is
// stopped with all its writes done before the commit; the commit comes before the source is shut out; the target runs
// only after that. A source that is to go on after all goes on only once a compare-and-swap has taken the intent off
// the record, so that a commit that is still on its way can no longer happen.
import { type EpochEngine, type EpochMember, type EpochRecord, exportName } from './record.ts'

/** `waiting`: started for an incoming guest; `received`: all of the guest is there and it stands still. */
export type TargetState = 'absent' | 'waiting' | 'received' | 'running' | 'gone'
/** `stopped`: by the move, all its writes are done; `gone`: its process has ended. */
export type SourceState = 'running' | 'stopped' | 'gone'

export interface HandOverSeen {
  readonly record: EpochRecord
  readonly source: { readonly engine: EpochEngine; readonly state: SourceState }
  readonly target: { readonly engine: EpochEngine; readonly state: TargetState }
  /** Exports open on each member that answers. */
  readonly exports: ReadonlyMap<string, readonly string[]>
  /** The move is wanted no more, or a member failed: the source is repaired first, then it may be tried again. */
  readonly cancelled: boolean
}

export type HandOverStep =
  /** Compare-and-swap: the target's engine comes beside the source's, within the same epoch. */
  | { readonly step: 'intend'; readonly record: EpochRecord }
  /** Members open the target's exports beside those that are served. */
  | { readonly step: 'prepare'; readonly replicas: readonly string[] }
  /** The target's QEMU is started for the incoming guest, on the prepared exports. */
  | { readonly step: 'receive' }
  /** The guest's memory goes over; the source stops before the last part. */
  | { readonly step: 'move' }
  /** Compare-and-swap: the next epoch, which is the target's. */
  | { readonly step: 'commit'; readonly record: EpochRecord }
  /** The swap primitive on the target: fences all older exports, opens the epoch's, attaches, continues. */
  | { readonly step: 'swap' }
  /** The source's QEMU is ended; what it has no longer counts. */
  | { readonly step: 'end-source' }
  | { readonly step: 'done' }
  /** The target's QEMU is ended before anything else is undone. */
  | { readonly step: 'end-target' }
  /** Compare-and-swap: the intent goes, in an epoch of its own that the source is swapped onto. */
  | { readonly step: 'withdraw'; readonly record: EpochRecord }
  /** The swap primitive on the source: fences the prepared exports, and it goes on. */
  | { readonly step: 'resume' }
  /** Nobody runs any more: the volume is opened anew, as after any end of its machine. */
  | { readonly step: 'reopen' }
  /** Another engine holds the volume: both machines of this move are ended. */
  | { readonly step: 'give-up' }

/** Of the export that the target stands on until its epoch is committed. Never the name of any epoch. */
export function preparedName(member: EpochMember, epoch: number, target: EpochEngine): string {
  return `${exportName(member, epoch)}-to-${target.incarnation}`
}

const same = (a: EpochEngine | undefined, b: EpochEngine): boolean => a?.incarnation === b.incarnation

/** What comes next. Nothing else may change the volume while a hand-over stands on record. */
export function decideHandOver(seen: HandOverSeen): HandOverStep {
  const { record, source, target } = seen
  if (same(record.engine, target.engine)) return afterCommit(seen)
  if (!same(record.engine, source.engine)) return { step: 'give-up' }
  const intended = same(record.handOver, target.engine)
  if (source.state === 'gone') return abandon(seen)
  if (seen.cancelled || (intended && target.state === 'gone')) return undo(seen)
  if (target.state === 'running') return { step: 'end-target' }
  if (!intended) return begin(seen)
  const missing = record.inSync.filter((member) => !isPrepared(member, seen)).map((member) => member.replica)
  // A target that lost an export would write to fewer replicas than the set has.
  if (missing.length > 0 && target.state !== 'absent') return { step: 'end-target' }
  if (missing.length > 0) return { step: 'prepare', replicas: missing }
  if (target.state === 'absent') return { step: 'receive' }
  if (source.state === 'running' || target.state === 'waiting') return { step: 'move' }
  const { handOver: _, joining: __, ...rest } = record
  return { step: 'commit', record: { ...rest, epoch: record.epoch + 1, engine: target.engine } }
}

/** A rebuild under way is ended first; a source that stands still for another reason is not moved. */
function begin({ record, source, target }: HandOverSeen): HandOverStep {
  if (record.joining || record.handOver || source.state !== 'running') return { step: 'resume' }
  // That target has been; another try is another engine.
  if (target.state === 'gone') return { step: 'done' }
  if (target.state !== 'absent') return { step: 'end-target' }
  return { step: 'intend', record: { ...record, handOver: target.engine } }
}

function isPrepared(member: EpochMember, { record, target, exports }: HandOverSeen): boolean {
  return (exports.get(member.replica) ?? []).includes(preparedName(member, record.epoch, target.engine))
}

function afterCommit({ source, target }: HandOverSeen): HandOverStep {
  if (target.state === 'gone' || target.state === 'absent')
    return source.state === 'gone' ? { step: 'reopen' } : { step: 'end-source' }
  // The target's exports come with the fence of the source's; a source that still lives can no longer write.
  if (target.state !== 'running') return { step: 'swap' }
  return source.state === 'gone' ? { step: 'done' } : { step: 'end-source' }
}

/** The target must not stand on anything when the source goes on. */
function undo({ record, source, target }: HandOverSeen): HandOverStep {
  if (target.state !== 'gone' && target.state !== 'absent') return { step: 'end-target' }
  if (record.handOver) return { step: 'withdraw', record: withdrawn(record) }
  return source.state === 'stopped' ? { step: 'resume' } : { step: 'done' }
}

/** The source's machine died before the commit: the guest is lost, its disk is not. */
function abandon({ record, target }: HandOverSeen): HandOverStep {
  if (target.state !== 'gone' && target.state !== 'absent') return { step: 'end-target' }
  return record.handOver ? { step: 'withdraw', record: withdrawn(record) } : { step: 'reopen' }
}

function withdrawn({ handOver: _, ...rest }: EpochRecord): EpochRecord {
  return { ...rest, epoch: rest.epoch + 1 }
}
