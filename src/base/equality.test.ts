import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deepEqual } from './equality.ts'
import { deepFreeze } from './freeze.ts'

test('undefined keys count as absent, order of keys does not count', () => {
  assert.ok(deepEqual({ a: 1, b: undefined }, { a: 1 }))
  assert.ok(deepEqual({ a: 1 }, { b: undefined, a: 1 }))
  assert.ok(deepEqual({ a: 1, b: [1, { c: 2n }] }, { b: [1, { c: 2n }], a: 1 }))
  assert.ok(deepEqual(undefined, undefined))
})

test('differences are seen', () => {
  const pairs: [unknown, unknown][] = [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { b: 1 }],
    [{ a: undefined }, { a: null }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[], {}],
    [{}, null],
    [{ toString: 1 }, {}],
    [{}, { toString: 1 }],
    ['1', 1],
    [0, false],
  ]
  for (const [a, b] of pairs) {
    assert.equal(deepEqual(a, b), false)
    assert.equal(deepEqual(b, a), false)
  }
})

test('freezing reaches the leaves', () => {
  const value = deepFreeze({ a: [{ b: 1 }], c: null })
  assert.throws(() => {
    ;(value.a[0] as { b: number }).b = 2
  }, TypeError)
})
