import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkConfigMapKey,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkPathSegment,
  checkPortName,
  checkQualifiedName,
  utf8Length,
} from './names.ts'

test('labels and subdomains', () => {
  assert.deepEqual(checkDns1123Label('web-1'), [])
  assert.deepEqual(checkDns1123Label('a.b'), ['must not contain dots'])
  assert.equal(checkDns1123Label('Web').length, 1)
  assert.ok(
    checkDns1123Label('-')[0]?.endsWith("regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"),
  )
  assert.equal(checkDns1123Label('a'.repeat(63)).length, 0)
  assert.deepEqual(checkDns1123Label('a'.repeat(64)), ['must be no more than 63 characters'])
  assert.deepEqual(checkDns1123Subdomain('a.b-c.d'), [])
  assert.equal(checkDns1123Subdomain('a..b').length, 1)
  assert.equal(checkDns1123Subdomain('a\n').length, 1)
  assert.equal(checkDns1035Label('1a').length, 1)
})

test('label keys and values', () => {
  assert.deepEqual(checkQualifiedName('harvesterhci.io/imageId'), [])
  assert.equal(checkQualifiedName('a/b/c').length, 1)
  assert.deepEqual(checkQualifiedName('/x'), ['prefix part must be non-empty'])
  assert.deepEqual(checkQualifiedName('x'.repeat(64)), ['name part must be no more than 63 bytes'])
  assert.deepEqual(checkLabelValue(''), [])
  assert.deepEqual(checkLabelValue('v'.repeat(64)), ['must be no more than 63 bytes'])
  assert.equal(checkLabelValue('-a').length, 1)
})

test('path segments, config keys and port names', () => {
  assert.deepEqual(checkPathSegment('system:node'), [])
  assert.deepEqual(checkPathSegment('..'), ["may not be '..'"])
  assert.deepEqual(checkPathSegment('a/b%'), ["may not contain '/'", "may not contain '%'"])
  assert.deepEqual(checkConfigMapKey('..a'), ["must not start with '..'"])
  assert.deepEqual(checkPortName('http'), [])
  assert.deepEqual(checkPortName('80'), ['must contain at least one letter (a-z)'])
})

test('length is counted in UTF-8', () => {
  for (const text of ['a', 'é', '漢', '😀', 'a漢😀']) assert.equal(utf8Length(text), Buffer.byteLength(text))
})
