// A day in bounded memory: what was put in comes out, gaps stay gaps, and what does not fit gets coarser, not wrong.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Subject } from '../base/metrics-port.ts'
import { realFiles } from '../host/real/files.ts'
import { decodeBlock, encodeBlock, readArchive, writeArchive } from './archive.ts'
import { BitReader, BitWriter, readRun, writeRun } from './bits.ts'
import { BLOCK_MS, History, STEP_MS } from './history.ts'
import { amountOf, LEVEL_MAX, levelOf, METRICS } from './metrics.ts'

const WEB: Subject = { type: 'machine', id: 'default/web' }
const T0 = BLOCK_MS * 1_900_000
const MINUTE = 60_000

const machine = (cpu: number | undefined, memory = 0) => [cpu, memory]

function cpuOf(history: History, start: number, end: number, step = STEP_MS): readonly (number | null)[] {
  const range = history.range(WEB, { start, end, step, fold: 'mean', metrics: ['cpu'] })
  return range.series[0]?.values ?? []
}

test('any run of levels is read as it was written', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.oneof(fc.nat(LEVEL_MAX), fc.nat(3), fc.constant(0)), { minLength: 1 })),
      (runs) => {
        const writer = new BitWriter()
        for (const run of runs) writeRun(writer, Uint16Array.from(run))
        const reader = new BitReader(writer.take(), 0)
        for (const run of runs) {
          const read = new Uint16Array(run.length)
          readRun(reader, read)
          assert.deepEqual([...read], run)
        }
        assert.equal(reader.at, writer.length)
      },
    ),
  )
})

test('a value is kept to its grain or to 0.3 %, whatever its size', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e15, noNaN: true }),
      fc.constantFrom(0.001, 1, 65_536),
      (value, grain) => {
        const kept = amountOf(levelOf(value, grain), grain)
        assert.ok(kept !== undefined)
        assert.ok(
          Math.abs(kept - value) <= Math.max(grain, value) * 0.003 + grain * 0.003,
          `${value} became ${kept}`,
        )
      },
    ),
  )
  assert.equal(amountOf(levelOf(undefined, 1), 1), undefined)
  assert.equal(amountOf(levelOf(Number.NaN, 1), 1), undefined)
})

test('points come back over the end of a block, and nothing is made up in a gap', () => {
  const history = new History()
  const values = Array.from({ length: 120 }, (_, index) => index / 10)
  values.forEach((value, index) => {
    // A quarter of an hour less ten points, then a machine that was off for a while.
    if (index >= 40 && index < 50) return
    const at = T0 + index * STEP_MS + STEP_MS / 2
    history.add(WEB, at, at, machine(value))
  })
  const back = cpuOf(history, T0, T0 + 120 * STEP_MS)
  assert.equal(back.length, 120)
  back.forEach((value, index) => {
    if (index >= 40 && index < 50) assert.equal(value, null)
    else
      assert.ok(
        Math.abs((value ?? -1) - values[index]!) < 0.01 + values[index]! * 0.004,
        `${index}: ${value}`,
      )
  })
  const [first] = cpuOf(history, T0, T0 + MINUTE, MINUTE)
  assert.ok(Math.abs((first ?? 0) - 0.25) < 0.01)
  const highest = history.range(WEB, {
    start: T0,
    end: T0 + MINUTE,
    step: MINUTE,
    fold: 'max',
    metrics: ['cpu'],
  })
  assert.ok(Math.abs((highest.series[0]?.values[0] ?? 0) - 0.5) < 0.01)
  assert.deepEqual(
    history.range(
      { type: 'machine', id: 'default/other' },
      { start: T0, end: T0 + MINUTE, step: MINUTE, fold: 'mean' },
    ).series[0]?.values,
    [null],
  )
})

test('late points, and those of a clock that runs ahead, change nothing', () => {
  const history = new History()
  assert.equal(history.add(WEB, T0 + 1, T0 + 1, machine(1)), true)
  assert.equal(history.add(WEB, T0 + 2 * MINUTE, T0 + 1, machine(1)), false)
  assert.equal(history.add(WEB, T0 + BLOCK_MS, T0 + BLOCK_MS, machine(2)), true)
  assert.equal(history.add(WEB, T0 + 2, T0 + BLOCK_MS, machine(9)), false)
  assert.ok(Math.abs((cpuOf(history, T0, T0 + STEP_MS)[0] ?? 0) - 1) < 0.01)
})

