// Croft is killed at random moments while machines are made, imported, started, stopped and deleted: guests survive,
// what was asked for comes true, and nothing is left over.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PersistentVolumeClaim } from '../../src/kinds/core/persistent-volume-claim.ts'
import { VirtualMachine } from '../../src/kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { BackingImage } from '../../src/kinds/longhorn/backing-image.ts'
import { Replica } from '../../src/kinds/longhorn/replica.ts'
import { bootSectorDisk } from './boot-sector.ts'
import { ALLOW_LOOPBACK, type ImageServer, imported, machine, startImageServer } from './guest.ts'
import { isStorageDaemon, processesOf } from './processes.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
const ROUNDS = Number(process.env['CROFT_KILL_ROUNDS'] ?? 20)
const SEED = Number(process.env['CROFT_SEED'] ?? Date.now() % 1_000_000)
/** Names that come and go. */
const NAMES = ['a', 'b', 'c', 'd', 'e']
const KILL_WITHIN_MS = 1_800
const CONVERGE_MS = 120_000
let server: E2eServer
let images: ImageServer

let state = SEED
/** A number below `most`; a plain linear generator, so that a seed names a run. */
function random(most: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return Math.floor((state / 0x80000000) * most)
}

const wish = (name: string, runStrategy: string): object =>
  machine({
    name,
    runStrategy,
    dataVolumeTemplates: [imported(`${name}-root`, images.url('/stands.img'), '16Mi')],
    disks: [{ name: 'root', disk: { bus: 'virtio' } }],
    volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }],
  })

/** What should be, by name: a run strategy, or absent. Only what was acknowledged counts. */
const wanted = new Map<string, 'Always' | 'Halted' | 'unsure'>()

async function act(): Promise<void> {
  const name = NAMES[random(NAMES.length)]!
  const strategy = random(3) === 0 ? 'Halted' : 'Always'
  const present = wanted.get(name)
  wanted.set(name, 'unsure')
  if (present === undefined || present === 'unsure') {
    await server.client.create(VirtualMachine, wish(name, strategy) as never, { namespace: 'default' })
    wanted.set(name, strategy)
  } else if (random(3) === 0) {
    await server.client.delete(VirtualMachine, name, { namespace: 'default' })
    wanted.delete(name)
  } else {
    await server.client.patch(
      VirtualMachine,
      name,
      { spec: { runStrategy: strategy } },
      { namespace: 'default' },
    )
    wanted.set(name, strategy)
  }
}

/** An act that was cut off may have been done or not: what is there decides. */
async function settleDoubts(): Promise<void> {
  for (const name of NAMES) {
    if (wanted.get(name) !== 'unsure') continue
    const vm = await server.client.get(VirtualMachine, name, { namespace: 'default' }).catch(() => undefined)
    if (!vm || vm.metadata.deletionTimestamp) wanted.delete(name)
    else wanted.set(name, vm.spec.runStrategy as 'Always' | 'Halted')
  }
}

async function machines(): Promise<Readonly<Record<string, string>>> {
  const { items } = await server.client.list(VirtualMachine, { namespace: 'default' })
  return Object.fromEntries(items.map((vm) => [vm.metadata.name ?? '', vm.status?.printableStatus ?? '']))
}

const count = (folder: string): number => {
  const path = join(server.data, folder)
  return existsSync(path) ? readdirSync(path).length : 0
}

describe('croft is killed at any moment', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/stands.img', { bytes: bootSectorDisk() })
    await server.apply(ALLOW_LOOPBACK, wish('rock', 'Always'), machine({ name: 'pebble' }))
    for (const name of ['rock', 'pebble'])
      await server.kubectl(['wait', `vm/${name}`, '--for=condition=Ready', '--timeout=55s'])
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test(`${ROUNDS} rounds, seed ${SEED}`, { timeout: 600_000 }, async (t) => {
    t.diagnostic(`repeat with CROFT_SEED=${SEED}`)
    const guests = server.qemus().map(({ pid }) => pid)
    assert.equal(guests.length, 2)
    for (let round = 0; round < ROUNDS; round += 1) {
      const acts = Array.from({ length: 1 + random(3) }, () => act().catch(() => undefined))
      await sleep(random(KILL_WITHIN_MS))
      await server.kill9()
      await Promise.all(acts)
      await server.start()
      const alive = new Set(server.qemus().map(({ pid }) => pid))
      assert.ok(
        guests.every((pid) => alive.has(pid)),
        `a guest was lost in round ${round}`,
      )
      await settleDoubts()
    }
    const words = { Always: 'Running', Halted: 'Stopped', unsure: '' }
    const goal = Object.fromEntries([
      ...[...wanted].map(([name, one]) => [name, words[one]] as const),
      ['rock', 'Running'],
      ['pebble', 'Running'],
    ])
    const sorted = (all: object): string => JSON.stringify(Object.entries(all).sort())
    await until(
      `the machines are as they were asked for: ${sorted(goal)}`,
      async () => sorted(await machines()) === sorted(goal),
      CONVERGE_MS,
      async () => (await server.kubectl(['get', 'vm,vmi,pod,dv,pvc'])) + sorted(goal),
    )
    await leavesNothing(Object.values(goal).filter((one) => one === 'Running').length)
    await server.kubectl(['delete', 'vm', '--all', '--timeout=120s'])
    await leavesNothing(0)
  })
})

/** Processes, files and objects are those of the machines that run, and no more. */
async function leavesNothing(running: number): Promise<void> {
  const list = async () => ({
    qemus: server.qemus().length,
    instances: (await server.client.list(VirtualMachineInstance)).items.length,
    folders: count('machines'),
    disksUnlessPebble: processesOf(server.data).filter(isStorageDaemon).length,
    replicas: (await server.client.list(Replica)).items.length - count('disks/default/replicas'),
    claims: (await server.client.list(PersistentVolumeClaim)).items.length - count('disks/default/replicas'),
    images: (await server.client.list(BackingImage)).items.length - count('disks/default/backing-images'),
  })
  const goal = {
    qemus: running,
    instances: running,
    folders: running,
    disksUnlessPebble: Math.max(0, running - 1),
    replicas: 0,
    claims: 0,
    images: 0,
  }
  await until(
    'nothing is left over',
    async () => JSON.stringify(await list()) === JSON.stringify(goal),
    60_000,
    list,
  )
}
