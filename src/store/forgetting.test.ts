// History is kept by time and by length.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Clock, Log } from '../host/host.ts'
import { forgettable, forgetWithAge } from './forgetting.ts'
import { memoryStore } from './memory.ts'

const MINUTE = 60_000

test('young history stays, and so do the last 10,000 events', () => {
  assert.equal(forgettable([{ at: 0, revision: 50_000 }], 0), 0)
  const marks = [
    { at: 0, revision: 5_000 },
    { at: 1 * MINUTE, revision: 20_000 },
    { at: 6 * MINUTE, revision: 25_000 },
  ]
  assert.equal(forgettable(marks, 5 * MINUTE), 5_000)
  assert.equal(forgettable(marks, 6 * MINUTE), 15_000)
})

test('a burst is not kept whole however young it is', () => {
  assert.equal(
    forgettable(
      [
        { at: 0, revision: 0 },
        { at: 1, revision: 250_000 },
      ],
      2,
    ),
    150_000,
  )
})

test('it follows the clock and ends with the store', async () => {
  const store = memoryStore()
  let now = 0
  const clock = {
    monotonic: () => now,
    sleep: async () => {
      now += 6 * MINUTE
      if (now > 60 * MINUTE) await store.close()
      else for (let index = 0; index < 4000; index += 1) await write(index)
    },
  } as unknown as Clock
  const write = (index: number) =>
    store.write({
      type: 'put',
      key: `/k/${index}`,
      value: new Uint8Array(1),
      expected: store.get(`/k/${index}`)?.revision ?? 0,
    })
  const quiet = { warn: () => undefined } as unknown as Log
  await forgetWithAge(store, clock, quiet, new AbortController().signal)
  assert.ok(store.revision() >= 30_000)
  assert.equal(store.compacted(), store.revision() - 10_000)
})
