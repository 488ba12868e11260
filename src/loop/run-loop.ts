// Runs deciders: feeds them keys from the caches' events, carries their decisions out, comes back when something
// failed or when they asked to. From event to write there is no timer, only microtasks.
import type { ApiError } from '../base/errors.ts'
import { printJson } from '../base/json.ts'
import { type KubeObject, keyOf } from '../base/object.ts'
import type { CacheChange } from '../client/cache.ts'
import type { Client } from '../client/client.ts'
import { type Informers, idOf } from '../client/informer.ts'
import { createQueue, type Queue } from '../client/queue.ts'
import type { Host } from '../host/host.ts'
import { type AnyDecider, type Decision, decider, type ObjectRef, type Watch } from '../kinds/decide.ts'
import type { AnyKind, Kind } from '../kinds/kind.ts'
import { type Carrier, carryOut, type Outcome } from './carry-out.ts'
import { createDeletions, type Deletions } from './deletions.ts'
import { createEventRecorder, type EventRecorder } from './events.ts'
import { createHotLoopDetector, type HotLoop } from './hot-loop.ts'
import { inSteps, type Plan, planOf, refText } from './plan.ts'
import { type RetryOn, Troubles, UNAVAILABLE_BACKOFF } from './troubles.ts'

export interface LoopOptions {
  readonly client: Client
  readonly host: Host
  readonly informers: Informers
  readonly deciders: readonly AnyDecider[]
  /** Ends the loop: work under way is finished, nothing new is begun. */
  readonly signal: AbortSignal
  /** The kind core/v1 Event; without it notes only go to the log. */
  readonly eventKind?: Kind
  readonly retryOn?: readonly RetryOn[]
  /** Asked before each write; false holds it back (a lost leader lease). */
  readonly mayAct?: () => boolean
  /** Keys in work at once. */
  readonly concurrency?: number
  /** For tests and the simulation: a decider that runs in circles, or threw. */
  readonly onHotLoop?: (hot: HotLoop) => void
  readonly onBug?: (decider: string, key: string, error: unknown) => void
}

export interface Loop {
  /** Nothing is ready, in work or about to be written; keys that wait for their next try do not count. */
  idle(): boolean
  /** Resolves after the abort, when everything under way has ended. */
  readonly done: Promise<void>
}

/** Keys in work at once: enough that a burst shares group commits, few enough to keep memory small. */
const CONCURRENCY = 32
/** One turn of so many goes to the decider that has waited longest. */
const FAIR_TURN = 8
/** Decisions before other work of the process gets its turn, so that a big resync starves nobody. */
const DECISIONS_PER_TURN = 200
/** A decision that keeps being put off while things go on is taken after this. */
const SETTLE_MAX_MS = 30_000
/** Longest sleep for wakeAt, so that a jump of the wall clock is noticed. */
const WAKE_MAX_MS = 5 * 60_000
interface Runner {
  readonly decider: AnyDecider
  readonly queue: Queue
  readonly carrier: Carrier
  readonly recorder: EventRecorder | undefined
  readonly troubles: Troubles
  readonly settling: Map<string, number>
  /** When a status that others only read is to be written, by key. Monotonic milliseconds. */
  readonly statusDue: Map<string, number>
  open: boolean
  busy: boolean
}

export function runLoop(options: LoopOptions): Loop {
  return new RunningLoop(options)
}

class RunningLoop implements Loop {
  readonly done: Promise<void>
  readonly #options: LoopOptions
  readonly #runners: readonly Runner[]
  readonly #waiting = new Set<Runner>()
  readonly #hot
  readonly #deletions: Deletions
  #inWork = 0
  #pumping = false
  #decisionsThisTurn = 0
  #turns = 0
  #stopped: (() => void) | undefined

