import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartGate } from './start-gate.ts'

test('so many at one time, machines before daemons, in the order in which they came', async () => {
  const gate = new StartGate(2)
  const order: string[] = []
  const ends: (() => void)[] = []
  const start = (step: 'machine' | 'daemon', name: string): Promise<void> =>
    gate.run(step, () => {
      order.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const all = [
    start('daemon', 'd1'),
    start('daemon', 'd2'),
    start('daemon', 'd3'),
    start('machine', 'm1'),
    start('machine', 'm2'),
  ]
  assert.deepEqual(order, ['d1', 'd2'])
  for (let ended = 0; ended < all.length; ended += 1) {
    ends[ended]!()
    await all[['d1', 'd2', 'd3', 'm1', 'm2'].indexOf(order[ended]!)]
    await Promise.resolve()
  }
  assert.deepEqual(order, ['d1', 'd2', 'm1', 'm2', 'd3'])
})

test('a start that fails makes room for the next', async () => {
  const gate = new StartGate(1)
  const failed = gate.run('machine', () => Promise.reject(new Error('no')))
  const next = gate.run('machine', () => Promise.resolve('yes'))
  await assert.rejects(failed)
  assert.equal(await next, 'yes')
})
