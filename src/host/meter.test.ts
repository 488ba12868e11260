// The meter's text is what Prometheus reads, and its memory is bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeMeter } from './meter.ts'

test('counters, gauges and histograms in the text format', () => {
  const meter = makeMeter()
  meter.count('croft_writes_total', 1, { verb: 'create', code: '201' })
  meter.count('croft_writes_total', 2, { code: '201', verb: 'create' })
  meter.gauge('croft_guests', 3)
  meter.gauge('croft_guests', 2)
  meter.observe('croft_call_seconds', 0.003)
  meter.observe('croft_call_seconds', 1000)
  const lines = meter.snapshot().split('\n')
  for (const line of [
    '# TYPE croft_writes_total counter',
    'croft_writes_total{code="201",verb="create"} 3',
    'croft_guests 2',
    'croft_call_seconds_bucket{le="0.0025"} 0',
    'croft_call_seconds_bucket{le="0.005"} 1',
    'croft_call_seconds_bucket{le="60"} 1',
    'croft_call_seconds_bucket{le="+Inf"} 2',
    'croft_call_seconds_count 2',
  ])
    assert.ok(lines.includes(line), `${line} is missing in\n${lines.join('\n')}`)
})

test('a label with endless values ends in one overflow series', () => {
  const meter = makeMeter()
  for (let index = 0; index < 10_000; index += 1) meter.count('croft_x_total', 1, { name: `n${index}` })
  const lines = meter.snapshot().trim().split('\n')
  assert.equal(lines.length, 1 + 501)
  assert.ok(lines.includes('croft_x_total{overflow="true"} 9500'))
})
