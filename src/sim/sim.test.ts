// The simulation as a test: many seeds must hold, the same seed must run the same way, and the checkers must be able
// to find what they are there for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AnyDecider, type Decider, decider } from '../kinds/decide.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { allDeciders } from '../serve/deciders.ts'
import { type SimulationResult, simulate } from './cluster.ts'
import { StoreDisk } from './store-disk.ts'

const deciders = (): readonly AnyDecider[] => allDeciders

function report({ seed, problems, faults }: SimulationResult): string {
  return `seed ${seed} (${faults.join(' ')}): ${problems.join('; ')}\nreplay: node src/sim/main.ts --seed ${seed}`
}

const SEEDS = Number(process.env['CROFT_SIM_SEEDS'] ?? 200)

test(`${SEEDS} seeds: whatever fails, one QEMU a machine, nothing acknowledged is lost, everything comes right`, async (t) => {
  let events = 0
  let revisions = 0
  let virtualMs = 0
  const failed: string[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const result = await simulate({ seed, deciders })
    events += result.events
    revisions += result.revisions
    virtualMs += result.virtualMs
    if (result.problems.length > 0) failed.push(report(result))
  }
  t.diagnostic(
    `${events} events, ${revisions} revisions, ${(virtualMs / 3_600_000).toFixed(1)} simulated hours`,
  )
  assert.deepEqual(failed, [])
})

test('the same seed gives the same trace, another seed another', async () => {
  const first = await simulate({ seed: 11, deciders })
  const second = await simulate({ seed: 11, deciders })
  const other = await simulate({ seed: 12, deciders })
  assert.equal(first.traceHash, second.traceHash)
  assert.equal(first.events, second.events)
  assert.notEqual(first.traceHash, other.traceHash)
})

/** The deciders, with the one of this name changed. */
function changed(name: string, change: (one: AnyDecider) => AnyDecider): () => readonly AnyDecider[] {
  return () => allDeciders.map((one) => (one.name === name ? change(one) : one))
}

/** Seeds differ in how soon they come upon a fault; `from` begins near one that does. */
async function firstProblem(
  seeds: number,
  options: Omit<Parameters<typeof simulate>[0], 'seed'>,
  from = 1,
): Promise<string | undefined> {
  for (let seed = from; seed < from + seeds; seed += 1) {
    const { problems } = await simulate({ ...options, seed })
    if (problems[0] !== undefined) return problems[0]
  }
  return undefined
}

test('a disk that forgets what it was given is found out', async () => {
  const honest = StoreDisk.prototype.open
  StoreDisk.prototype.open = function open(process) {
    // A lost fsync: the last records vanish with the power.
    for (const lost of this.records.splice(Math.max(0, this.records.length - 3))) this.latest.delete(lost.key)
    return honest.call(this, process)
  }
  try {
    const problem = await firstProblem(5, { deciders, faults: ['server-kill'] })
    assert.match(problem ?? 'nothing', /was acknowledged at \d+, the disk holds/)
  } finally {
    StoreDisk.prototype.open = honest
  }
})

test('a controller that lets an instance go before its Pod has ended is found out', async () => {
  const hasty = changed('virtual-machine-instance', (one) => ({
    ...one,
    decide: (seen, now) => {
      const { vmi } = seen as { readonly vmi: VirtualMachineInstance }
      const { deletionTimestamp, finalizers = [], namespace = '', name = '' } = vmi.metadata
      if (deletionTimestamp === undefined || finalizers.length === 0) return one.decide(seen, now)
      const target = { kind: VirtualMachineInstance, namespace, name }
      return { actions: [{ do: 'patch', target, patch: { metadata: { finalizers: [] } } }] }
    },
  }))
  const problem = await firstProblem(20, { deciders: hasty, faults: ['partition', 'latency'] }, 50)
  assert.match(problem ?? 'nothing', /runs 2 times/)
})

test('a decider that runs in circles is found out', async () => {
  const circling: Decider<typeof VirtualMachineInstance, VirtualMachineInstance> = {
    name: 'circling',
    kind: VirtualMachineInstance,
    watches: [],
    gather: (vmi) => vmi,
    decide: (vmi, now) => {
      const { namespace = '', name = '' } = vmi.metadata
      const count = Number(vmi.metadata.annotations?.['test/count'] ?? 0) + 1
      const annotations = { 'test/count': String(count), 'test/now': String(now) }
      return {
        actions: [
          {
            do: 'patch',
            target: { kind: VirtualMachineInstance, namespace, name },
            patch: { metadata: { annotations } },
          },
        ],
      }
    },
  }
  const problem = await firstProblem(5, { deciders: () => [...allDeciders, decider(circling)], faults: [] })
  assert.match(problem ?? 'nothing', /hot loop: circling/)
})
