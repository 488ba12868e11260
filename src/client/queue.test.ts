import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimProcess } from '../sim/process.ts'
import { World } from '../sim/world.ts'
import { backoffMs } from './backoff.ts'
import { createQueue } from './queue.ts'

function bench() {
  const world = new World(1)
  const { clock, random } = new SimProcess(world, 'test')
  let wakes = 0
  const queue = createQueue(clock, () => {
    wakes += 1
  })
  return { world, queue, random, wakes: () => wakes }
}

test('a key waits once, leaves in order, and comes back when it was added while in work', () => {
  const { queue, wakes } = bench()
  for (const key of ['a', 'b', 'a']) queue.add(key)
  assert.equal(wakes(), 2)
  assert.equal(queue.take(), 'a')
  queue.add('a')
  assert.equal(queue.take(), 'b')
  assert.equal(queue.take(), undefined, 'a is in work')
  queue.done('a')
  assert.equal(queue.take(), 'a')
  queue.done('a')
  queue.done('b')
  assert.equal(queue.ready + queue.inWork, 0)
})

test('delayed keys come in the order of their time; a new delay replaces the old one', async () => {
  const { world, queue } = bench()
  queue.addLater('late', 300)
  queue.addLater('early', 100)
  queue.addLater('moved', 50)
  queue.addLater('moved', 200)
  queue.addLater('never', 120)
  queue.cancel('never')
  const came: [number, string][] = []
  for (const ms of [60, 100, 150, 200, 300]) {
    await world.run(ms)
    for (let key = queue.take(); key !== undefined; key = queue.take()) came.push([ms, key])
  }
  assert.deepEqual(came, [
    [100, 'early'],
    [200, 'moved'],
    [300, 'late'],
  ])
})

test('a delay that is shortened is kept', async () => {
  const { world, queue } = bench()
  queue.addLater('a', 1000)
  queue.addLater('a', 10)
  await world.run(10)
  assert.equal(queue.take(), 'a')
})

test('backoff grows, stays below its limit, and never becomes zero or NaN', () => {
  const { random } = bench()
  const shape = { firstMs: 100, factor: 2, maxMs: 30_000, jitter: 0.5 }
  let least = 0
  for (const attempt of [0, 1, 5, 8, 100, 5000]) {
    const ms = backoffMs(shape, attempt, random)
    assert.ok(ms >= Math.min(shape.maxMs, 100 * 2 ** Math.min(attempt, 60)) / 2 && ms <= shape.maxMs)
    assert.ok(ms >= least / 2)
    least = ms
  }
})
