// Rebuilds what the engine wants in and the record does not count: one replica at a time, from the beginning or from
// where it was cut off, from another source when one fails.
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import { type BackoffShape, backoffMs } from '../../client/backoff.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { EpochRecord } from './epoch/record.ts'
import type { LiveEngine } from './live-engine.ts'
import type { Member } from './member.ts'
import { bareMember, membersOf, replicasOf } from './members.ts'
import { beginRebuild, copyLayers, countReplica, dropJoining } from './rebuild.ts'
import { backingOf, daemonOf, type VolumeContext } from './replica.ts'
import type { SwapFailure } from './swap.ts'

/** A disk that is full or a link that is cut does not get well at once. */
const BACKOFF: BackoffShape = { firstMs: 2_000, factor: 2, maxMs: 300_000, jitter: 0.2 }
/** Progress is told this often at most. Milliseconds. */
const TELL_MS = 1_000
/** A replica that failed stays out for so long when nobody takes it out of the engine's map. Milliseconds. */
export const LOST_STAYS_MS = 30_000
const ASK_MS = 2_000

/** As Longhorn tells it in `engine.status.rebuildStatus`. */
export interface RebuildState {
  readonly state: 'in_progress' | 'complete' | 'error'
  readonly isRebuilding: boolean
  /** Percent. */
  readonly progress: number
  readonly error: string
  readonly fromReplicaAddress: string
}

export class RebuildWork {
  readonly #context: VolumeContext
  readonly #live: LiveEngine
  readonly #onChange: () => void
  readonly #states = new Map<string, RebuildState>()
  readonly #attempts = new Map<string, number>()
  readonly #notBefore = new Map<string, number>()
  readonly #badSources = new Map<string, number>()
  #current: { readonly target: string; source?: string; readonly stop: AbortController } | undefined
  /** Running replicas whose image is still on its way: they have not failed. */
  readonly waiting = new Set<string>()
  #done: Promise<void> = Promise.resolve()
  #cancel: () => void = () => undefined
  #over = false

  constructor(context: VolumeContext, live: LiveEngine, onChange: () => void) {
    this.#context = context
    this.#live = live
    this.#onChange = onChange
  }

  get states(): ReadonlyMap<string, RebuildState> {
    return this.#states
  }

  /** The replica that is being rebuilt now. */
  get target(): string | undefined {
    return this.#current?.target
  }