test('what is older than a day is forgotten, and a machine that is gone leaves nothing', () => {
  const history = new History({ keptMs: 4 * BLOCK_MS })
  for (let block = 0; block < 10; block += 1)
    history.add(
      block < 3 ? WEB : { type: 'node', id: 'a' },
      T0 + block * BLOCK_MS,
      T0 + block * BLOCK_MS,
      machine(block + 1),
    )
  assert.deepEqual(
    history.blocks().map(({ number }) => number - T0 / BLOCK_MS),
    [5, 6, 7, 8, 9],
  )
  assert.ok(history.blocks().every(({ keys }) => keys.join() === 'node/a'))
})

test('a busy history keeps to its budget: the oldest becomes coarser first, the means stay', () => {
  const budgetBytes = 60_000
  const history = new History({ budgetBytes })
  let seed = 1
  const noise = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  const blocks = 24
  for (let point = 0; point < blocks * 90; point += 1) {
    const at = T0 + point * STEP_MS
    for (let index = 0; index < 4; index += 1)
      history.add(
        { type: 'machine', id: `default/m${index}` },
        at,
        at,
        METRICS.machine.map(() => 1 + noise()),
      )
  }
  assert.ok(history.sizeBytes <= budgetBytes, `${history.sizeBytes}`)
  const factors = history.blocks().map(({ factor }) => factor)
  assert.equal(factors.length, blocks)
  assert.ok((factors[0] ?? 0) > 1)
  assert.equal(factors.at(-1), 1)
  assert.deepEqual(
    factors,
    [...factors].sort((a, b) => b - a),
  )
  const range = history.range(
    { type: 'machine', id: 'default/m0' },
    { start: T0, end: T0 + BLOCK_MS, step: BLOCK_MS, fold: 'mean', metrics: ['cpu'] },
  )
  assert.ok(Math.abs((range.series[0]?.values[0] ?? 0) - 1.5) < 0.1)
})

test('history outlives the process: the open block goes on where it was', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'croft-metrics-'))
  try {
    const before = new History()
    for (let point = 0; point < 100; point += 1)
      before.add(WEB, T0 + point * STEP_MS, T0 + point * STEP_MS, machine(point))
    assert.equal(await writeArchive(realFiles, `${folder}/m`, before.blocks(), 0), undefined)
    await writeFile(`${folder}/m/7.block`, 'no such thing')
    await writeFile(`${folder}/m/other`, 'not ours')
    const now = T0 + 110 * STEP_MS
    const after = new History()
    // A sample may come before everything was read.
    after.add(WEB, now, now, machine(110))
    after.restore(await readArchive(realFiles, `${folder}/m`), now)
    after.add(WEB, now + STEP_MS, now + STEP_MS, machine(111))
    const back = cpuOf(after, T0, T0 + 112 * STEP_MS)
    assert.deepEqual(
      back.map((value) => value !== null),
      Array.from({ length: 112 }, (_, index) => index < 100 || index >= 110),
    )
    assert.ok(Math.abs((back[95] ?? 0) - 95) < 0.5)
    assert.equal(await writeArchive(realFiles, `${folder}/m`, after.blocks(), after.openNumber), undefined)
    assert.deepEqual((await readdir(`${folder}/m`)).sort(), [
      `${T0 / BLOCK_MS}.block`,
      `${T0 / BLOCK_MS + 1}.block`,
      'other',
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a file that was cut off is no block', () => {
  const history = new History()
  history.add(WEB, T0, T0, machine(1))
  const [block] = history.blocks()
  assert.ok(block)
  const whole = encodeBlock(block)
  assert.deepEqual(decodeBlock(block.number, whole), block)
  for (let length = 0; length < whole.length; length += 1)
    assert.equal(decodeBlock(block.number, whole.subarray(0, length)), undefined)
})
