import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextCronTime, parseCron } from './cron.ts'
import { formatTime } from './time.ts'

const NOW = Date.UTC(2026, 11, 1, 2, 30, 15)
const next = (text: string, after = NOW): string => {
  const cron = parseCron(text)
  assert.ok(cron, text)
  const time = nextCronTime(cron, after)
  return time === undefined ? 'never' : formatTime(time)
}

test('the next time of each form', () => {
  assert.equal(next('* * * * *'), '2026-12-01T02:31:00Z')
  assert.equal(next('0 3 * * *'), '2026-12-01T03:00:00Z')
  assert.equal(next('30 2 * * *'), '2026-12-02T02:30:00Z')
  assert.equal(next('*/20 * * * *'), '2026-12-01T02:40:00Z')
  assert.equal(next('5-10/5 4 * * *'), '2026-12-01T04:05:00Z')
  assert.equal(next('0 0 1,15 * *'), '2026-12-15T00:00:00Z')
  assert.equal(next('0 0 * * sun'), '2026-12-06T00:00:00Z')
  assert.equal(next('0 0 * * 7'), '2026-12-06T00:00:00Z')
  assert.equal(next('@monthly'), '2027-01-01T00:00:00Z')
  assert.equal(next('0 0 29 feb *'), '2028-02-29T00:00:00Z')
  assert.equal(next('0 0 13 * fri'), '2026-12-04T00:00:00Z')
  assert.equal(next('0 0 31 2 *'), 'never')
})

test('what is no time is none', () => {
  for (const text of [
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '5-1 * * * *',
    '*/0 * * * *',
    'a b c d e',
    '@reboot',
  ])
    assert.equal(parseCron(text), undefined, text)
})
