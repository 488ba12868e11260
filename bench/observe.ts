// What measuring costs: a day of a hundred machines in memory and on the disk, busy and idle, a sample taken in, a chart
// read, and processor time of a round over real processes. Run: node bench/observe.ts [MACHINES]
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MachineFigures, NodeSample } from '../src/base/metrics-port.ts'
import { ok } from '../src/base/result.ts'
import { realHost } from '../src/host/real/index.ts'
import { readArchive, writeArchive } from '../src/observe/archive.ts'
import { BUDGET_BYTES, History, STEP_MS } from '../src/observe/history.ts'
import { METRICS } from '../src/observe/metrics.ts'
import { pointsOf } from '../src/observe/rates.ts'
import type { SampledMachine } from '../src/observe/sample-machine.ts'
import { createSampler } from '../src/observe/sampler.ts'
import { head, line } from './figures.ts'

const MACHINES = Number(process.argv[2] ?? 100)
const DISKS = 2
const STEPS = (24 * 3_600_000) / STEP_MS
const T0 = 1_764_547_200_000
const MIB = 1024 * 1024
const host = realHost({ log: { level: 'error' } })

/** The same numbers in every run. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** Busy: every value wanders by a fifth. Idle: almost nothing happens, now and then something does. */
function day(history: History, busy: boolean): { readonly microseconds: number } {
  const random = chance(7)
  const began = performance.now()
  for (let step = 0; step < STEPS; step += 1) {
    const at = T0 + step * STEP_MS
    for (let machine = 0; machine < MACHINES; machine += 1) {
      const level = busy ? () => 1000 * (0.8 + 0.4 * random()) : () => (random() < 0.02 ? 1000 * random() : 0)
      history.add({ type: 'machine', id: `default/m${machine}` }, at, at, METRICS.machine.map(level))
      for (let disk = 0; disk < DISKS; disk += 1)
        history.add({ type: 'volume', id: `pvc-${machine}-${disk}` }, at, at, METRICS.volume.map(level))
    }
  }
  return { microseconds: ((performance.now() - began) * 1000) / STEPS }
}

head(`observe, ${MACHINES} machines with ${DISKS} disks`)
const folder = mkdtempSync(join(tmpdir(), 'croft-bench-observe-'))
try {
  for (const busy of [false, true]) {
    const history = new History()
    const { microseconds } = day(history, busy)
    const what = busy ? 'busy' : 'idle'
    const blocks = history.blocks()
    line(
      `a day, ${what}, in memory`,
      `${(history.sizeBytes / MIB).toFixed(1)} MiB`,
      `<= ${BUDGET_BYTES / MIB} MiB`,
    )
    line(
      `blocks at full resolution, ${what}`,
      `${blocks.filter(({ factor }) => factor === 1).length} of ${blocks.length}`,
    )
    line(`taking in a sample, ${what}, with packing`, `${(microseconds / 1000).toFixed(2)} ms of every 10 s`)
    const began = performance.now()
    history.range(
      { type: 'machine', id: 'default/m1' },
      { start: T0, end: T0 + STEPS * STEP_MS, step: 240_000, fold: 'mean' },
    )
    line(`a chart of 24 h, ${what}`, `${(performance.now() - began).toFixed(1)} ms`)
    await writeArchive(host.files, `${folder}/${what}`, blocks, 0)
    const bytes = readdirSync(`${folder}/${what}`).reduce(
      (sum, name) => sum + statSync(`${folder}/${what}/${name}`).size,
      0,
    )
    line(`on the disk, ${what}`, `${(bytes / MIB).toFixed(1)} MiB`)
    const reading = performance.now()
    new History().restore(await readArchive(host.files, `${folder}/${what}`), T0 + STEPS * STEP_MS)
    line(`read at a start, ${what}`, `${(performance.now() - reading).toFixed(0)} ms`)
  }
  await rounds()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Fifty machines by the kernel's files of this process and QMP answers of the usual size, parsed as they come. */
async function rounds(): Promise<void> {
  const ROUNDS = 50
  const FIFTY = 50
  const own = await host.files.readText('/proc/self/stat')
  const startTicks = own.ok ? Number(own.value.slice(own.value.lastIndexOf(')') + 2).split(' ')[19]) : 0
  const blockStats = JSON.stringify(
    Array.from({ length: DISKS }, (_, disk) => ({
      qdev: `/machine/peripheral/ua-disk-${disk}/virtio-backend`,
      stats: { rd_bytes: 1, wr_bytes: 2, rd_operations: 3, wr_operations: 4, flush_operations: 5 },
      'node-name': `n${disk}`,
    })),
  )
  const machines = Array.from(
    { length: FIFTY },
    (_, index): SampledMachine => ({
      uid: `u${index}`,
      namespace: 'default',
      name: `m${index}`,
      podName: `p${index}`,
      process: { pid: process.pid, startTicks },
      memoryBytes: 2 ** 30,
      disks: Array.from({ length: DISKS }, (_, disk) => ({
        name: `disk-${disk}`,
        device: `ua-disk-${disk}`,
      })),
      nics: [{ name: 'default', ifname: 'lo' }],
      ownNetwork: false,
      balloon: true,
      query: async (command) => ok(command === 'query-blockstats' ? JSON.parse(blockStats) : { stats: {} }),
    }),
  )
  let last: NodeSample | undefined
  let seen: readonly MachineFigures[] = []
  const sampler = createSampler({
    host,
    nodeName: 'n',
    dataFolder: '/',
    machines: () => machines,
    sink: { push: () => undefined },
  })
  await sampler.sample()
  const before = process.cpuUsage()
  for (let round = 0; round < ROUNDS; round += 1) {
    const sample = await sampler.sample()
    pointsOf(last, sample)
    last = sample
    seen = sample.machines
  }
  const { user, system } = process.cpuUsage(before)
  const ms = (user + system) / 1000 / ROUNDS
  line(
    `processor time of a round of ${seen.length} machines, without QEMU's own`,
    `${ms.toFixed(2)} ms, ${((ms / STEP_MS) * 100).toFixed(3)} % of a core`,
    '<= 0.5 % for all of croft',
  )
}
