// A new engine takes its volume: asks the committed replicas, commits the epoch that makes it the only writer, and has
// them serve it. Commit first, then fence, then open: whoever reads the record knows that no write is acknowledged by
// an older engine once one common member is fenced.
import { unreachable } from '../../base/assert.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import { type Dropped, decideOpen } from './epoch/next-step.ts'
import type { EpochMember, EpochRecord, MemberSeen, MembersSeen } from './epoch/record.ts'
import { type Equal, equalise } from './equalise.ts'
import type { Member } from './member.ts'
import { membersOf, replicasOf } from './members.ts'
import type { RecordKeeper } from './record-keeper.ts'
import type { VolumeContext } from './replica.ts'
import { nextRecord, serveAll } from './swap.ts'

/** A member that starts is asked this long; nobody waits for the answer but the engine. Milliseconds. */
const ASK_MS = 2_000
/** A member can fail while its epoch is opened, at most once for each. */
const ROUNDS_MAX = 8

export interface Opened {
  readonly record: EpochRecord
  /** Replicas that did not answer; those that merely are behind may be rebuilt at once. */
  readonly lost: readonly Dropped[]
}

export interface OpenOrder {
  readonly context: VolumeContext
  readonly keeper: RecordKeeper
  readonly engine: Engine
  /** How long the engine has been waiting for its replicas. Milliseconds. */
  readonly waitedMs: number
}

/** Failures: `ReplicasMissing` (wait), those of `decideOpen` (refused), and those of the record. */
export async function openVolume(order: OpenOrder): Promise<Result<Opened>> {
  const { context, keeper, engine } = order
  const namespace = engine.metadata.namespace!
  const volumeName = engine.spec?.volumeName ?? ''
  const local = replicasOf(context, namespace, volumeName).find(
    (replica) => replica.spec?.nodeID === context.nodeName,
  )?.metadata.name
  const guilty = new Map<string, string>()
  let equal: Equal | undefined
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const read = await keeper.read()
    if (!read.ok) return read
    const members = await membersOf(context, namespace, volumeName)
    const record = wantedOf(read.value, engine)
    const seen = await seeAll(members, namesOf(record, engine), guilty)
    const step = decideOpen({
      record,
      seen,
      waitedMs: order.waitedMs,
      ...(local === undefined ? {} : { local }),
      ...(equal ? { equal } : {}),
    })
    switch (step.step) {
      case 'wait':
        return failed({
          reason: 'ReplicasMissing',
          message: `${step.why}: ${step.missing.join(', ')}`,
          retry: 'later',
        })
      case 'refuse':
        return failed({ reason: step.reason, message: step.message, retry: 'never' })
      case 'equalise':
        equal = await equalise(step, members)
        continue
      case 'commit': {
        const answer = await take(order, { before: read.value, members, inSync: step.inSync, seen })
        const absent = step.dropped.filter(({ replica }) => seen.get(replica)?.state !== 'present')
        if (answer.ok) return ok({ record: answer.value, lost: absent })
        const { replica } = answer.failure as { readonly replica?: string }
        if (replica === undefined || step.inSync.length === 1) return answer
        guilty.set(replica, answer.failure.message)
        continue
      }
      default:
        return unreachable(step)
    }
  }
  return failed({
    reason: 'OpenStuck',
    message: 'replicas go on failing one after another',
    retry: 'later',
  })
}

/** Members that the engine is not to use leave the set, unless nobody would be left. */
function wantedOf(record: EpochRecord, engine: Engine): EpochRecord {
  const names = Object.keys(engine.spec?.replicaAddressMap ?? {})
  const inSync = record.inSync.filter((member) => names.includes(member.replica))
  return inSync.length > 0 ? { ...record, inSync } : record
}

function namesOf(record: EpochRecord, engine: Engine): readonly string[] {
  return record.inSync.length > 0
    ? record.inSync.map((member) => member.replica)
    : Object.keys(engine.spec?.replicaAddressMap ?? {})
}

async function seeAll(
  members: readonly Member[],
  names: readonly string[],
  guilty: ReadonlyMap<string, string>,
): Promise<MembersSeen> {
  const answers = await Promise.all(
    names.map(async (name): Promise<readonly [string, MemberSeen]> => {
      const why = guilty.get(name)
      const member = members.find((one) => one.replica === name)
      if (why !== undefined) return [name, { state: 'absent', why }]
      return [name, member ? await member.ask(ASK_MS) : { state: 'absent', why: 'does not run' }]
    }),
  )
  return new Map(answers)
}

/** A growth that was cut off before its commit leaves members larger than the record. */
function sizeOf(record: EpochRecord, seen: MembersSeen): number {
  const sizes = [...seen.values()].flatMap((one) => (one.state === 'present' ? [one.report.sizeBytes] : []))
  return Math.max(record.sizeBytes, ...sizes)
}

interface Taking {
  readonly before: EpochRecord
  readonly members: readonly Member[]
  readonly inSync: readonly EpochMember[]
  readonly seen: MembersSeen
}

async function take(
  { context, keeper, engine }: OpenOrder,
  { before, members, inSync, seen }: Taking,
): Promise<Result<EpochRecord>> {
  const sizeBytes = sizeOf(before, seen)
  const committed = await keeper.commit(
    nextRecord(before, inSync, {
      engine: {
        name: engine.metadata.name!,
        incarnation: randomWord(context),
        nodeID: context.nodeName,
      },
      sizeBytes,
    }),
    before,
  )
  if (!committed.ok) return committed
  for (const { replica } of inSync) {
    const grown = await growTo(members, replica, sizeBytes, seen)
    if (!grown.ok) return failed({ ...grown.failure, replica })
  }
  const served = await serveAll(members, committed.value)
  return served.ok ? committed : served
}

async function growTo(
  members: readonly Member[],
  replica: string,
  sizeBytes: number,
  seen: MembersSeen,
): Promise<Result<void>> {
  const one = seen.get(replica)
  if (one?.state !== 'present' || one.report.sizeBytes === sizeBytes) return ok(undefined)
  return (await members.find((member) => member.replica === replica)?.resize(sizeBytes)) ?? ok(undefined)
}

export function randomWord({ host }: VolumeContext): string {
  return [...host.random.bytes(4)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
