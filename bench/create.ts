// How long from the request for a machine until its QEMU runs: alone and in a burst, against a bare harness that only
// starts the same QEMUs and storage daemons, in the same run. Run: node bench/create.ts [BURST] [HALTED]
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../src/client/client.ts'
import { VirtualMachine } from '../src/kinds/kubevirt/virtual-machine.ts'
import { head, line, ms, quantile, usageOf } from './figures.ts'
import { endBare, patternOf, startBare } from './harness.ts'
import { importImage, machineOf, type Phases, removeMachines, watchPhases } from './machines.ts'
import { fill } from './objects.ts'
import { type BenchServer, makeServer } from './server.ts'

const BURST = Number(process.argv[2] ?? 20)
const HALTED = Number(process.argv[3] ?? 0)
const ALONE = 7
const CALM_MS = 1_500

async function create(client: Client, phases: Phases, name: string, network: boolean): Promise<number> {
  const began = performance.now()
  await client.create(VirtualMachine, machineOf(name, network))
  return (await phases.reached(name, 'Running')) - began
}

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, number) => `${prefix}-${number}`)

async function oneByOne(server: BenchServer, phases: Phases, network: boolean): Promise<readonly number[]> {
  const times: number[] = []
  for (const name of names(network ? 'net' : 'one', ALONE)) {
    times.push(await create(server.client, phases, name, network))
    await sleep(CALM_MS)
    await removeMachines(server.client, [name])
    await sleep(CALM_MS)
  }
  return times
}

const alone = (times: readonly number[]): string =>
  `median ${ms(quantile(times, 0.5))}, best ${ms(Math.min(...times))}, worst ${ms(Math.max(...times))}`
const burst = (times: readonly number[]): string =>
  `p50 ${ms(quantile(times, 0.5))}, p95 ${ms(quantile(times, 0.95))}, p99 ${ms(quantile(times, 0.99))}`

head('create')
const server = await makeServer()
try {
  await server.start()
  const { client } = server
  if (HALTED > 0) await fill(client, HALTED, HALTED)
  await importImage(client)
  const phases = watchPhases(client)
  // The first start of all fills caches of the system; it belongs to no comparison.
  await create(client, phases, 'warm', false)
  await removeMachines(client, ['warm'])
  await sleep(CALM_MS)
  const croftAlone = await oneByOne(server, phases, false)
  line('one machine, no network', alone(croftAlone), '<= 400 ms')
  line('one machine, with the default network', alone(await oneByOne(server, phases, true)), '<= 400 ms')

  const many = names('many', BURST)
  const before = usageOf(server.pid)
  const croftBurst = await Promise.all(many.map((name) => create(client, phases, name, false)))
  const cpuMs = (usageOf(server.pid).cpuSeconds - before.cpuSeconds) * 1000
  line(`burst of ${BURST}`, burst(croftBurst), 'p50 <= 1.0 s, p95 <= 2.0 s')
  line('processor time of croft for each of them', ms(cpuMs / BURST))
  await sleep(CALM_MS)
  const pattern = patternOf(server.data)
  const left = performance.now()
  await removeMachines(client, many)
  line(`deletion of ${BURST}`, ms(performance.now() - left))
  phases.stop()
  await sleep(CALM_MS)
  await server.stop('SIGKILL')

  const bareAlone: number[] = []
  for (const one of pattern.slice(0, ALONE)) {
    bareAlone.push(await startBare(one))
    await sleep(CALM_MS)
    endBare(server.data)
    await sleep(CALM_MS)
  }
  line('bare harness, one', alone(bareAlone))
  const bareBurst = await Promise.all(pattern.map(startBare))
  endBare(server.data)
  line(`bare harness, burst of ${pattern.length}`, burst(bareBurst))
  const ratio = (ours: readonly number[], bare: readonly number[], at: number): string =>
    (quantile(ours, at) / quantile(bare, at)).toFixed(2)
  line('croft against the bare harness, one', ratio(croftAlone, bareAlone, 0.5), '<= 1.5')
  line(
    'croft against the bare harness, burst',
    `p50 ${ratio(croftBurst, bareBurst, 0.5)}, p95 ${ratio(croftBurst, bareBurst, 0.95)}`,
    '<= 1.5',
  )
} finally {
  await server.end()
}
