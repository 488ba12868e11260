import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, refuse } from '../base/errors.ts'
import type { KubeObject } from '../base/object.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { createInformers } from '../client/informer.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { FakeApi } from '../sim/fake-api.ts'
import { SimProcess } from '../sim/process.ts'
import { hostOf } from '../sim/test-host.ts'
import { Part, part, Rack, rack, TestEvent } from '../sim/test-kinds.ts'
import { World } from '../sim/world.ts'
import { inSteps, type Write } from './plan.ts'
import { decider, type LoopOptions, runLoop } from './run-loop.ts'

interface SeenRack {
  readonly rack: Rack
  readonly parts: readonly Part[]
}

/** Makes as many parts as the rack wants, and counts them in its status. */
const rackDecider: Decider<typeof Rack, SeenRack> = {
  name: 'rack',
  kind: Rack,
  watches: [
    {
      kind: Part,
      keys: (object) => (object.metadata.ownerReferences ?? []).map((owner) => `default/${owner.name}`),
    },
  ],
  gather: (object, look) => ({ rack: object, parts: look.ownedBy(Part, object.metadata.uid ?? '') }),
  decide: ({ rack: object, parts }): Decision => {
    const wanted = object.spec?.parts ?? 0
    const actions: Action[] = []
    for (let number = 0; number < wanted; number += 1) {
      const name = `${object.metadata.name}-${number}`
      if (!parts.some((one) => one.metadata.name === name)) {
        actions.push({ do: 'create', kind: Part, object: part(name, number, object) })
      }
    }
    for (const one of parts) {
      const { name = '', namespace = '' } = one.metadata
      if ((one.spec?.number ?? 0) >= wanted) {
        actions.push({ do: 'delete', target: { kind: Part, namespace, name } })
      }
    }
    return { actions, status: { ready: parts.length } }
  },
}

function bench(deciders: LoopOptions['deciders'], more: Partial<LoopOptions> = {}) {
  const world = new World(1)
  const process = new SimProcess(world, 'test')
  const api = new FakeApi()
  const client = createInProcessClient({ api, user: { username: 'test', groups: [] }, fieldManager: 'test' })
  const end = new AbortController()
  const host = hostOf(process)
  const informers = createInformers(client, host, { signal: end.signal })
  const problems: string[] = []
  const loop = runLoop({
    client,
    host,
    informers,
    deciders,
    signal: end.signal,
    eventKind: TestEvent,
    onHotLoop: (hot) => problems.push(`hot: ${hot.why}`),
    onBug: (_name, _key, error) => problems.push(`bug: ${String(error)}`),
    ...more,
  })
  const writes = () => api.calls.filter((call) => !['get', 'list', 'watch'].includes(call.verb))
  return { world, api, client, loop, end, problems, writes, process }
}

const names = (objects: readonly KubeObject[]) => objects.map((object) => object.metadata.name)
const rackOf = (api: FakeApi) => api.all('racks.test.croft.io')[0] as Rack | undefined

test('event to decision to write takes no time at all, and each child is made once', async () => {
  const { world, api, client, writes, problems, loop } = bench([decider(rackDecider)])
  await world.run(10)
  await client.create(Rack, rack('a', 3))
  await world.run(10)
  assert.deepEqual(names(api.all('parts.test.croft.io')), ['a-0', 'a-1', 'a-2'])
  assert.equal(rackOf(api)?.status?.ready, 3)
  assert.equal(writes().filter((call) => call.resource === 'parts').length, 3)
  assert.ok(loop.idle())
  assert.deepEqual(problems, [])
})

test('what a user takes away comes back, what is too much goes', async () => {
  const { world, api, client, problems } = bench([decider(rackDecider)])
  await client.create(Rack, rack('a', 2))
  await world.run(10)
  await client.delete(Part, 'a-1', { namespace: 'default' })
  await world.run(20)
  assert.deepEqual(names(api.all('parts.test.croft.io')).sort(), ['a-0', 'a-1'])
  await client.patch(Rack, 'a', { spec: { parts: 0 } }, { namespace: 'default' })
  await world.run(30)
  assert.deepEqual(names(api.all('parts.test.croft.io')), [])
  assert.equal(rackOf(api)?.status?.ready, 0)
  assert.deepEqual(problems, [])
})

test('a deletion that is refused because of what is still in use is tried again', async () => {
  const { world, api, client } = bench([decider(rackDecider)])
  await client.create(Rack, rack('a', 1))
  await world.run(10)
  const send = api.call.bind(api)
  let refusals = 3
  api.call = (call) => {
    if (call.verb !== 'delete' || refusals === 0) return send(call)
    refusals -= 1
    throw refuse.conflict({ group: 'test.croft.io', resource: 'parts' }, 'a-0', 'part a-0 is in use')
  }
  await client.patch(Rack, 'a', { spec: { parts: 0 } }, { namespace: 'default' })
  await world.run(10 * 60_000)
  assert.equal(refusals, 0)
  assert.deepEqual(names(api.all('parts.test.croft.io')), [])
})

