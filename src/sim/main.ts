// Runs simulations from the command line: `node src/sim/main.ts --seed 7` replays one seed and prints its trace,
// `--seeds 1-200` runs many and prints those that fail.
import { allDeciders } from '../serve/deciders.ts'
import { type SimulationResult, simulate } from './cluster.ts'

const argument = (name: string): string | undefined => {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}

function summary({ seed, events, virtualMs, revisions, traceHash, faults }: SimulationResult): string {
  const minutes = (virtualMs / 60_000).toFixed(1)
  return `seed ${seed}: ${events} events, ${revisions} revisions in ${minutes} simulated minutes, trace ${traceHash.toString(16)}, faults: ${faults.join(' ') || 'none'}`
}

function printTrace(result: SimulationResult): void {
  for (const { atMs, who, text } of result.cluster.world.trace) {
    process.stdout.write(`${(atMs / 1000).toFixed(3).padStart(9)} ${who}: ${text}\n`)
  }
}

const [from = 1, to = from] = (argument('--seeds') ?? argument('--seed') ?? '1-20').split('-').map(Number)
const single = argument('--seed') !== undefined
let failed = 0
for (let seed = from; seed <= to; seed += 1) {
  const result = await simulate({ seed, deciders: () => allDeciders })
  if (single) printTrace(result)
  if (single || result.problems.length > 0) process.stdout.write(`${summary(result)}\n`)
  for (const problem of result.problems) process.stdout.write(`  ${problem}\n`)
  if (result.problems.length > 0) {
    failed += 1
    process.stdout.write(`  replay: node src/sim/main.ts --seed ${seed}\n`)
  }
}
process.stdout.write(`${to - from + 1} seeds, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