  constructor(options: LoopOptions) {
    this.#options = options
    this.#hot = createHotLoopDetector(options.host.clock)
    this.#deletions = createDeletions(options.host.clock)
    this.#runners = options.deciders.map((one) => this.#runnerFor(one))
    this.#startInformers()
    this.#subscribe()
    for (const runner of this.#runners) void this.#openWhenSynced(runner)
    this.done = new Promise((resolve) => {
      this.#stopped = resolve
      options.signal.addEventListener('abort', () => this.#stop(), { once: true })
    })
    if (options.signal.aborted) this.#stop()
  }

  idle(): boolean {
    return (
      this.#inWork === 0 &&
      this.#runners.every(({ open, queue, statusDue }) => open && queue.ready === 0 && statusDue.size === 0)
    )
  }

  #runnerFor(one: AnyDecider): Runner {
    const { client, host, informers, signal, eventKind, retryOn } = this.#options
    const runner: Runner = {
      decider: one,
      queue: createQueue(host.clock, () => {
        this.#waiting.add(runner)
        this.#schedulePump()
      }),
      carrier: {
        client,
        informers,
        fieldManager: one.name,
        signal,
        deleting: (target) => this.#deletions.remember(target.uid),
      },
      recorder: eventKind && createEventRecorder({ client, host, kind: eventKind, component: one.name }),
      troubles: new Troubles(host, retryOn ?? []),
      settling: new Map(),
      statusDue: new Map(),
      open: false,
      busy: false,
    }
    return runner
  }

  #startInformers(): void {
    const { informers, deciders, retryOn } = this.#options
    for (const one of deciders) {
      for (const kind of kindsOf(one)) informers.start(kind)
      for (const index of one.indexes ?? []) informers.addIndex(index)
    }
    for (const retry of retryOn ?? []) informers.start(retry.kind)
  }

  /** One subscription a kind, however many deciders look at it. */
  #subscribe(): void {
    const { informers, signal, retryOn } = this.#options
    const subjects = new Map<
      string,
      { readonly kind: AnyKind; readonly tell: ((c: CacheChange) => void)[] }
    >()
    const on = (kind: AnyKind, tell: (change: CacheChange) => void): void => {
      const subject = subjects.get(idOf(kind)) ?? { kind, tell: [] }
      subjects.set(idOf(kind), subject)
      subject.tell.push(tell)
    }
    for (const runner of this.#runners) {
      on(runner.decider.kind, (change) => this.#ownChanged(runner, change))
      for (const watch of runner.decider.watches) {
        on(watch.kind, (change) => this.#watchedChanged(runner, watch, change))
      }
    }
    for (const retry of retryOn ?? []) on(retry.kind, (change) => this.#retry(retry, change))
    for (const { kind, tell } of subjects.values()) {
      const leave = informers.subscribe(kind, (change) => {
        // Whatever became of it is in the cache now.
        if (change.type !== 'ADDED') this.#deletions.forget(change.object.metadata.uid)
        for (const one of tell) one(change)
      })
      signal.addEventListener('abort', leave, { once: true })
    }
  }

  async #openWhenSynced(runner: Runner): Promise<void> {
    await this.#options.informers.synced(kindsOf(runner.decider))
    runner.open = true
    this.#waiting.add(runner)
    this.#schedulePump()
  }

  #ownChanged(runner: Runner, change: CacheChange): void {
    const key = keyOf(change.object)
    if (change.type === 'DELETED') {
      runner.troubles.clear(key)
      runner.settling.delete(key)
      runner.statusDue.delete(key)
      runner.queue.cancel(key)
      this.#hot.forget(`${runner.decider.name} ${key}`)
      return
    }
    this.#enqueue(runner, key)
  }

