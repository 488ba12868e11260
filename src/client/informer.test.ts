import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, refuse } from '../base/errors.ts'
import type { KubeObject } from '../base/object.ts'
import { FakeApi } from '../sim/fake-api.ts'
import { SimProcess } from '../sim/process.ts'
import { hostOf } from '../sim/test-host.ts'
import { Part, part, Rack, rack } from '../sim/test-kinds.ts'
import { World } from '../sim/world.ts'
import type { Client } from './client.ts'
import { createInProcessClient } from './in-process.ts'
import { createInformers, type Informers } from './informer.ts'

interface Bench {
  readonly world: World
  readonly api: FakeApi
  readonly client: Client
  readonly informers: Informers
  readonly told: string[]
  readonly end: AbortController
}

function bench(): Bench {
  const world = new World(1)
  const process = new SimProcess(world, 'test')
  const api = new FakeApi()
  const client = createInProcessClient({ api, user: { username: 'test', groups: [] }, fieldManager: 'test' })
  const end = new AbortController()
  const informers = createInformers(client, hostOf(process), { signal: end.signal })
  informers.start(Rack)
  informers.start(Part)
  const told: string[] = []
  for (const kind of [Rack, Part]) {
    informers.subscribe(kind, (change) => told.push(`${change.type} ${change.object.metadata.name}`))
  }
  return { world, api, client, informers, told, end }
}

const names = (objects: readonly KubeObject[]) => objects.map((object) => object.metadata.name)

test('lists what is there, follows what comes, and shares the objects of the API', async () => {
  const { world, api, client, informers, told } = bench()
  const first = await client.create(Rack, rack('a', 1))
  await world.run(10)
  assert.ok(informers.isSynced(Rack))
  await client.create(Rack, rack('b', 2))
  await client.patch(Rack, 'a', { spec: { parts: 5 } }, { namespace: 'default' })
  await client.delete(Rack, 'b', { namespace: 'default' })
  await world.run(20)
  assert.deepEqual(told, ['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b'])
  assert.deepEqual(names(informers.look.list(Rack)), ['a'])
  assert.equal(informers.look.get(Rack, 'default', 'a'), api.all('racks.test.croft.io')[0])
  assert.notEqual(informers.look.get(Rack, 'default', 'a'), first)
})

test('indexes follow changes of owners and of declared values', async () => {
  const { world, client, informers } = bench()
  informers.addIndex({
    kind: Part,
    name: 'number',
    values: (object) => [String((object as Part).spec?.number)],
  })
  const owner = await client.create(Rack, rack('a', 1))
  await client.create(Part, part('p', 1, owner))
  await client.create(Part, part('q', 1))
  await world.run(10)
  assert.deepEqual(names(informers.look.ownedBy(Part, owner.metadata.uid ?? '')), ['p'])
  assert.deepEqual(names(informers.look.byIndex(Part, 'number', '1')), ['p', 'q'])
  await client.patch(
    Part,
    'p',
    { metadata: { ownerReferences: null }, spec: { number: 2 } },
    { namespace: 'default' },
  )
  await world.run(20)
  assert.deepEqual(names(informers.look.ownedBy(Part, owner.metadata.uid ?? '')), [])
  assert.deepEqual(names(informers.look.byIndex(Part, 'number', '1')), ['q'])
  assert.deepEqual(names(informers.look.byIndex(Part, 'number', '2')), ['p'])
  assert.throws(() => informers.look.byIndex(Part, 'nothing', '2'), /no index nothing/)
})

test('a lost watch goes on from its version, without a new list', async () => {
  const { world, api, client, informers, told } = bench()
  await world.run(10)
  api.cutWatches()
  await client.create(Rack, rack('meanwhile', 1))
  await world.run(5_000)
  assert.deepEqual(told, ['ADDED meanwhile'])
  assert.equal(api.calls.filter((call) => call.verb === 'list').length, 2)
  assert.ok(informers.isSynced(Rack))
})

test('after 410 it lists anew and tells what was deleted in between', async () => {
  const { world, api, client, told } = bench()
  await client.create(Rack, rack('gone', 1))
  await client.create(Rack, rack('stays', 1))
  await world.run(10)
  told.length = 0
  api.refusal = (call) => (call.verb === 'watch' ? refuse.unavailable('away') : undefined)
  api.cutWatches()
  await world.run(2_000)
  await client.delete(Rack, 'gone', { namespace: 'default' })
  await client.create(Rack, rack('new', 1))
  api.compact()
  api.refusal = undefined
  await world.run(60_000)
  assert.deepEqual(told, ['DELETED gone', 'ADDED new'])
})

test('an API that is away is asked less and less often, and found again', async () => {
  const { world, api, told, client } = bench()
  api.refusal = (call) =>
    call.verb === 'create' ? undefined : new ApiError(503, 'ServiceUnavailable', 'away')
  await client.create(Rack, rack('a', 1))
  await world.run(10 * 60_000)
  const asked = api.calls.length
  assert.ok(asked > 20 && asked < 120, `asked ${asked} times in ten minutes by two informers`)
  api.refusal = undefined
  await world.run(11 * 60_000)
  assert.deepEqual(told, ['ADDED a'])
})

test('the answer to a write is in the cache at once, and the late watch event is no news', async () => {
  const { world, api, client, informers, told } = bench()
  await world.run(10)
  const made = await client.create(Rack, rack('a', 1))
  informers.absorb(Rack, made)
  assert.equal(informers.look.get(Rack, 'default', 'a'), made)
  await world.run(20)
  assert.deepEqual(told, ['ADDED a'])
  await client.delete(Rack, 'a', { namespace: 'default' })
  await world.run(30)
  informers.absorb(Rack, made)
  assert.equal(informers.look.get(Rack, 'default', 'a'), undefined, 'an old answer does not bring it back')
  assert.equal(api.all('racks.test.croft.io').length, 0)
})

test('the age of an object counts from its arrival by the monotonic clock', async () => {
  const { world, client, informers } = bench()
  await world.run(10)
  await client.create(Rack, rack('a', 1))
  await world.run(5_000)
  assert.equal(informers.look.ageMs(Rack, 'default', 'a'), 4_990)
  await client.patch(Rack, 'a', { spec: { parts: 2 } }, { namespace: 'default' })
  await world.run(6_000)
  assert.equal(informers.look.ageMs(Rack, 'default', 'a'), 1_000)
})

test('asking for a kind that nobody watches is told as the mistake it is', () => {
  const { informers } = bench()
  const stranger = { ...Rack, plural: 'strangers' }
  assert.throws(() => informers.look.get(stranger, 'default', 'a'), /nobody watches strangers.test.croft.io/)
})