test('an object of that name that is not ours is a refusal: told once, tried ever more seldom', async () => {
  const { world, api, client, writes } = bench([decider(rackDecider)])
  await client.create(Part, part('a-0', 0, { ...rack('other', 1), metadata: { name: 'other', uid: 'u' } }))
  await client.create(Rack, rack('a', 1))
  await world.run(10 * 60_000)
  const tries = writes().filter((call) => call.verb === 'create' && call.resource === 'parts').length - 1
  assert.ok(tries >= 3 && tries < 10, `${tries} tries in ten minutes`)
  const events = api.all('events')
  assert.equal(events.length, 1)
  assert.match(String(events[0]?.['message']), /parts.test.croft.io "a-0" already exists/)
  await client.delete(Part, 'a-0', { namespace: 'default' })
  await world.run(11 * 60_000 + 300_000)
  assert.equal(rackOf(api)?.status?.ready, 1)
})

test('a refused decision waits, a changed one is tried at once', async () => {
  const { world, api, client, writes } = bench([decider(rackDecider)])
  api.refusal = (call) =>
    call.verb === 'create' && call.resource === 'parts'
      ? refuse.forbidden({ group: 'test.croft.io', resource: 'parts' }, 'a-0', 'no')
      : undefined
  await client.create(Rack, rack('a', 1))
  await world.run(60_000)
  api.refusal = undefined
  const before = writes().length
  await client.patch(Rack, 'a', { metadata: { labels: { touched: 'yes' } } }, { namespace: 'default' })
  await world.run(60_001)
  assert.equal(writes().length, before + 1, 'the same decision keeps waiting')
  await client.patch(Rack, 'a', { spec: { parts: 2 } }, { namespace: 'default' })
  await world.run(60_002)
  assert.equal(rackOf(api)?.status?.ready, 2)
})

test('a refusal for quota is tried again when the quota changes', async () => {
  const { world, api, client } = bench([decider(rackDecider)], {
    retryOn: [{ kind: Rack, matches: (error) => error.message.includes('exceeded quota') }],
  })
  api.refusal = (call) =>
    call.verb === 'create' && call.resource === 'parts'
      ? refuse.forbidden({ group: 'test.croft.io', resource: 'parts' }, 'a-0', 'exceeded quota: q')
      : undefined
  await client.create(Rack, rack('a', 1))
  await world.run(200_000)
  api.refusal = undefined
  await world.run(210_000)
  assert.equal(rackOf(api)?.status?.ready, 0)
  await client.create(Rack, rack('quota', 0))
  await world.run(212_000)
  assert.equal(api.all('parts.test.croft.io').length, 1)
})

test('an API that is away is asked again, and everything converges when it is back', async () => {
  const { world, api, client, problems } = bench([decider(rackDecider)])
  await world.run(10)
  await client.create(Rack, rack('a', 4))
  let calls = 0
  api.refusal = (call) =>
    call.verb === 'create'
      ? ++calls > 6
        ? undefined
        : new ApiError(503, 'ServiceUnavailable', 'away')
      : undefined
  await world.run(60_000)
  assert.equal(rackOf(api)?.status?.ready, 4)
  assert.deepEqual(problems, [])
})

test('a decider that runs in circles is slowed down and reported', async () => {
  let turn = 0
  const circling: Decider<typeof Rack, Rack> = {
    name: 'circling',
    kind: Rack,
    watches: [],
    gather: (object) => object,
    decide: () => ({ actions: [], status: { ready: (turn += 1) } }),
  }
  const { world, client, writes, problems } = bench([decider(circling)])
  await client.create(Rack, rack('a', 1))
  await world.run(60_000)
  assert.match(problems[0] ?? '', /hot: \d+ writes within a minute/)
  assert.ok(writes().length < 2000, `${writes().length} writes`)
})

test('the same effect three times in a row is a circle too', async () => {
  const deleting: Decider<typeof Rack, Rack> = {
    name: 'flapping',
    kind: Rack,
    watches: [],
    gather: (object) => object,
    decide: (object) => ({
      actions: [],
      status: { phase: object.status?.phase === 'On' ? 'Off' : 'On' },
    }),
  }
  const { world, client, problems } = bench([decider(deleting)])
  await client.create(Rack, rack('a', 1))
  await world.run(1000)
  assert.match(problems[0] ?? '', /writes within a minute/)
})

test('a decider that throws for one object goes on with the others', async () => {
  const fragile: Decider<typeof Rack, SeenRack> = {
    ...rackDecider,
    gather(object, look) {
      if (object.metadata.name === 'odd') throw new TypeError('odd')
      return rackDecider.gather(object, look)
    },
  }
  const { world, api, client, problems } = bench([decider(fragile)])
  await client.create(Rack, rack('odd', 1))
  await client.create(Rack, rack('sane', 1))
  await world.run(100)
  assert.deepEqual(names(api.all('parts.test.croft.io')), ['sane-0'])
  assert.deepEqual(problems, ['bug: TypeError: odd'])
})

