import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyEnd } from './expiry.ts'

test('history stays for five minutes and ten thousand events, whichever is more', () => {
  const marks = [
    { at: 0, revision: 100 },
    { at: 30_000, revision: 200 },
  ]
  assert.equal(historyEnd(marks, 60_000, 50_000), 0)
  assert.equal(historyEnd(marks, 301_000, 5_000), 0)
  assert.equal(historyEnd(marks, 301_000, 20_000), 100)
  assert.deepEqual(marks, [{ at: 30_000, revision: 200 }])
  assert.equal(historyEnd(marks, 400_000, 20_000), 200)
})
