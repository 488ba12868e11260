// API server, caches and loop in one simulated process: a control plane for tests that must see real rules.
import type { Api } from '../api/create-api.ts'
import { assert } from '../base/assert.ts'
import type { KubeObject } from '../base/object.ts'
import type { Client } from '../client/client.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { createInformers, type Informers } from '../client/informer.ts'
import { Event } from '../kinds/core/event.ts'
import type { AnyDecider } from '../kinds/decide.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'
import { type Loop, runLoop } from '../loop/run-loop.ts'
import { memoryStore } from '../store/memory.ts'
import { SimProcess } from './process.ts'
import { adminClient, CONTROLLER, startApi } from './real-api.ts'
import { hostOf } from './test-host.ts'
import { World } from './world.ts'

export interface Stack {
  readonly world: World
  readonly api: Api
  readonly client: Client
  readonly informers: Informers
  readonly loop: Loop
  /** Hot loops and bugs; a test ends with none. */
  readonly problems: string[]
  /** Waits in simulated time for the answer. */
  ask<T>(promise: Promise<T>): Promise<T>
  /** Lets `ms` pass. */
  pass(ms: number): Promise<void>
  read<K extends Kind>(kind: K, name: string, namespace?: string): KindOf<K> | undefined
  events(name: string): readonly string[]
}

export async function startStack(deciders: readonly AnyDecider[], seed = 1): Promise<Stack> {
  const world = new World(seed)
  const process = new SimProcess(world, 'server')
  const api = await settle(world, startApi(process, memoryStore()))
  const client = adminClient(api, 'test')
  const host = hostOf(process)
  const end = new AbortController()
  const informers = createInformers(client, host, { signal: end.signal })
  const problems: string[] = []
  const loop = runLoop({
    client: createInProcessClient({ api, user: CONTROLLER, fieldManager: 'croft-control' }),
    host,
    informers,
    deciders,
    signal: end.signal,
    eventKind: Event,
    onHotLoop: (hot) => problems.push(`hot loop: ${hot.decider} ${hot.key}: ${hot.why}`),
    onBug: (decider, key, error) => problems.push(`bug: ${decider} ${key}: ${String(error)}`),
  })
  const watched = new Set<Kind>()
  const watch = (kind: Kind): void => {
    if (watched.has(kind)) return
    watched.add(kind)
    informers.start(kind)
  }
  watch(Event)
  await world.run(world.nowMs + 100)
  return {
    world,
    api,
    client,
    informers,
    loop,
    problems,
    ask: (promise) => settle(world, promise),
    pass: (ms) => world.run(world.nowMs + ms),
    read(kind, name, namespace) {
      watch(kind)
      return informers.look.get(kind, namespace, name)
    },
    events: (name) =>
      informers.look
        .list(Event)
        .filter((event) => event.involvedObject?.name === name)
        .map((event) => `${event.type} ${event.reason}: ${event.message}`),
  }
}

/** Runs the world until the promise has an answer. */
export async function settle<T>(world: World, promise: Promise<T>): Promise<T> {
  let answered = false
  const noted = promise.finally(() => {
    answered = true
  })
  noted.catch(() => undefined)
  for (let second = 0; second < 60 && !answered; second += 1) {
    await world.run(world.nowMs + 1_000, () => answered)
  }
  assert(answered, 'an answer within a minute of simulated time')
  return noted
}

/** Short form of objects for tests. */
export function object<K extends Kind>(_kind: K, value: unknown): KindOf<K> {
  return value as KubeObject as KindOf<K>
}
