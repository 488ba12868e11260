// Runs simulations from the command line: `node src/sim/main.ts --seed 7` replays one seed and prints its trace,
// `--seeds 1-200` (or `--seeds 200`) runs many and prints those that fail. With the word `volume` the storage world
// runs instead of the whole control plane; a seed of it that fails is also told with the fewest faults that do it.
import { allDeciders } from '../serve/deciders.ts'
import { simulate } from './cluster.ts'
import { shrinkFaults, simulateVolume, volumeDeciders } from './volume/simulate-volume.ts'
import { STORAGE_FAULTS } from './volume/storage-faults.ts'
import type { World } from './world.ts'

const argument = (name: string): string | undefined => {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}

interface Run {
  readonly faults: readonly string[]
  readonly problems: readonly string[]
  readonly events: number
  readonly virtualMs: number
  readonly traceHash: number
  readonly more: string
  readonly world: World
}

const ofVolumes = process.argv.includes('volume')
const chosen = argument('--faults')
  ?.split(',')
  .filter((one) => one !== '')
const faultsOfVolumes = chosen && { faults: STORAGE_FAULTS.filter((one) => chosen.includes(one)) }

async function runSeed(seed: number): Promise<Run> {
  if (ofVolumes) {
    const done = await simulateVolume({ seed, deciders: volumeDeciders, ...faultsOfVolumes })
    return { ...done, more: `${done.acknowledged} writes`, world: done.world.world }
  }
  const done = await simulate({ seed, deciders: () => allDeciders })
  return { ...done, more: `${done.revisions} revisions`, world: done.cluster.world }
}

function summary(seed: number, { events, virtualMs, more, traceHash, faults }: Run): string {
  const minutes = (virtualMs / 60_000).toFixed(1)
  return `seed ${seed}: ${events} events, ${more} in ${minutes} simulated minutes, trace ${traceHash.toString(16)}, faults: ${faults.join(' ') || 'none'}`
}

async function replayOf(seed: number, { faults }: Run): Promise<string> {
  const plain = `node src/sim/main.ts --seed ${seed}`
  if (!ofVolumes) return plain
  const drawn = STORAGE_FAULTS.filter((one) => faults.includes(one))
  const fewest = await shrinkFaults({ seed, deciders: volumeDeciders }, drawn)
  return `${plain} volume --faults ${fewest.join(',') || "''"}`
}

const range = argument('--seed') ?? argument('--seeds') ?? '1-20'
const single = argument('--seed') !== undefined
const [first = 1, last] = range.split('-').map(Number)
const [from, to] = last === undefined ? [single ? first : 1, first] : [first, last]
let failed = 0
for (let seed = from; seed <= to; seed += 1) {
  const run = await runSeed(seed)
  if (single)
    for (const { atMs, who, text } of run.world.trace)
      process.stdout.write(`${(atMs / 1000).toFixed(3).padStart(9)} ${who}: ${text}\n`)
  if (single || run.problems.length > 0) process.stdout.write(`${summary(seed, run)}\n`)
  for (const problem of run.problems) process.stdout.write(`  ${problem}\n`)
  if (run.problems.length > 0) {
    failed += 1
    process.stdout.write(`  replay: ${single ? 'this' : await replayOf(seed, run)}\n`)
  }
}
process.stdout.write(`${to - from + 1} seeds, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
