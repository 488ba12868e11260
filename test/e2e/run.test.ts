// What becomes of a machine whose guest switches off, whose QEMU is killed, or whose storage goes away, under each run
// strategy; and the doors to start, stop and restart it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Pod } from '../../src/kinds/core/pod.ts'
import { VirtualMachine } from '../../src/kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { bootSectorDisk, bootsTold } from './boot-sector.ts'
import { ALLOW_LOOPBACK, type ImageServer, imported, machine, serialLog, startImageServer } from './guest.ts'
import { isStorageDaemon, killExactly, processesOf, type TestProcess } from './processes.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
let server: E2eServer
let images: ImageServer

const onDisk = (name: string, runStrategy: string, image: string): object =>
  machine({
    name,
    runStrategy,
    dataVolumeTemplates: [imported(`${name}-root`, images.url(image), '16Mi')],
    disks: [{ name: 'root', disk: { bus: 'virtio' } }],
    volumes: [{ name: 'root', dataVolume: { name: `${name}-root` } }],
  })

const instance = (name: string): Promise<VirtualMachineInstance | undefined> =>
  server.find(VirtualMachineInstance, name)

function running(name: string, notUid = ''): Promise<VirtualMachineInstance> {
  return until(`${name} runs`, async () => {
    const now = await instance(name)
    return now?.status?.phase === 'Running' && now.metadata.uid !== notUid && now
  })
}

function inPhase(name: string, phase: string): Promise<VirtualMachineInstance> {
  return until(
    `${name} is ${phase}`,
    async () => {
      const now = await instance(name)
      return now?.status?.phase === phase && now
    },
    60_000,
    async () => (await instance(name))?.status,
  )
}

async function word(name: string, wanted: string): Promise<void> {
  await until(
    `${name} is ${wanted}`,
    async () => (await server.find(VirtualMachine, name))?.status?.printableStatus === wanted,
    60_000,
    async () => (await server.find(VirtualMachine, name))?.status,
  )
}

const boots = async (vmi: VirtualMachineInstance): Promise<number> =>
  bootsTold(await serialLog(server.data, vmi.metadata.uid ?? ''))

function qemuOf(vmi: VirtualMachineInstance): TestProcess {
  const found = server.qemus().filter(({ argv }) => argv.some((one) => one.includes(vmi.metadata.uid ?? '?')))
  assert.equal(found.length, 1)
  return found[0]!
}

async function remove(...names: readonly string[]): Promise<void> {
  await server.kubectl(['delete', 'vm', ...names, '--timeout=60s'])
  await until('no process is left', () => server.qemus().length === 0)
}

describe('the end of a run', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/stands.img', { bytes: bootSectorDisk() })
    images.serve('/goes-off.img', { bytes: bootSectorDisk({ powerOffAfterMs: 1_500 }) })
    await server.apply(ALLOW_LOOPBACK)
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test('a guest that switches off is started again only under Always', { timeout: 180_000 }, async () => {
    const strategies = { always: 'Always', rerun: 'RerunOnFailure', manual: 'Manual', once: 'Once' }
    const names = Object.keys(strategies)
    await server.apply(...Object.entries(strategies).map(([name, one]) => onDisk(name, one, '/goes-off.img')))
    // Manual waits for its user.
    await server.kubectl(['patch', 'vm', 'manual', '--subresource=status', '--type=merge', '-p', START])
    const again = await until('always boots a third time', async () => {
      const vmi = await instance('always')
      return vmi && (await boots(vmi)) >= 3 && vmi
    })
    assert.ok(again)
    assert.equal(await boots(await inPhase('once', 'Succeeded')), 1)
    assert.equal(await boots(await inPhase('manual', 'Succeeded')), 1)
    await word('rerun', 'Stopped')
    await until('rerun has no instance', async () => !(await instance('rerun')))
    await remove(...names)
  })

  test('a QEMU that is killed fails its instance; Always and RerunOnFailure start anew', {
    timeout: 180_000,
  }, async () => {
    const strategies = { always: 'Always', rerun: 'RerunOnFailure', manual: 'Manual' }
    await server.apply(...Object.entries(strategies).map(([name, one]) => onDisk(name, one, '/stands.img')))
    await server.kubectl(['patch', 'vm', 'manual', '--subresource=status', '--type=merge', '-p', START])
    const first = await Promise.all(Object.keys(strategies).map((name) => running(name)))
    for (const vmi of first) await until('it boots', async () => (await boots(vmi)) === 1)
    for (const vmi of first) assert.ok(killExactly(qemuOf(vmi)))
    for (const name of ['always', 'rerun']) {
      const before = first.find(({ metadata }) => metadata.name === name)?.metadata.uid
      const second = await running(name, before)
      await until(`the disk of ${name} is the same`, async () => (await boots(second)) === 2)
    }
    const failed = await inPhase('manual', 'Failed')
    assert.equal(failed.status?.reason, 'Crashed')
    await remove(...Object.keys(strategies))
  })

  test('a machine whose storage goes away is reset, never continued', { timeout: 180_000 }, async () => {
    await server.apply(onDisk('always', 'Always', '/stands.img'), onDisk('manual', 'Manual', '/stands.img'))
    await server.kubectl(['patch', 'vm', 'manual', '--subresource=status', '--type=merge', '-p', START])
    const first = await Promise.all(['always', 'manual'].map((name) => running(name)))
    for (const vmi of first) await until('it boots', async () => (await boots(vmi)) === 1)
    const daemons = processesOf(server.data).filter(isStorageDaemon)
    assert.equal(daemons.length, 2)
    for (const daemon of daemons) assert.ok(killExactly(daemon))
    const failed = await inPhase('manual', 'Failed')
    assert.equal(failed.status?.reason, 'VolumeLost')
    const pods = await server.client.list(Pod, { namespace: 'default' })
    const pod = pods.items.find(({ metadata }) => metadata.name?.startsWith('virt-launcher-manual'))
    assert.equal(pod?.status?.reason, 'VolumeLost')
    assert.match(pod?.status?.message ?? '', /volume root: the storage of pvc-\S+ went away/)
    const second = await running('always', first[0]?.metadata.uid)
    await until('the disk is the same', async () => (await boots(second)) === 2)
    // The same while nobody watches: the loss is noticed at the next start.
    await server.kill9()
    for (const daemon of processesOf(server.data).filter(isStorageDaemon)) killExactly(daemon)
    await server.start()
    const third = await running('always', second.metadata.uid)
    await until('the disk is still the same', async () => (await boots(third)) === 3)
    await remove('always', 'manual')
  })

  test('start, stop and restart by their doors', { timeout: 180_000 }, async (t) => {
    await server.apply(machine({ name: 'door', runStrategy: 'Halted' }))
    const door = async (action: string): Promise<number> => {
      const path = `/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/door/${action}`
      const ran = await server.tryKubectl(['replace', '--raw', path, '-f', '-'], '{}')
      if (ran.code !== 0 && /404|not find/.test(ran.stderr)) return 404
      assert.equal(ran.code, 0, ran.stderr)
      return 202
    }
    if ((await door('start')) === 404) return t.skip('the doors are not open yet')
    const first = await running('door')
    await door('restart')
    const second = await running('door', first.metadata.uid)
    assert.notEqual(second.metadata.uid, first.metadata.uid)
    await door('stop')
    await word('door', 'Stopped')
    await until('nothing runs', () => server.qemus().length === 0)
    await remove('door')
  })
})

const START = JSON.stringify({ status: { stateChangeRequests: [{ action: 'Start' }] } })
