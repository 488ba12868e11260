import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './errors.ts'
import {
  demandedValue,
  fieldText,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
  refuseUnsupportedFields,
} from './field-selector.ts'

const pod = { metadata: { name: 'web' }, spec: { hostNetwork: true }, status: {} }

test('fields are compared as text, absent ones as empty', () => {
  const matches = (text: string) => matchesFields(parseFieldSelector(text), (field) => fieldText(pod, field))
  assert.ok(matches('') && matches('metadata.name=web') && matches('metadata.name==web'))
  assert.ok(matches('spec.hostNetwork=true') && matches('status.phase='))
  assert.ok(!matches('metadata.name!=web') && matches('status.phase!=Running'))
  assert.ok(matches('toString=') && matches('metadata='))
})

test('escapes survive a round trip', () => {
  const selector = parseFieldSelector('a=x\\=y\\,z\\\\')
  assert.equal(selector.requirements[0]?.value, 'x=y,z\\')
  assert.equal(formatFieldSelector(selector), 'a=x\\=y\\,z\\\\')
})

test('what is no selector, and fields a kind does not offer, are refused with 400', () => {
  const refused = (message: string) => (error: unknown) =>
    error instanceof ApiError && error.code === 400 && error.message === message
  assert.throws(() => parseFieldSelector('a'), refused("invalid selector: 'a'; can't understand 'a'"))
  assert.throws(
    () => parseFieldSelector('a=b=c'),
    refused('invalid field selector: unescaped character in value: 61'),
  )
  assert.throws(
    () => parseFieldSelector('a=b\\x'),
    refused('invalid field selector: invalid escape sequence: \\x'),
  )
  assert.throws(
    () => refuseUnsupportedFields(parseFieldSelector('spec.x=1'), (field) => field === 'metadata.name'),
    refused('field label not supported: spec.x'),
  )
})

test('a demanded name is found', () => {
  assert.equal(demandedValue(parseFieldSelector('metadata.name=web,a!=b'), 'metadata.name'), 'web')
  assert.equal(demandedValue(parseFieldSelector('metadata.name!=web'), 'metadata.name'), undefined)
})