  #watchedChanged(runner: Runner, watch: Watch, change: CacheChange): void {
    const { look } = this.#options.informers
    for (const key of watch.keys(change.object, look)) this.#enqueue(runner, key)
    // What an object pointed at before it changed concerns its deciders too.
    if (change.type !== 'MODIFIED') return
    for (const key of watch.keys(change.previous, look)) this.#enqueue(runner, key)
  }

  #enqueue(runner: Runner, key: string): void {
    const { settleMs } = runner.decider
    if (settleMs === undefined) {
      runner.queue.add(key)
      return
    }
    const now = this.#options.host.clock.monotonic()
    const since = runner.settling.get(key) ?? now
    runner.settling.set(key, since)
    runner.queue.addLater(key, Math.min(settleMs, since + SETTLE_MAX_MS - now))
  }

  #retry(retry: RetryOn, change: CacheChange): void {
    for (const runner of this.#runners) {
      for (const key of runner.troubles.release(retry, change.object.metadata.namespace)) {
        runner.queue.addLater(key, runner.troubles.waitMs(key) ?? 0)
      }
    }
  }

  #schedulePump(): void {
    if (this.#pumping || this.#options.signal.aborted) return
    this.#pumping = true
    queueMicrotask(() => this.#pump())
  }

  #pump(): void {
    this.#pumping = false
    const { signal, host, concurrency = CONCURRENCY } = this.#options
    while (!signal.aborted && this.#inWork < concurrency) {
      if (this.#decisionsThisTurn >= DECISIONS_PER_TURN) {
        this.#pumping = true
        host.clock.after(0, () => {
          this.#decisionsThisTurn = 0
          this.#pump()
        })
        return
      }
      const runner = this.#nextRunner()
      if (runner === undefined) return
      const key = runner.queue.take()
      if (key === undefined) continue
      this.#decisionsThisTurn += 1
      this.#begin(runner, key)
    }
  }

  /**
   * The decider that stands latest on the way of a new object; of equal ones in turn. Every so often the longest
   * waiting has its turn whatever its step, so that one with many keys starves no other.
   */
  #nextRunner(): Runner | undefined {
    let next: Runner | undefined
    const fair = this.#turns % FAIR_TURN === 0
    for (const runner of this.#waiting) {
      if (!runner.open || runner.queue.ready === 0 || (runner.decider.serial && runner.busy)) {
        this.#waiting.delete(runner)
        continue
      }
      if (next === undefined || stepOf(runner) > stepOf(next)) next = runner
      if (fair) break
    }
    if (next === undefined) return undefined
    this.#turns += 1
    this.#waiting.delete(next)
    if (next.queue.ready > 1) this.#waiting.add(next)
    return next
  }

  #begin(runner: Runner, key: string): void {
    runner.settling.delete(key)
    const work = this.#decide(runner, key)
    if (work === undefined) {
      this.#end(runner, key)
      return
    }
    this.#inWork += 1
    runner.busy = true
    void work
      .catch((error: unknown) => this.#bug(runner, key, error))
      .finally(() => {
        this.#inWork -= 1
        this.#end(runner, key)
      })
  }

  #end(runner: Runner, key: string): void {
    runner.busy = false
    runner.queue.done(key)
    if (runner.queue.ready > 0) this.#waiting.add(runner)
    if (this.#options.signal.aborted) this.#finishStop()
    else if (this.#waiting.size > 0) this.#schedulePump()
  }

  /** Decides at once; undefined when nothing is to be written. */
  #decide(runner: Runner, key: string): Promise<void> | undefined {
    const { informers, host } = this.#options
    const { decider: one, queue } = runner
    const object = objectAt(informers, one.kind, key)
    if (object === undefined) return undefined
    const startMs = host.clock.monotonic()
    let decision: Decision
    let plan: Plan
    try {
      decision = one.decide(one.gather(object, informers.look), host.clock.now())
      plan = planOf(object, decision, informers.look, (target) => this.#isDeleting(target))
    } catch (error) {
      this.#bug(runner, key, error)
      return undefined
    }
    const labels = { decider: one.name }
    host.meter.observe('croft_loop_decision_seconds', (host.clock.monotonic() - startMs) / 1000, labels)
    host.meter.gauge('croft_loop_queue_length', queue.ready, labels)
    const wakeMs = decision.wakeAt === undefined ? undefined : decision.wakeAt - host.clock.now()
    this.#sleep(runner, key, wakeMs === undefined ? undefined : Math.min(wakeMs, WAKE_MAX_MS))
    for (const { about, type, reason, message } of plan.notes) {
      if (runner.recorder === undefined) host.log.info(message, { about: refText(about), reason })
      else runner.recorder.note({ about, type, reason, message })
    }
    if (plan.writes.length === 0 && plan.status === undefined) {
      runner.troubles.clear(key)
      runner.statusDue.delete(key)
      return undefined
    }
    if (plan.writes.length === 0 && !decision.urgent && this.#statusWaits(runner, key)) return undefined
    const pauseMs = this.#hot.pauseMs(`${one.name} ${key}`)
    if (pauseMs > 0) {
      this.#sooner(runner, key, pauseMs)
      return undefined
    }
    return this.#execute(runner, key, object, plan)
  }

  /** A status on the move is written once it rests, so that a burst of changes below is one write above. */
  #statusWaits(runner: Runner, key: string): boolean {
    const { statusSettleMs } = runner.decider
    // A key in trouble has waited already.
    if (statusSettleMs === undefined || runner.troubles.waitMs(key) !== undefined) return false
    const now = this.#options.host.clock.monotonic()
    const due = runner.statusDue.get(key) ?? now + statusSettleMs
    // Half a millisecond of grace: a timer that rounds down must not ask for another one.
    if (due - now < 0.5) {
      runner.statusDue.delete(key)
      return false
    }
    runner.statusDue.set(key, due)
    this.#sooner(runner, key, due - now)
    return true
  }

  async #execute(runner: Runner, key: string, object: KubeObject, plan: Plan): Promise<void> {
    const { host, signal, mayAct } = this.#options
    const { decider: one } = runner
    const held = runner.troubles.holdsBack(key, plan.digest)
    runner.statusDue.delete(key)
    let effects = 0
    let end: Outcome = { result: 'done', changed: false }
    let ownTouched = false
    for (const writes of held ? [] : inSteps(plan.writes)) {
      if (signal.aborted) return
      if (mayAct !== undefined && !mayAct()) {
        this.#sooner(runner, key, UNAVAILABLE_BACKOFF.firstMs)
        return
      }
      const outcomes = await Promise.all(writes.map((write) => carryOut(write, runner.carrier)))
      for (const { result } of outcomes)
        host.meter.count('croft_loop_writes_total', 1, { decider: one.name, result })
      effects += outcomes.filter((outcome) => outcome.result === 'done' && outcome.changed).length
      ownTouched ||= writes.some((write) => touchesOwn(write, one.kind, object))
      end = outcomes.find(({ result }) => result !== 'done') ?? end
      if (end.result !== 'done') break
    }
    if (plan.status !== undefined && !ownTouched && end.result !== 'stale' && !signal.aborted) {
      const outcome = await this.#writeStatus(runner, object, plan)
      if (outcome.result === 'done' && outcome.changed) effects += 1
      if (end.result === 'done') end = outcome
    } else if (ownTouched && plan.status !== undefined) {
      // The object moved under our own hand: the status is computed anew from what it is now.
      runner.queue.add(key)
    }
    this.#settle(runner, key, plan, held ? undefined : end, object)
    if (effects > 0) this.#watchHeat(runner, key, plan, effects)
  }

  #writeStatus(runner: Runner, object: KubeObject, plan: Plan): Promise<Outcome> {
    const { kind } = runner.decider
    const { namespace, name = '', uid, resourceVersion } = object.metadata
    return carryOut(
      {
        do: 'patch',
        target: {
          kind,
          ...(namespace === undefined ? {} : { namespace }),
          name,
          ...(uid === undefined ? {} : { uid }),
        },
        patch: { status: plan.status },
        ...(kind.subresources['status'] === undefined ? {} : { subresource: 'status' }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      runner.carrier,
    )
  }

  /** Books how it went; `outcome` is undefined when the writes were held back. */
  #settle(runner: Runner, key: string, plan: Plan, outcome: Outcome | undefined, object: KubeObject): void {
    const { troubles } = runner
    if (outcome === undefined) {
      this.#sooner(runner, key, troubles.waitMs(key) ?? 0)
      return
    }
    if (outcome.result === 'done') {
      troubles.clear(key)
      return
    }
    const delayMs = troubles.book(key, outcome, plan.digest)
    this.#sooner(runner, key, delayMs)
    if (outcome.result === 'stale') return
    this.#options.host.log.warn(outcome.error.message, {
      decider: runner.decider.name,
      key,
      attempt: troubles.attempts(key),
      retryInMs: Math.round(delayMs),
    })
    if (outcome.result === 'refused') this.#noteRefusal(runner, object, outcome.error)
  }

  #noteRefusal(runner: Runner, object: KubeObject, error: ApiError): void {
    if (error.details?.causes?.some((cause) => cause.reason === 'NamespaceTerminating')) return
    const { namespace, name = '', uid } = object.metadata
    runner.recorder?.note({
      about: {
        kind: runner.decider.kind,
        ...(namespace === undefined ? {} : { namespace }),
        name,
        ...(uid === undefined ? {} : { uid }),
      },
      type: 'Warning',
      reason: `Refused${error.reason}`,
      message: error.message,
    })
  }

  #watchHeat(runner: Runner, key: string, plan: Plan, effects: number): void {
    const { host, onHotLoop } = this.#options
    const whole = plan.status === undefined ? plan.digest : `${plan.digest} ${printJson(plan.status)}`
    const why = this.#hot.wrote(`${runner.decider.name} ${key}`, whole, effects)
    if (why === undefined) return
    const hot: HotLoop = { decider: runner.decider.name, key, why }
    host.log.error('decider runs in circles', { ...hot, plan: whole.slice(0, 2000) })
    host.meter.count('croft_loop_hot_total', 1, { decider: hot.decider })
    onHotLoop?.(hot)
  }

  /** An assertion or a type error in a decider: told loudly, and the one object waits; all others go on. */
  #bug(runner: Runner, key: string, error: unknown): void {
    const { host, onBug, signal } = this.#options
    if (signal.aborted) return
    host.log.error('decider failed', {
      decider: runner.decider.name,
      key,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
    host.meter.count('croft_loop_bugs_total', 1, { decider: runner.decider.name })
    this.#sooner(runner, key, runner.troubles.book(key, { result: 'bug' }, ''))
    onBug?.(runner.decider.name, key, error)
  }

  #sleep(runner: Runner, key: string, ms: number | undefined): void {
    const retryMs = runner.troubles.waitMs(key)
    if (ms === undefined && retryMs === undefined) runner.queue.cancel(key)
    else
      runner.queue.addLater(
        key,
        Math.min(ms ?? Number.POSITIVE_INFINITY, retryMs ?? Number.POSITIVE_INFINITY),
      )
  }

  #sooner(runner: Runner, key: string, ms: number): void {
    const due = runner.queue.dueMs(key)
    if (due !== undefined && due - this.#options.host.clock.monotonic() <= ms) return
    runner.queue.addLater(key, ms)
  }

  #isDeleting(target: ObjectRef): boolean {
    return this.#deletions.isSent(target.uid ?? objectIn(this.#options.informers, target)?.metadata.uid)
  }

  #stop(): void {
    for (const runner of this.#runners) runner.queue.stop()
    this.#finishStop()
  }

  #finishStop(): void {
    if (this.#inWork > 0) return
    const flushes = this.#runners.map((runner) => runner.recorder?.flush())
    void Promise.all(flushes).then(() => this.#stopped?.())
  }
}

