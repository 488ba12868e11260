// The simulated server: the real API server over a disk that survives crashes, and the real controllers on it. It can
// be killed at any instant and started again; calls under way are then lost, whether or not they took effect.
import type { Api } from '../api/create-api.ts'
import type { ApiCall, ApiPort, WatchEvent } from '../base/call.ts'
import { refuse } from '../base/errors.ts'
import type { KubeObject } from '../base/object.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { createInformers, type Informers } from '../client/informer.ts'
import { Event } from '../kinds/core/event.ts'
import { ResourceQuota } from '../kinds/core/resource-quota.ts'
import type { AnyDecider } from '../kinds/decide.ts'
import { type Loop, runLoop } from '../loop/run-loop.ts'
import type { Store } from '../store/store.ts'
import type { Problems } from './checkers.ts'
import { type SimClockState, SimProcess } from './process.ts'
import { CONTROLLER, startApi } from './real-api.ts'
import type { StoreDisk } from './store-disk.ts'
import { hostOf } from './test-host.ts'
import type { World } from './world.ts'

export interface ServerOptions {
  readonly world: World
  readonly disk: StoreDisk
  readonly clock: SimClockState
  readonly problems: Problems
  readonly deciders: () => readonly AnyDecider[]
}

interface Life {
  readonly process: SimProcess
  readonly store: Store
  api: Api | undefined
  loop: Loop | undefined
  informers: Informers | undefined
}

export class SimServer {
  readonly #options: ServerOptions
  #life: Life | undefined
  #starts = 0

  constructor(options: ServerOptions) {
    this.#options = options
  }

  get ready(): boolean {
    return this.#life?.api !== undefined
  }

  get alive(): boolean {
    return this.#life !== undefined
  }

  get store(): Store | undefined {
    return this.#life?.store
  }

  /** The controllers' caches. */
  get informers(): Informers | undefined {
    return this.#life?.informers
  }

  idle(): boolean {
    return this.#life?.loop?.idle() ?? false
  }

  /** What clients reach: whatever server lives at that moment. */
  readonly port: ApiPort = {
    call: (call) => this.#call(call),
    watch: (call) => this.#watch(call),
  }

  start(): void {
    const { world, disk, clock } = this.#options
    this.#starts += 1
    const process = new SimProcess(world, `server#${this.#starts}`, clock)
    const life: Life = {
      process,
      store: disk.open(process),
      api: undefined,
      loop: undefined,
      informers: undefined,
    }
    this.#life = life
    world.note(process.name, `starts at revision ${life.store.revision()}`)
    void startApi(process, life.store).then((api) => {
      if (!process.alive) return
      life.api = api
      this.#startControllers(life, api)
    })
  }

  kill(): void {
    this.#life?.process.kill()
    this.#life = undefined
  }

  #startControllers(life: Life, api: Api): void {
    const { process } = life
    const { problems, deciders } = this.#options
    const port: ApiPort = {
      call: (call) => process.answer(this.#checked(api, call)),
      watch: (call) => api.watch(call),
    }
    const client = createInProcessClient({ api: port, user: CONTROLLER, fieldManager: 'croft-control' })
    const host = hostOf(process)
    const end = new AbortController()
    const informers = createInformers(client, host, { signal: end.signal })
    life.informers = informers
    life.loop = runLoop({
      client,
      host,
      informers,
      deciders: deciders(),
      signal: end.signal,
      eventKind: Event,
      retryOn: [{ kind: ResourceQuota, matches: (error) => error.message.includes('exceeded quota') }],
      onHotLoop: (hot) => problems.add(`hot loop: ${hot.decider} ${hot.key}: ${hot.why}`),
      onBug: (decider, key, error) =>
        problems.add(
          `decider ${decider} threw on ${key}: ${error instanceof Error ? error.stack : String(error)}`,
        ),
    })
  }

  /** An answer that tells of a revision must come after that revision is on the disk. */
  async #checked(api: Api, call: ApiCall) {
    const answer = await api.call(call)
    if (call.verb === 'list' || call.verb === 'get' || call.options.dryRun) return answer
    const { metadata } = answer.object as KubeObject
    const version = Number(metadata?.resourceVersion ?? 0)
    this.#options.problems.acknowledged(call, answer.object as KubeObject, version)
    return answer
  }

  #call(call: ApiCall) {
    const life = this.#life
    if (life?.api === undefined) return Promise.reject(refuse.unavailable('connection refused'))
    const { api, process } = life
    return new Promise<Awaited<ReturnType<ApiPort['call']>>>((resolve, reject) => {
      const forget = process.onDeath(() => reject(refuse.unavailable('connection reset')))
      process.answer(this.#checked(api, call)).then(resolve, reject).finally(forget)
    })
  }

  async *#watch(call: ApiCall): AsyncGenerator<WatchEvent> {
    const life = this.#life
    if (life?.api === undefined) throw refuse.unavailable('connection refused')
    const { api, process } = life
    const limit = new AbortController()
    const stop = (): void => limit.abort()
    const forget = process.onDeath(stop)
    call.signal?.addEventListener('abort', stop, { once: true })
    for await (const event of api.watch({ ...call, signal: limit.signal })) {
      if (limit.signal.aborted) break
      yield event
    }
    forget()
    if (!call.signal?.aborted) throw refuse.unavailable('connection reset')
  }
}
