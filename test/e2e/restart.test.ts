// Croft goes and comes back under many machines: it finds every one again; and after a power cut every machine that is
// to run always comes back with its disk.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { VirtualMachineImage } from '../../src/kinds/harvester/virtual-machine-image.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { bootSectorDisk, bootsTold } from './boot-sector.ts'
import { ALLOW_LOOPBACK, type ImageServer, imported, machine, serialLog, startImageServer } from './guest.ts'
import { isStorageDaemon, killExactly, processesOf } from './processes.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
const STANDING = 46
const BOOTING = ['disk-0', 'disk-1', 'disk-2', 'disk-3']
const ALL = STANDING + BOOTING.length
const START_MS = 180_000
let server: E2eServer
const standing = (name: string): object =>
  machine({ name, cpuRequest: '10m', more: { startStrategy: 'Paused' } })
const sumImage = (url: string): object => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name: 'sum', namespace: 'default' },
  spec: { displayName: 'sum', sourceType: 'download', url, checksum: '0'.repeat(128), retry: 2 },
})
let images: ImageServer

async function instances(): Promise<readonly VirtualMachineInstance[]> {
  const { items } = await server.client.list(VirtualMachineInstance, { namespace: 'default' })
  return items.filter(({ status }) => status?.phase === 'Running')
}

async function boots(name: string): Promise<number> {
  const vmi = await server.find(VirtualMachineInstance, name)
  return bootsTold(await serialLog(server.data, vmi?.metadata.uid ?? ''))
}

const pids = (): readonly number[] =>
  server
    .qemus()
    .map(({ pid }) => pid)
    .sort((a, b) => a - b)

describe('fifty machines', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/stands.img', { bytes: bootSectorDisk() })
    await server.apply(ALLOW_LOOPBACK)
    const still = Array.from({ length: STANDING }, (_, index) => standing(`still-${index}`))
    const booting = BOOTING.map((name) =>
      machine({
        name,
        cpuRequest: '10m',
        dataVolumeTemplates: [imported(`${name}-root`, images.url('/stands.img'), '16Mi')],
        disks: [{ name: 'root', disk: { bus: 'virtio' } }],
        volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }],
      }),
    )
    await server.apply(...still, ...booting, sumImage(images.url('/stands.img')))
    await until(
      'all run',
      async () => (await instances()).length === ALL,
      START_MS,
      async () => server.kubectl(['get', 'vmi']),
    )
    for (const name of BOOTING) await until(`${name} boots`, async () => (await boots(name)) === 1)
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test('a restart finds every one again and disturbs none', { timeout: 120_000 }, async () => {
    const before = pids()
    assert.equal(before.length, ALL)
    await until('the wrong image has failed for good', async () => {
      const image = await server.find(VirtualMachineImage, 'sum')
      return image?.status?.conditions?.some(({ reason }) => reason === 'RetryLimitExceeded')
    })
    // One for each disk, two for the image: nothing is asked again because of a restart.
    const asked = images.asked('/stands.img')
    assert.equal(asked, BOOTING.length + 2)
    const uids = (await instances()).map(({ metadata }) => metadata.uid).sort()
    for (const end of [() => server.stop(), () => server.kill9()]) {
      await end()
      assert.deepEqual(pids(), before)
      await server.start()
      // One look at every Pod, and no write: nothing changed.
      await until('the node is back', async () =>
        (await server.kubectl(['get', 'node', '--no-headers'])).includes(' Ready '),
      )
      assert.deepEqual(pids(), before)
      assert.equal(images.asked('/stands.img'), asked)
      const found = await instances()
      assert.deepEqual(found.map(({ metadata }) => metadata.uid).sort(), uids)
    }
    // It is not only left alone, it is in hand: a deletion ends it.
    await server.kubectl(['delete', 'vm', 'still-0', '--timeout=60s'])
    await until('one less', () => pids().length === ALL - 1)
    await server.apply(standing('still-0'))
    await until('all run again', async () => (await instances()).length === ALL)
  })

  test('after a power cut every one comes back with its disk', { timeout: 300_000 }, async () => {
    const before = new Set((await instances()).map(({ metadata }) => metadata.uid))
    await server.kill9()
    for (const one of processesOf(server.data)) killExactly(one)
    await until('nothing is left', () => processesOf(server.data).length === 0)
    await server.start()
    await until(
      'all run anew',
      async () => (await instances()).filter(({ metadata }) => !before.has(metadata.uid)).length === ALL,
      START_MS,
      async () => server.kubectl(['get', 'vm,vmi']),
    )
    for (const name of BOOTING) await until(`${name} boots its disk`, async () => (await boots(name)) === 2)
    assert.equal(pids().length, ALL)
    await server.kubectl(['delete', 'vm', '--all', '--timeout=120s'])
    await until('no process is left', () => processesOf(server.data).filter(isStorageDaemon).length === 0)
    assert.deepEqual(pids(), [])
  })
})