  /** Compares what is under way with what is wanted; `names` are the replicas of the engine's map. */
  look(names: readonly string[]): void {
    if (this.#over) return
    const { record } = this.#live
    for (const name of this.#states.keys()) if (!names.includes(name)) this.#states.delete(name)
    const current = this.#current
    if (current) {
      const sourceGone =
        current.source !== undefined && !record.inSync.some((one) => one.replica === current.source)
      if (!names.includes(current.target) || sourceGone) current.stop.abort()
      return
    }
    const now = this.#context.host.clock.monotonic()
    const waiting = names.filter((name) => !record.inSync.some((one) => one.replica === name))
    const due = (name: string): number => {
      const lost = this.#live.lost.get(name)
      return Math.max(this.#notBefore.get(name) ?? 0, lost ? lost.at + LOST_STAYS_MS : 0)
    }
    const replicas = replicasOf(this.#context, this.#live.namespace, this.#live.volumeName)
    this.waiting.clear()
    const ready = waiting.flatMap((name) => {
      const replica = replicas.find((one) => one.metadata.name === name)
      if (replica?.status?.currentState !== 'running') return []
      // It is looked at again when the image has come.
      if (backingOf(this.#context, replica).ok) return [replica]
      this.waiting.add(name)
      return []
    })
    const next = ready.find((replica) => due(replica.metadata.name!) <= now)
    if (this.#live.isMerging) return
    if (next) this.#start(next)
    else if (ready.length > 0) {
      this.#cancel()
      const soonest = Math.min(...ready.map((replica) => due(replica.metadata.name!)))
      this.#cancel = this.#context.host.clock.after(soonest - now, this.#onChange)
    }
  }

  /** Gives up what is under way; resolves when nothing is. What was copied stays. */
  async stop(): Promise<void> {
    this.#over = true
    this.#cancel()
    this.#current?.stop.abort()
    await this.#done
  }

  #start(replica: Replica): void {
    const target = replica.metadata.name!
    const stop = new AbortController()
    this.#current = { target, stop }
    this.#live.lost.delete(target)
    this.#tell(target, { state: 'in_progress', isRebuilding: true, progress: 0 })
    this.#done = this.#run(replica, stop.signal)
      .catch((error: unknown) => failed(asFailure(error)))
      .then((answer) => {
        this.#current = undefined
        if (answer.ok) {
          this.#attempts.delete(target)
          this.#tell(target, { state: 'complete', isRebuilding: false, progress: 100 })
        } else this.#failed(target, answer.failure)
        this.#onChange()
      })
  }

  #failed(target: string, { reason, message }: Failure): void {
    const { host } = this.#context
    const attempt = this.#attempts.get(target) ?? 0
    this.#attempts.set(target, attempt + 1)
    this.#notBefore.set(target, host.clock.monotonic() + backoffMs(BACKOFF, attempt, host.random))
    this.#tell(target, { state: 'error', isRebuilding: false, error: message })
    host.log.warn('a rebuild failed', { volume: this.#live.volumeName, replica: target, reason, message })
  }

  #tell(target: string, more: Partial<RebuildState>): void {
    const before = this.#states.get(target)
    this.#states.set(target, {
      state: 'in_progress',
      isRebuilding: true,
      progress: before?.progress ?? 0,
      error: '',
      fromReplicaAddress: before?.fromReplicaAddress ?? '',
      ...more,
    })
  }

  async #run(replica: Replica, signal: AbortSignal): Promise<Result<void>> {
    const members = await membersOf(this.#context, this.#live.namespace, this.#live.volumeName)
    const resumed = await this.#resume(replica, members)
    if (!resumed.ok) return resumed
    const joined = resumed.value ?? (await this.#join(replica, members))
    if ('ok' in joined && !joined.ok) return joined
    const { source, target, layer } = 'ok' in joined ? joined.value : joined
    if (this.#current) this.#current.source = source.replica
    const copied = await this.#copy(source, target, signal)
    // Whoever ends Croft in the middle finds a rebuild that can go on.
    if (this.#over) return copied
    if (!copied.ok) {
      this.#badSources.set(source.replica, this.#context.host.clock.monotonic())
      const dropped = await this.#live.inTurn(() => this.#drop())
      await source.closeLayer(layer)
      return dropped.ok ? copied : dropped
    }
    const counted = await this.#live.inTurn(() => this.#count(target.replica))
    await source.closeLayer(layer)
    return counted
  }

  /** A rebuild of before our restart: the target still takes every write. */
  async #resume(replica: Replica, members: readonly Member[]): Promise<Result<Joined | undefined>> {
    const { joining } = this.#live.record
    if (!joining) return ok(undefined)
    const target = members.find((one) => one.replica === joining.replica)
    const seen = await target?.ask(ASK_MS)
    const meta = await target?.meta()
    const layer = meta?.ok ? meta.value.parent : undefined
    const source = meta?.ok ? await sourceWith(this.#sources(members), layer) : undefined
    const lives = seen?.state === 'present' && seen.report.incarnation === joining.incarnation
    if (joining.replica === replica.metadata.name && lives && target && source && layer !== undefined)
      return ok({ source, target, layer })
    const dropped = await this.#live.inTurn(() => this.#drop())
    return dropped.ok ? ok(undefined) : dropped
  }

  /** Those of this host first, and those that failed last at the end. */
  #sources(members: readonly Member[]): readonly Member[] {
    const { record } = this.#live
    const good = members.filter((one) => record.inSync.some((entry) => entry.replica === one.replica))
    return [...good].sort(
      (a, b) => (this.#badSources.get(a.replica) ?? 0) - (this.#badSources.get(b.replica) ?? 0),
    )
  }

  async #join(replica: Replica, members: readonly Member[]): Promise<Result<Joined>> {
    const [source] = this.#sources(members)
    if (!source) return failed({ reason: 'NoSource', message: 'no replica in step answers', retry: 'later' })
    const backing = backingOf(this.#context, replica)
    if (!backing.ok) return backing
    const reach = await this.#reach(source, replica)
    if (!reach.ok) return reach
    // Its daemon may be another one since.
    const from = (await membersOf(this.#context, replica.metadata.namespace!, this.#live.volumeName)).find(
      (one) => one.replica === source.replica,
    )
    if (!from)
      return failed({ reason: 'NoSource', message: `${source.replica} does not answer`, retry: 'later' })
    const bare = await bareMember(this.#context, replica)
    if (!bare.ok) return bare
    const { host } = this.#context
    const layer = host.random.uuid()
    this.#tell(replica.metadata.name!, { fromReplicaAddress: source.replica })
    const begun = await this.#live.inTurn(async (): Promise<Result<EpochRecord, SwapFailure>> => {
      const record = await this.#live.keeper.read()
      if (!record.ok) return record
      const joined = await beginRebuild({
        volume: await this.#live.volume(),
        record: record.value,
        source: from,
        target: bare.value.member,
        incarnation: bare.value.incarnation,
        words: {
          name: layer,
          userCreated: false,
          createdAt: new Date(host.clock.now()).toISOString(),
        },
        ...(backing.value ? { backingFile: backing.value.path } : {}),
      })
      if (!joined.ok) return joined
      const settled = await this.#live.settle(joined.value)
      return settled.ok ? joined : settled
    })
    if (begun.ok) return ok({ source: from, target: bare.value.member, layer })
    const { replica: guilty } = begun.failure
    if (guilty !== undefined && guilty !== replica.metadata.name) this.#live.suspect(guilty)
    return begun
  }

  /** The target's host comes in at the source, before anything is frozen for it. */
  async #reach(source: Member, target: Replica): Promise<Result<void>> {
    const { nodeName } = this.#context
    const replicas = replicasOf(this.#context, this.#live.namespace, this.#live.volumeName)
    const from = replicas.find((one) => one.metadata.name === source.replica)
    if (!from || from.spec?.nodeID !== nodeName || target.spec?.nodeID === nodeName) return ok(undefined)
    const daemon = await daemonOf(this.#context, from)
    if (!daemon || daemon.tcp) return ok(undefined)
    return this.#live.moveDaemon(from)
  }

  async #copy(source: Member, target: Member, signal: AbortSignal): Promise<Result<void>> {
    const { clock } = this.#context.host
    let toldAt = Number.NEGATIVE_INFINITY
    return copyLayers({
      source,
      target,
      signal,
      onProgress: (done) => {
        this.#tell(target.replica, {
          progress: Math.min(99, Math.floor(done * 100)),
          fromReplicaAddress: source.replica,
        })
        if (clock.monotonic() - toldAt < TELL_MS) return
        toldAt = clock.monotonic()
        this.#onChange()
      },
    })
  }

  async #count(replica: string): Promise<Result<void>> {
    const record = await this.#live.keeper.read()
    if (!record.ok) return record
    const { commit } = await this.#live.volume()
    const counted = await countReplica(commit, record.value, replica)
    return counted.ok ? this.#live.settle(counted.value) : counted
  }

  async #drop(): Promise<Result<EpochRecord | undefined>> {
    const record = await this.#live.keeper.read()
    if (!record.ok) return record
    if (!record.value.joining) return ok(undefined)
    const dropped = await dropJoining(await this.#live.volume(), record.value)
    if (!dropped.ok) return dropped
    const settled = await this.#live.settle(dropped.value)
    return settled.ok ? ok(dropped.value) : settled
  }
}

interface Joined {
  readonly source: Member
  readonly target: Member
  /** The frozen layer of the source that the target's head lies on. */
  readonly layer: string
}

/** The first that has the layer that the target reads through. */
async function sourceWith(
  members: readonly Member[],
  layer: string | undefined,
): Promise<Member | undefined> {
  for (const member of members) {
    const meta = await member.meta()
    if (meta.ok && meta.value.layers?.some((one) => one.name === layer)) return member
  }
  return undefined
}

function asFailure(error: unknown): Failure {
  return {
    reason: 'RebuildFailed',
    message: error instanceof Error ? error.message : String(error),
    retry: 'later',
  }
}
