// Replicas of other hosts: the engine's host asks the agent of the replica's host, which does what it is asked to the
// replica's daemon. Every order may come twice; those that take long are asked for again until they are done.
import { isObject, type JsonObject } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import type { AgentLink } from '../link/agent-link.ts'
import type { NbdChild } from '../plan/backing.ts'
import type { CopyOrder } from './copy.ts'
import type { MemberSeen } from './epoch/record.ts'
import type { Member, ServeOrder } from './member.ts'
import { type BareMember, bareMember, memberOf } from './members.ts'
import { reachable, type VolumeContext } from './replica.ts'

export const MEMBER_METHOD = 'volume.member'
/** Orders that a guest waits for. Milliseconds. */
const QUICK_MS = 5_000
/** Another host that is busy is not dead, and dropping its replica costs a rebuild. Milliseconds. */
const ASK_MIN_MS = 1_500
/** One look at something that takes long; the next look follows at once. Milliseconds. */
const LOOK_MS = 10_000
/** The other side answers this much earlier than we give up. Milliseconds. */
const MARGIN_MS = 3_000
/** A link that is cut for a moment does not end a copy of hours. Milliseconds. */
const PATIENCE_MS = 60_000

type Args = Readonly<Record<string, unknown>>

interface Ports {
  readonly link: AgentLink
  readonly context: VolumeContext
}

