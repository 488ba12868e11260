import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { boundedName, derivedName, hashedName, shortHash } from './derived-name.ts'
import { sha256Hex } from './sha256.ts'

test('sha256 agrees with the platform at every padding border', () => {
  for (const text of ['', 'abc', 'é漢😀', 'x'.repeat(55), 'x'.repeat(56), 'x'.repeat(64), 'y'.repeat(1000)])
    assert.equal(sha256Hex(text), createHash('sha256').update(text).digest('hex'))
})

test('a hash is short, stable and spelt without vowels', () => {
  // The value is pinned: names in the store depend on it.
  assert.equal(shortHash('abc', 8), 'c8hlwwfk')
  assert.match(shortHash('anything', 32), /^[bcdfghjklmnpqrstvwxz2456789]{32}$/)
  assert.equal(shortHash('abc', 8).slice(0, 5), shortHash('abc', 5))
})

test('names fit their bound and differ when their sources differ', () => {
  assert.equal(boundedName('short', 63), 'short')
  const long = boundedName('a'.repeat(80), 63)
  assert.equal(long.length, 63)
  assert.notEqual(long, boundedName('a'.repeat(81), 63))
  assert.equal(derivedName('vol', 'e-0', 63), 'vol-e-0')
  const derived = derivedName('v'.repeat(70), 'e-0', 63)
  assert.ok(derived.length <= 63 && derived.endsWith('-e-0'))
  assert.match(hashedName('virt-launcher-web', 'uid-1'), /^virt-launcher-web-[a-z0-9]{5}$/)
  assert.notEqual(hashedName('web', 'uid-1'), hashedName('web', 'uid-2'))
  // The cut falls on a hyphen or a dot: none may stand before the hash.
  assert.match(boundedName(`${'a'.repeat(53)}.-${'b'.repeat(20)}`, 63), /^a{53}-[a-z0-9]{8}$/)
})
