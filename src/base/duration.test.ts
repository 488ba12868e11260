import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration, humanDuration, parseDuration, shortHumanDuration } from './duration.ts'
import { formatMicroTime, formatTime, parseTime } from './time.ts'

test('Go durations are read and written', () => {
  const cases: Record<string, number> = {
    '0': 0,
    '1h30m': 5_400_000,
    '1.5s': 1500,
    '250ms': 250,
    '-2m': -120_000,
    '1h0m0.5s': 3_600_500,
    '.5m': 30_000,
    '10us': 0.01,
  }
  for (const [text, ms] of Object.entries(cases)) assert.equal(parseDuration(text), ms, text)
  for (const text of ['', '1', '-', 's', '1x', '1h ', '1 h', 'h1', '1..5s'])
    assert.equal(parseDuration(text), undefined, text)
  assert.equal(formatDuration(0), '0s')
  assert.equal(formatDuration(5_400_000), '1h30m0s')
  assert.equal(formatDuration(1500), '1.5s')
  assert.equal(formatDuration(250), '250ms')
  assert.equal(formatDuration(-90_000), '-1m30s')
  for (const ms of Object.values(cases)) assert.equal(parseDuration(formatDuration(ms)), ms)
})

test('ages have two units at most', () => {
  const cases: [number, string, string][] = [
    [-2, '<invalid>', '<invalid>'],
    [-1, '0s', '0s'],
    [119, '119s', '1m'],
    [121, '2m1s', '2m'],
    [7200, '120m', '2h'],
    [14_399, '3h59m', '3h'],
    [691_199, '7d23h', '7d'],
    [691_201, '8d', '8d'],
    [63_072_000 + 86_400, '2y1d', '2y'],
  ]
  for (const [seconds, human, short] of cases) {
    assert.equal(humanDuration(seconds), human)
    assert.equal(shortHumanDuration(seconds), short)
  }
})

test('times have one form, whatever offset they came with', () => {
  assert.equal(formatTime(parseTime('2026-11-30T23:15:00.9+02:00')!), '2026-11-30T21:15:00Z')
  assert.equal(formatMicroTime(parseTime('2026-11-30T23:15:00.125Z')!), '2026-11-30T23:15:00.125000Z')
  for (const text of ['2026-11-30', '2026-13-30T00:00:00Z', 'now', ''])
    assert.equal(parseTime(text), undefined)
})
