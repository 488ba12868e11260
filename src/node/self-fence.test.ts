import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fenceVerdict } from './self-fence.ts'

test('silence, and who shares it', () => {
  const of = (silentMs: number, nodes: number, lostToo: number) =>
    fenceVerdict({ silentMs, leaseMs: 10_000, nodes, lostToo })
  assert.equal(of(9_999, 3, 0), 'fine')
  // The server is away: both others say so, or one of them.
  assert.equal(of(10_000, 3, 2), 'together')
  assert.equal(of(10_000, 3, 1), 'together')
  // The others hear the server, or do not answer at all.
  assert.equal(of(10_000, 3, 0), 'alone')
  // Half is no majority: the other half may have the server.
  assert.equal(of(10_000, 2, 0), 'alone')
  assert.equal(of(10_000, 4, 1), 'alone')
  assert.equal(of(10_000, 1, 0), 'together')
})
