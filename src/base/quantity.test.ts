import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addQuantity,
  canonicalQuantity,
  compareQuantity,
  equalQuantity,
  formatQuantity,
  isQuantity,
  parseQuantity,
  quantityOf,
  readQuantity,
  roundUpToMilli,
  subQuantity,
  toBigIntBytes,
  toMilli,
} from './quantity.ts'

function canonical(text: string | number | bigint): string | undefined {
  const quantity = parseQuantity(text)
  return quantity && formatQuantity(quantity)
}

test('canonical texts keep the family of the suffix and never a fraction', () => {
  const cases: Record<string, string> = {
    '0.5': '500m',
    '1024Mi': '1Gi',
    '1000': '1k',
    '1.5Gi': '1536Mi',
    '1.1Gi': '1181116006400m',
    '10e2': '1e3',
    '-0.5P': '-500T',
    '0.9n': '1n',
    '.5Ki': '512',
    Ki: '0',
    '12345678901234567890Mi': '9223372036854775807',
  }
  for (const [text, wanted] of Object.entries(cases)) assert.equal(canonical(text), wanted, text)
  assert.equal(canonical(1048576), '1048576')
  assert.equal(canonical(9007199254740993n), '9007199254740993')
})

test('texts that are no amounts are refused with the words of Kubernetes', () => {
  for (const text of ['', ' 1', '1 Gi', '1K', '1mi', '1GiB', 'one', '1e', '1e9999999999', '0x10', '1_000']) {
    assert.equal(parseQuantity(text), undefined, text)
    assert.equal(isQuantity(text), false, text)
  }
  const suffix = readQuantity('1GiB')
  assert.ok(!suffix.ok && suffix.failure.message.startsWith('quantities must match'))
  const unit = readQuantity('1K')
  assert.ok(!unit.ok && unit.failure.message === "unable to parse quantity's suffix")
  assert.equal(isQuantity(Number.NaN), false)
  assert.equal(isQuantity(null), false)
})

test('a write echoes the text when its scale is canonical already', () => {
  assert.equal(canonicalQuantity('1E3'), '1E3')
  assert.equal(canonicalQuantity('+1'), '+1')
  assert.equal(canonicalQuantity('1024Mi'), '1Gi')
  assert.equal(canonicalQuantity('1.025'), '1.025')
  assert.equal(canonicalQuantity(' 1Gi\n'), '1Gi')
  assert.equal(canonicalQuantity('x'), undefined)
})

test('sums are exact beyond 64 bits and keep the first writing', () => {
  const a = parseQuantity('9223372036854775807')!
  assert.equal(formatQuantity(addQuantity(a, parseQuantity('1n')!)), '9223372036854775807000000001n')
  assert.equal(formatQuantity(addQuantity(parseQuantity('1Gi')!, parseQuantity('1Gi')!)), '2Gi')
  assert.equal(formatQuantity(subQuantity(parseQuantity('1Gi')!, parseQuantity('1Gi')!)), '0')
  assert.equal(formatQuantity(addQuantity(parseQuantity('0')!, parseQuantity('1Gi')!)), '1Gi')
  assert.equal(compareQuantity(parseQuantity('1Gi')!, parseQuantity('1073741824')!), 0)
  assert.ok(equalQuantity('1000m', 1) && !equalQuantity('x', 'x'))
})

test('whole units and thousandths round away from zero', () => {
  assert.equal(toBigIntBytes(parseQuantity('1.1Gi')!), 1181116007n)
  assert.equal(toBigIntBytes(parseQuantity('-1.5')!), -2n)
  assert.equal(toMilli(parseQuantity('1u')!), 1n)
  assert.equal(formatQuantity(roundUpToMilli(parseQuantity('0.0005')!)), '1m')
  assert.equal(formatQuantity(quantityOf(10n * 1024n ** 3n, 'BinarySI')), '10Gi')
})
