// Where a swap stands and what comes next, told from what is seen, never from memory: so it may be cut off after any
// step and be taken up again by another process. The order is what keeps data: pause, commit, fence, open, new nodes,
// device, continue.
import { type EpochRecord, exportName, servingMembers } from './record.ts'

export interface SwapSeen {
  readonly record: EpochRecord
  /** The guest does not run: stopped by an I/O error, by us, or by its user. */
  readonly paused: boolean
  /** Somebody else wants it paused; it is not continued then. */
  readonly keepPaused: boolean
  /** Exports open on each member that answers. */
  readonly exports: ReadonlyMap<string, readonly string[]>
  /** Exports that the block nodes of this disk in QEMU are connected to, the ones under the device first. */
  readonly deviceExports: readonly string[]
  /** Exports of nodes that exist in QEMU but not under the device. */
  readonly idleExports: readonly string[]
}

export type SwapStep =
  | { readonly step: 'pause' }
  /** Members fence older exports, note the epoch and open their new export. */
  | { readonly step: 'serve'; readonly replicas: readonly string[] }
  /** NBD nodes and what joins them, then under the device. */
  | { readonly step: 'attach' }
  | { readonly step: 'continue' }
  /** Old nodes go while the guest runs. */
  | { readonly step: 'clean' }
  | { readonly step: 'done' }

/** What is left to do so that the device stands on the committed epoch. */
export function decideSwap(seen: SwapSeen): SwapStep {
  const { record } = seen
  const serving = servingMembers(record)
  const wanted = serving.map((member) => exportName(member, record.epoch))
  const attached = sameNames(seen.deviceExports, wanted)
  if (!attached && !seen.paused) return { step: 'pause' }
  const unserved = serving
    .filter((member) => !isServed(seen.exports.get(member.replica), exportName(member, record.epoch)))
    .map((member) => member.replica)
  // Under an attached device an export that is gone is a failed member: that needs a new epoch, not a new export.
  if (!attached && unserved.length > 0) return { step: 'serve', replicas: unserved }
  if (!attached) return { step: 'attach' }
  if (seen.paused && !seen.keepPaused) return { step: 'continue' }
  return seen.idleExports.length > 0 ? { step: 'clean' } : { step: 'done' }
}

/** Open, and nothing older beside it. */
function isServed(exports: readonly string[] | undefined, name: string): boolean {
  return exports?.length === 1 && exports[0] === name
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name))
}
