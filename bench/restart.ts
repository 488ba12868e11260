// How long the API is away when croft is restarted or killed under running machines, and whether any of them noticed.
// Run: node bench/restart.ts [MACHINES]
import { setTimeout as sleep } from 'node:timers/promises'
import { VirtualMachine } from '../src/kinds/kubevirt/virtual-machine.ts'
import { isQemu, isStorageDaemon, processesOf } from '../test/e2e/processes.ts'
import { head, line, ms, usageOf } from './figures.ts'
import { importImage, machineOf, watchPhases } from './machines.ts'
import { type BenchServer, makeServer } from './server.ts'

const MACHINES = Number(process.argv[2] ?? 10)
const ROUNDS = 3
const ASK_EVERY_MS = 5
const CALM_MS = 2_000
const REST_MS = 30_000

/** From the last good answer to the next one. */
async function gap(server: BenchServer, signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
  let last = performance.now()
  let longest = 0
  let asking = true
  const asker = (async (): Promise<void> => {
    while (asking) {
      if (await server.isReady()) {
        const now = performance.now()
        longest = Math.max(longest, now - last)
        last = now
      }
      await sleep(ASK_EVERY_MS)
    }
  })()
  await sleep(200)
  await server.stop(signal)
  await server.start()
  await sleep(200)
  asking = false
  await asker
  return longest
}

/** Processes of machines with their start times, and QEMU's own word that it is still the same running guest. */
function guests(data: string): string {
  return processesOf(data)
    .filter((one) => isQemu(one) || isStorageDaemon(one))
    .map(({ pid, startTicks }) => `${pid}/${startTicks}`)
    .toSorted()
    .join(' ')
}

head('restart')
const server = await makeServer()
try {
  await server.start()
  await importImage(server.client)
  const phases = watchPhases(server.client)
  const names = Array.from({ length: MACHINES }, (_, number) => `vm-${number}`)
  await Promise.all(
    names.map(async (name) => {
      await server.client.create(VirtualMachine, machineOf(name, true))
      await phases.reached(name, 'Running')
    }),
  )
  phases.stop()
  await sleep(CALM_MS)
  const before = guests(server.data)
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const gaps: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) gaps.push(await gap(server, signal))
    line(
      `API away at a restart by ${signal}, ${MACHINES} machines run`,
      `worst ${ms(Math.max(...gaps))}`,
      '<= 5 s',
    )
  }
  const same = guests(server.data) === before
  line('processes of the machines after 6 restarts', same ? 'the very same' : 'NOT THE SAME', 'untouched')
  if (!same) process.exitCode = 1
  const from = usageOf(server.pid)
  await sleep(REST_MS)
  const share = ((usageOf(server.pid).cpuSeconds - from.cpuSeconds) / (REST_MS / 1000)) * 100
  line(`processor of croft beside ${MACHINES} machines that it adopted`, `${share.toFixed(2)} % of a core`)
} finally {
  await server.end()
}