function stepOf({ decider: { step = 0 } }: Runner): number {
  return step
}

function kindsOf(one: AnyDecider): readonly AnyKind[] {
  return [one.kind, ...one.watches.map((watch) => watch.kind)]
}

function objectAt(informers: Informers, kind: Kind, key: string): KubeObject | undefined {
  const slash = key.indexOf('/')
  return slash < 0
    ? informers.look.get(kind, undefined, key)
    : informers.look.get(kind, key.slice(0, slash), key.slice(slash + 1))
}

function objectIn(informers: Informers, { kind, namespace, name }: ObjectRef): KubeObject | undefined {
  try {
    return informers.look.get(kind, namespace, name)
  } catch {
    return undefined
  }
}

/** A plain patch of the object itself; one with its version would have been refused had the object moved. */
function touchesOwn(write: Plan['writes'][number], kind: Kind, object: KubeObject): boolean {
  if (write.do === 'create') return false
  if (write.do === 'update') return idOf(write.kind) === idOf(kind) && keyOf(write.object) === keyOf(object)
  const { target } = write
  return (
    idOf(target.kind) === idOf(kind) &&
    target.name === object.metadata.name &&
    (target.namespace ?? '') === (object.metadata.namespace ?? '')
  )
}

export { type AnyDecider, decider, type RetryOn }
