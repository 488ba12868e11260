// The words of the data path: the committed record of a volume, what a member says of itself, and how exports are
// named. Pure; the record itself lives in the VolumeEpoch object and is changed by compare-and-swap alone.

export interface EpochMember {
  readonly replica: string
  /** Word of the process that serves the replica: another process, after a crash, has another word. */
  readonly incarnation: string
}

export interface EpochEngine {
  readonly name: string
  /** Word of this start of the engine; never used again. */
  readonly incarnation: string
  readonly nodeID: string
}

export interface EpochRecord {
  readonly epoch: number
  /** Absent while nobody may write. */
  readonly engine?: EpochEngine
  /** Replicas that hold every acknowledged write. Empty only before the first engine. */
  readonly inSync: readonly EpochMember[]
  /** A replica that takes every new write, but whose old layers are still being copied: it may not be chosen. */
  readonly joining?: EpochMember
  /** A machine moves: the engine that is to take over. Whoever lets the source go on commits without it first. */
  readonly handOver?: EpochEngine
  /** Size that all of the set agree on. Bytes. */
  readonly sizeBytes: number
  /** The last engine flushed and closed; else the members may differ in the last writes. */
  readonly cleanShutdown: boolean
}

/** All that the engine writes to: the set, then the one that joins. */
export function servingMembers(record: EpochRecord): readonly EpochMember[] {
  return record.joining ? [...record.inSync, record.joining] : record.inSync
}

/** What a replica says of itself when it is asked. */
export interface MemberReport {
  readonly replica: string
  readonly incarnation: string
  /** The last epoch that it noted on its disk before serving it. */
  readonly epoch: number
  readonly sizeBytes: number
  /** Names of its layers, oldest first, head last. */
  readonly chain: readonly string[]
  readonly cleanShutdown: boolean
  /** Names of the exports that are open now. */
  readonly exports: readonly string[]
}

/** `absent`: no answer in time; whether it is dead, cut off or hung makes no difference to who may serve. */
export type MemberSeen =
  | { readonly state: 'present'; readonly report: MemberReport }
  | { readonly state: 'absent'; readonly why: string }

export type MembersSeen = ReadonlyMap<string, MemberSeen>

/**
 * The name under which a member serves one epoch. Epoch and process make it unique for ever: a client that
 * reconnects to a replica that lost its memory finds no export of the name it knows.
 */
export function exportName(member: EpochMember, epoch: number): string {
  return `${member.replica}-${epoch}-${member.incarnation}`
}

/** The same process serves it as when the epoch was committed, so nothing that it acknowledged is lost. */
export function isUnbroken(member: EpochMember, seen: MembersSeen): boolean {
  const one = seen.get(member.replica)
  return one?.state === 'present' && one.report.incarnation === member.incarnation
}
