import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './errors.ts'
import {
  everything,
  formatLabelSelector,
  labelSelectorOf,
  matchesLabels,
  nothing,
  parseLabelSelector,
} from './labels.ts'

function matches(text: string, labels: Record<string, string>): boolean {
  return matchesLabels(parseLabelSelector(text), labels)
}

test('the text form selects as Kubernetes does', () => {
  assert.ok(matches('', {}))
  assert.ok(matches('a=b', { a: 'b' }) && matches('a==b', { a: 'b' }) && !matches('a=b', {}))
  assert.ok(matches('a!=b', {}) && matches('a notin (b)', {}) && !matches('a!=b', { a: 'b' }))
  assert.ok(matches('a', { a: '' }) && !matches('!a', { a: '' }) && matches('!a', {}))
  assert.ok(matches('a in (x, y)', { a: 'y' }) && matches('a in (x,)', { a: '' }))
  assert.ok(matches('a>1', { a: '2' }) && !matches('a>1', { a: 'x' }) && !matches('a<1', {}))
  assert.ok(matches('in in (in),notin', { in: 'in', notin: '' }))
  assert.ok(!matches('toString', {}))
})

test('the canonical form is sorted and reads back as itself', () => {
  const text = formatLabelSelector(parseLabelSelector(' b = 1, a notin (z,y,z),!c , d>5, e in (,x)'))
  assert.equal(text, 'a notin (y,z),b=1,!c,d>5,e in (,x)')
  assert.equal(formatLabelSelector(parseLabelSelector(text)), text)
})

test('what is no selector is refused with 400', () => {
  const cases: Record<string, RegExp> = {
    'a in b': /^unable to parse requirement: found 'b' expected: '\('$/,
    'a=b,': /^found '', expected: identifier after ','$/,
    'a>x': /for 'Gt', 'Lt' operators, the value must be an integer$/,
    'x/y/z=a': /^unable to parse requirement: <nil>: Invalid value: "x\/y\/z": a valid label key/,
    '=b': /^found '=', expected: !, identifier, or 'end of string'$/,
  }
  for (const [text, message] of Object.entries(cases))
    assert.throws(
      () => parseLabelSelector(text),
      (error) => error instanceof ApiError && error.code === 400 && message.test(error.message),
      text,
    )
})

test('the object form: absent is nothing, empty is everything', () => {
  assert.equal(matchesLabels(labelSelectorOf(undefined), { a: 'b' }), false)
  assert.equal(labelSelectorOf(null), nothing)
  assert.ok(matchesLabels(labelSelectorOf({}), {}) && matchesLabels(everything, {}))
  const selector = labelSelectorOf({
    matchLabels: { app: 'web' },
    matchExpressions: [
      { key: 'tier', operator: 'In', values: ['front', 'back'] },
      { key: 'old', operator: 'DoesNotExist' },
    ],
  })
  assert.equal(formatLabelSelector(selector), 'app=web,!old,tier in (back,front)')
  assert.ok(matchesLabels(selector, { app: 'web', tier: 'back' }))
  assert.ok(!matchesLabels(selector, { app: 'web', tier: 'back', old: '' }))
  assert.throws(
    () => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }),
    ApiError,
  )
  assert.throws(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Like' }] }), ApiError)
})