export function remoteMember({ link, context }: Ports, replica: Replica): Member {
  const name = replica.metadata.name!
  const nodeName = replica.spec?.nodeID ?? ''
  const identity = { namespace: replica.metadata.namespace!, name, uid: replica.metadata.uid! }
  const call = async (
    op: string,
    args: Args,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<Args>> => {
    const body = JSON.parse(JSON.stringify({ ...identity, op, args })) as JsonObject
    return link.call(nodeName, MEMBER_METHOD, body, timeoutMs, signal)
  }
  const quick = async <T>(op: string, args: Args = {}, timeoutMs = QUICK_MS): Promise<Result<T>> => {
    const answer = await call(op, args, timeoutMs)
    return answer.ok ? ok(answer.value['value'] as T) : answer
  }
  const long = async <T>(op: string, args: Args, more: LongMore = {}): Promise<Result<T>> => {
    const { clock } = context.host
    let lastAnswer = clock.monotonic()
    for (;;) {
      const answer = await call(op, args, LOOK_MS, more.signal)
      if (answer.ok && answer.value['pending'] !== true) return ok(answer.value['value'] as T)
      if (answer.ok) {
        lastAnswer = clock.monotonic()
        more.onBytes?.(Number(answer.value['bytes'] ?? 0))
        continue
      }
      const cut = ['NodeUnreachable', 'TimedOut'].includes(answer.failure.reason)
      if (!cut || more.signal?.aborted || clock.monotonic() - lastAnswer > PATIENCE_MS) return answer
      await clock.sleep(1_000)
    }
  }
  const childAs = (child: NbdChild): NbdChild => here(context, child)
  return {
    replica: name,
    ask: async (timeoutMs): Promise<MemberSeen> => {
      const patience = Math.max(timeoutMs, ASK_MIN_MS)
      const seen = await quick<MemberSeen>('ask', { timeoutMs: patience }, patience)
      return seen.ok ? seen.value : { state: 'absent', why: seen.failure.message }
    },
    serve: async (order) => mapped(await quick<NbdChild>('serve', { order }), childAs),
    fence: () => quick('fence'),
    prepareFreeze: (words) => quick('prepareFreeze', { words }, LOOK_MS),
    freeze: (layer) => quick('freeze', { layer }),
    settleFreeze: (layer) => quick('settleFreeze', { layer }, LOOK_MS),
    resize: (sizeBytes) => quick('resize', { sizeBytes }, LOOK_MS),
    removeLayer: (layer) => long('removeLayer', { layer }),
    close: (clean) => quick('close', { clean }),
    meta: () => quick('meta'),
    layerSizes: () => quick('layerSizes'),
    openLayer: async (layer) => mapped(await quick<NbdChild>('openLayer', { layer }), childAs),
    closeLayer: async (layer) => {
      await quick('closeLayer', { layer })
    },
    openFile: async (file) =>
      mapped(await quick<{ child: NbdChild; sizeBytes: number }>('openFile', { file }), (served) => ({
        ...served,
        child: childAs(served.child),
      })),
    closeFile: async (file) => {
      await quick('closeFile', { file })
    },
    digest: (file) => long('digest', { file }),
    blocks: (file) => long('blocks', { file }),
    prepareJoin: (order) => quick('prepareJoin', { order }, LOOK_MS),
    joinOn: (head, source) => quick('joinOn', { head, source }),
    copyFile: ({ onBytes, signal, ...order }) =>
      long('copyFile', { order }, { ...(onBytes ? { onBytes } : {}), ...(signal ? { signal } : {}) }),
    completeJoin: () => quick('completeJoin', {}, LOOK_MS),
  }
}

interface LongMore {
  readonly onBytes?: (count: number) => void
  readonly signal?: AbortSignal
}

function mapped<T>(answer: Result<T>, map: (value: T) => T): Result<T> {
  return answer.ok ? ok(map(answer.value)) : answer
}

/** An address as this host uses it: with its own certificates. */
function here({ address }: VolumeContext, child: NbdChild): NbdChild {
  const { server } = child
  if (!('tlsCreds' in server) || server.tlsCreds === undefined || !address) return child
  return { ...child, server: { ...server, tlsFolder: address.tlsFolder } }
}

export async function remoteBare(ports: Ports, replica: Replica): Promise<Result<BareMember>> {
  const { namespace, name, uid } = replica.metadata
  const body = { namespace: namespace!, name: name!, uid: uid!, op: 'bare', args: {} }
  const answer = await ports.link.call(replica.spec?.nodeID ?? '', MEMBER_METHOD, body, 4 * LOOK_MS)
  if (!answer.ok) return answer
  return ok({ member: remoteMember(ports, replica), incarnation: String(answer.value['value']) })
}

// --- the answering side ---

interface Job {
  readonly over: Promise<Result<unknown>>
  bytes: number
}

/** Answers the engines of other hosts. */
export function answerMembers({ link, context }: Ports): void {
  const jobs = new Map<string, Job>()
  link.answer(MEMBER_METHOD, async (body): Promise<Result<JsonObject>> => {
    const { namespace, name, uid, op } = body
    const replica = context.look.get(Replica, String(namespace), String(name))
    if (!replica || replica.metadata.uid !== uid || replica.spec?.nodeID !== context.nodeName)
      return failed(unknownReplica(String(name), context.nodeName))
    const args = isObject(body['args']) ? (body['args'] as Args) : {}
    if (op === 'bare') {
      const bare = await bareMember(context, replica)
      return bare.ok ? ok({ value: bare.value.incarnation }) : bare
    }
    // Whoever opens something to us must be able to come in.
    if (op === 'serve' || op === 'openLayer' || op === 'openFile') {
      const reached = await reachable(context, replica)
      if (!reached.ok) return reached
    }
    const member = await memberOf(context, replica)
    if (!member)
      return failed({
        reason: 'ReplicaNotRunning',
        message: `replica ${String(name)} does not run on ${context.nodeName}`,
        retry: 'later',
      })
    const act = ORDERS[String(op)]
    if (!act)
      return failed({
        reason: 'NoSuchMethod',
        message: `no order ${String(op)} for a replica`,
        retry: 'never',
      })
    if (!LONG.has(String(op))) return asValue(await act(member, args, context, () => undefined))
    return look(jobs, { key: JSON.stringify([uid, op, args]), act, member, args, context })
  })
}

interface Looking {
  readonly key: string
  readonly act: Act
  readonly member: Member
  readonly args: Args
  readonly context: VolumeContext
}

/** Begins it, or waits for what is under way; `pending` after a while, so that no call hangs for hours. */
async function look(jobs: Map<string, Job>, looking: Looking): Promise<Result<JsonObject>> {
  const { key, act, member, args, context } = looking
  let job = jobs.get(key)
  if (!job) {
    const begun: { -readonly [K in keyof Job]: Job[K] } = { over: Promise.resolve(ok(undefined)), bytes: 0 }
    begun.over = act(member, args, context, (count) => {
      begun.bytes = count
    }).finally(() => undefined)
    job = begun
    jobs.set(key, job)
  }
  const late = new AbortController()
  const answer = await Promise.race([
    job.over,
    context.host.clock.sleep(LOOK_MS - MARGIN_MS, late.signal).catch(() => undefined),
  ])
  late.abort()
  if (!answer) return ok({ pending: true, bytes: job.bytes })
  jobs.delete(key)
  return asValue(answer)
}

type Act = (
  member: Member,
  args: Args,
  context: VolumeContext,
  onBytes: (count: number) => void,
) => Promise<Result<unknown>>

const LONG: ReadonlySet<string> = new Set(['removeLayer', 'digest', 'blocks', 'copyFile'])

const ORDERS: Readonly<Record<string, Act>> = {
  ask: async (member, { timeoutMs }) => ok(await member.ask(Number(timeoutMs))),
  serve: (member, { order }) => member.serve(order as ServeOrder),
  fence: (member) => member.fence(),
  prepareFreeze: (member, { words }) => member.prepareFreeze(words as never),
  freeze: (member, { layer }) => member.freeze(String(layer)),
  settleFreeze: (member, { layer }) => member.settleFreeze(String(layer)),
  resize: (member, { sizeBytes }) => member.resize(Number(sizeBytes)),
  removeLayer: (member, { layer }) => member.removeLayer(String(layer)),
  close: (member, { clean }) => member.close(clean === true),
  meta: (member) => member.meta(),
  layerSizes: (member) => member.layerSizes(),
  openLayer: (member, { layer }) => member.openLayer(String(layer)),
  closeLayer: async (member, { layer }) => ok(await member.closeLayer(String(layer))),
  openFile: (member, { file }) => member.openFile(String(file)),
  closeFile: async (member, { file }) => ok(await member.closeFile(String(file))),
  digest: (member, { file }) => member.digest(String(file)),
  blocks: (member, { file }) => member.blocks(String(file)),
  prepareJoin: (member, { order }) => member.prepareJoin(order as never),
  joinOn: (member, { head, source }, context) =>
    member.joinOn(String(head), here(context, source as NbdChild)),
  copyFile: (member, { order }, context, onBytes) => {
    const copy = order as Omit<CopyOrder, 'onBytes' | 'signal'>
    return member.copyFile({ ...copy, source: here(context, copy.source), onBytes })
  },
  completeJoin: (member) => member.completeJoin(),
}

function asValue(answer: Result<unknown>): Result<JsonObject> {
  return answer.ok ? ok({ value: (answer.value ?? null) as never }) : answer
}

function unknownReplica(name: string, nodeName: string): Failure {
  return {
    reason: 'ReplicaUnknown',
    message: `replica ${name} is not known on ${nodeName} yet`,
    retry: 'later',
  }
}