test('wakeAt brings the key back, and a deleted object is not decided on', async () => {
  const times: number[] = []
  const waking: Decider<typeof Rack, Rack> = {
    name: 'waking',
    kind: Rack,
    watches: [],
    gather: (object) => object,
    decide: (_seen, now) => {
      times.push(now)
      return { actions: [], wakeAt: now + 1_000 }
    },
  }
  const { world, client } = bench([decider(waking)])
  await client.create(Rack, rack('a', 1))
  await world.run(3_500)
  assert.equal(times.length, 4)
  assert.equal(times[3]! - times[0]!, 3_000)
  await client.delete(Rack, 'a', { namespace: 'default' })
  await world.run(10_000)
  assert.equal(times.length, 4)
})

test('notes become one Event with a count', async () => {
  const noting: Decider<typeof Rack, Rack> = {
    name: 'noting',
    kind: Rack,
    watches: [],
    gather: (object) => object,
    decide: (object, now) => ({
      actions: [
        {
          do: 'note',
          about: { kind: Rack, namespace: 'default', name: object.metadata.name ?? '' },
          type: 'Warning',
          reason: 'TooHot',
          message: 'too hot',
        },
      ],
      wakeAt: now + 1_000,
    }),
  }
  const { world, api, client, writes } = bench([decider(noting)])
  await client.create(Rack, rack('a', 1))
  await world.run(5 * 60_000)
  const [event, ...others] = api.all('events')
  assert.equal(others.length, 0)
  assert.ok(Number(event?.['count']) > 200)
  assert.ok(writes().length < 8, 'at most one write a minute')
})

test('serial deciders decide with the effect of the decision before', async () => {
  /** Numbers the racks: each takes the number after the highest that it sees. */
  const numbering: Decider<typeof Rack, { readonly rack: Rack; readonly taken: readonly number[] }> = {
    name: 'numbering',
    kind: Rack,
    watches: [],
    serial: true,
    gather: (object, look) => ({
      rack: object,
      taken: look.list(Rack).map((one) => one.status?.ready ?? 0),
    }),
    decide: (seen) => ({
      actions: [],
      status: { ready: seen.rack.status?.ready ?? Math.max(...seen.taken) + 1 },
    }),
  }
  const { world, api, client } = bench([decider(numbering)])
  for (let index = 0; index < 30; index += 1) await client.create(Rack, rack(`r${index}`, 1))
  await world.run(1_000)
  const numbers = (api.all('racks.test.croft.io') as Rack[]).map((one) => one.status?.ready ?? 0)
  assert.equal(new Set(numbers).size, 30)
})

test('creates share a step, but not with what they stand on, nor without end', () => {
  const create = (name: string, afterOthers = false): Action => ({
    do: 'create',
    kind: Rack,
    object: rack(name, 0),
    ...(afterOthers ? { afterOthers } : {}),
  })
  const removal: Action = { do: 'delete', target: { kind: Rack, namespace: 'default', name: 'd' } }
  const sizes = (writes: readonly Action[]): readonly number[] =>
    inSteps(writes as readonly Write[]).map((step) => step.length)
  assert.deepEqual(sizes([create('a'), create('b'), create('c', true), create('d')]), [2, 2])
  assert.deepEqual(sizes([create('a'), removal, create('b')]), [1, 1, 1])
  assert.deepEqual(sizes(Array.from({ length: 40 }, (_, index) => create(`n${index}`))), [16, 16, 8])
})

test('settleMs waits until it is quiet', async () => {
  const times: number[] = []
  const settling: Decider<typeof Rack, Rack> = {
    name: 'settling',
    kind: Rack,
    watches: [],
    settleMs: 1_000,
    gather: (object) => object,
    decide: (_seen, now) => {
      times.push(now)
      return { actions: [] }
    },
  }
  const { world, client } = bench([decider(settling)])
  await client.create(Rack, rack('a', 0))
  for (let parts = 1; parts < 10; parts += 1) {
    await world.run(world.nowMs + 500)
    await client.patch(Rack, 'a', { spec: { parts } }, { namespace: 'default' })
  }
  assert.deepEqual(times, [])
  await world.run(world.nowMs + 2_000)
  assert.equal(times.length, 1)
})

test('the abort lets the write under way finish and begins no other', async () => {
  const { world, api, client, loop, end } = bench([decider(rackDecider)])
  await client.create(Rack, rack('a', 500))
  await world.run(0)
  end.abort()
  await world.run(10)
  await loop.done
  const made = api.all('parts.test.croft.io').length
  await world.run(60_000)
  assert.equal(api.all('parts.test.croft.io').length, made)
})
