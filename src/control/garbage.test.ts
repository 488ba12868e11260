import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../client/client.ts'
import { createInProcessClient } from '../client/in-process.ts'
import { createInformers } from '../client/informer.ts'
import { decider } from '../kinds/decide.ts'
import { runLoop } from '../loop/run-loop.ts'
import { FakeApi } from '../sim/fake-api.ts'
import { SimProcess } from '../sim/process.ts'
import { hostOf } from '../sim/test-host.ts'
import { Part, part, Rack, rack } from '../sim/test-kinds.ts'
import { World } from '../sim/world.ts'
import { garbageDeciders } from './garbage.ts'

async function bench() {
  const world = new World(1)
  const process = new SimProcess(world, 'test')
  const api = new FakeApi()
  const client: Client = createInProcessClient({
    api,
    user: { username: 'test', groups: [] },
    fieldManager: 'test',
  })
  const end = new AbortController()
  const host = hostOf(process)
  const problems: string[] = []
  runLoop({
    client,
    host,
    informers: createInformers(client, host, { signal: end.signal }),
    deciders: garbageDeciders([Rack, Part]).map(decider),
    signal: end.signal,
    onHotLoop: (hot) => problems.push(hot.why),
    onBug: (_decider, _key, error) => problems.push(String(error)),
  })
  const owner = await client.create(Rack, rack('a', 1))
  await client.create(Part, part('p', 1, owner))
  await client.create(Part, part('free', 1))
  await world.run(100)
  const left = () =>
    [...api.all('racks.test.croft.io'), ...api.all('parts.test.croft.io')].map((one) => one.metadata.name)
  const drop = (propagation: 'Background' | 'Foreground' | 'Orphan') =>
    client.delete(Rack, 'a', { namespace: 'default', propagation })
  return { world, api, client, owner, left, drop, problems }
}

test('in the background the owner goes first, its dependents follow', async () => {
  const { world, left, drop, problems } = await bench()
  await drop('Background')
  await world.run(world.nowMs + 100)
  assert.deepEqual(left(), ['free'])
  assert.deepEqual(problems, [])
})

test('in the foreground the owner waits for dependents that block it', async () => {
  const { world, client, left, drop } = await bench()
  await client.patch(Part, 'p', { metadata: { finalizers: ['x/hold'] } }, { namespace: 'default' })
  await world.run(world.nowMs + 100)
  await drop('Foreground')
  await world.run(world.nowMs + 1_000)
  assert.deepEqual(left(), ['a', 'p', 'free'])
  await client.patch(Part, 'p', { metadata: { finalizers: null } }, { namespace: 'default' })
  await world.run(world.nowMs + 1_000)
  assert.deepEqual(left(), ['free'])
})

test('orphaned dependents stay and lose their reference', async () => {
  const { world, api, left, drop } = await bench()
  await drop('Orphan')
  await world.run(world.nowMs + 1_000)
  assert.deepEqual(left(), ['p', 'free'])
  assert.equal(api.all('parts.test.croft.io')[0]?.metadata.ownerReferences, undefined)
})

test('a dependent with a second owner that stays only loses the reference', async () => {
  const { world, api, client, owner, left, drop } = await bench()
  const second = await client.create(Rack, rack('b', 1))
  const ownerReferences = [owner, second].map((one) => ({
    apiVersion: one.apiVersion,
    kind: one.kind,
    name: one.metadata.name ?? '',
    uid: one.metadata.uid ?? '',
  }))
  await client.patch(Part, 'p', { metadata: { ownerReferences } }, { namespace: 'default' })
  await drop('Background')
  await world.run(world.nowMs + 1_000)
  assert.deepEqual(left(), ['b', 'p', 'free'])
  assert.deepEqual(
    api.all('parts.test.croft.io')[0]?.metadata.ownerReferences?.map((one) => one.name),
    ['b'],
  )
})

test('an owner of the same name but another uid is no owner', async () => {
  const { world, client, left, drop } = await bench()
  await drop('Background')
  await client.create(Rack, rack('a', 1))
  await world.run(world.nowMs + 1_000)
  assert.deepEqual(left(), ['a', 'free'])
})

test('an owner of a kind that nobody knows keeps its dependent', async () => {
  const { world, client, left } = await bench()
  const stranger = { apiVersion: 'other.io/v1', kind: 'Strange', name: 's', uid: 's' }
  await client.create(Part, {
    ...part('kept', 1),
    metadata: { ...part('kept', 1).metadata, ownerReferences: [stranger] },
  })
  await world.run(world.nowMs + 1_000)
  assert.ok(left().includes('kept'))
})
