// The storage world as a test: many seeds must hold the invariants V1 to V15, the same seed must run the same way, and
// each checker must find the fault that it is there for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shrinkFaults, simulateVolume, type VolumeResult, volumeDeciders } from './simulate-volume.ts'

const SEEDS = Number(process.env['CROFT_SIM_SEEDS'] ?? 500)
/** Told in full; the rest only counted. */
const REPORTED_MAX = 5

async function report({ seed, problems, faults }: VolumeResult): Promise<string> {
  const fewest = await shrinkFaults({ seed, deciders: volumeDeciders }, faults)
  return `seed ${seed}: ${problems.join('; ')}\nreplay: node src/sim/main.ts --seed ${seed} volume --faults ${fewest.join(',') || "''"}`
}

test(`${SEEDS} seeds of volumes: no acknowledged write is lost, replicas in step are equal, everything comes right`, async (t) => {
  let events = 0
  let writes = 0
  const sums = { commits: 0, opens: 0, grown: 0, snapshots: 0 }
  const failed: VolumeResult[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const result = await simulateVolume({ seed, deciders: volumeDeciders })
    events += result.events
    writes += result.acknowledged
    for (const [what, count] of Object.entries(result.counts)) sums[what as keyof typeof sums] += count
    if (result.problems.length > 0) failed.push(result)
  }
  t.diagnostic(`${events} events, ${writes} acknowledged writes, ${JSON.stringify(sums)}`)
  const told = await Promise.all(failed.slice(0, REPORTED_MAX).map(report))
  assert.deepEqual(told, [], `${failed.length} seeds failed`)
  // A world in which nothing happens would prove nothing.
  assert.ok(writes > SEEDS * 50 && sums.grown > SEEDS / 4 && sums.snapshots > SEEDS / 4, JSON.stringify(sums))
})

test('seeds that once found a fault hold', async () => {
  for (const seed of [1189, 1343, 1414, 1516, 1713, 1871, 2041]) {
    const result = await simulateVolume({ seed, deciders: volumeDeciders })
    assert.deepEqual(result.problems, [], `replay: node src/sim/main.ts --seed ${seed} volume`)
  }
})

test('the same seed gives the same trace, another seed another', async () => {
  const run = (seed: number): Promise<VolumeResult> => simulateVolume({ seed, deciders: volumeDeciders })
  const first = await run(11)
  const second = await run(11)
  const other = await run(12)
  assert.equal(first.traceHash, second.traceHash)
  assert.equal(first.events, second.events)
  assert.notEqual(first.traceHash, other.traceHash)
})
