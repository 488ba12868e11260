// A machine that runs is kept with its disk, the disk is grown and written on, and a new machine comes back from what
// was kept: it boots, and its disk is a copy of its own.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PersistentVolumeClaim } from '../../src/kinds/core/persistent-volume-claim.ts'
import { VirtualMachineBackup } from '../../src/kinds/harvester/virtual-machine-backup.ts'
import { VirtualMachineRestore } from '../../src/kinds/harvester/virtual-machine-restore.ts'
import { VirtualMachine } from '../../src/kinds/kubevirt/virtual-machine.ts'
import { Engine } from '../../src/kinds/longhorn/engine.ts'
import { Snapshot } from '../../src/kinds/longhorn/snapshot.ts'
import { Volume } from '../../src/kinds/longhorn/volume.ts'
import { ALLOW_LOOPBACK, demoImage, type ImageServer, imported, machine, startImageServer } from './guest.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
const NAMESPACE = 'longhorn-system'
const LIMIT_MS = 150_000
let server: E2eServer
let images: ImageServer

describe('a machine that is kept', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/demo.img', { file: await demoImage() })
    await server.apply(ALLOW_LOOPBACK)
    await server.apply(
      machine({
        name: 'web',
        dataVolumeTemplates: [imported('web-root', images.url('/demo.img'))],
        disks: [{ name: 'root', disk: { bus: 'virtio' } }],
        volumes: [{ name: 'root', dataVolume: { name: 'web-root' } }],
      }),
    )
    await server.kubectl(['wait', 'vm/web', '--for=condition=Ready', '--timeout=120s'])
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test('kept while it runs, grown, and back as a second machine', { timeout: 400_000 }, async () => {
    await server.apply({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineBackup',
      metadata: { name: 'kept' },
      spec: { type: 'snapshot', source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
    })
    await until(
      'the machine is kept',
      async () => (await server.find(VirtualMachineBackup, 'kept'))?.status?.readyToUse === true,
      LIMIT_MS,
      async () => [
        (await server.find(VirtualMachineBackup, 'kept'))?.status,
        (await server.client.list(Snapshot, { namespace: NAMESPACE })).items,
        (await server.client.list(Engine, { namespace: NAMESPACE })).items[0]?.status,
      ],
    )
    const larger = { spec: { resources: { requests: { storage: '400Mi' } } } }
    await server.client.patch(PersistentVolumeClaim, 'web-root', larger, { namespace: 'default' })
    await until(
      'the disk has grown',
      async () =>
        (await server.find(PersistentVolumeClaim, 'web-root'))?.status?.capacity?.['storage'] === '400Mi',
      LIMIT_MS,
      async () => (await server.client.list(Engine, { namespace: NAMESPACE })).items[0]?.status,
    )
    await server.apply({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineRestore',
      metadata: { name: 'back' },
      spec: {
        newVM: true,
        target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'twin' },
        virtualMachineBackupName: 'kept',
        virtualMachineBackupNamespace: 'default',
      },
    })
    await until(
      'the second machine is back',
      async () => (await server.find(VirtualMachineRestore, 'back'))?.status?.complete === true,
      LIMIT_MS,
      async () => [
        (await server.find(VirtualMachineRestore, 'back'))?.status,
        (await server.client.list(Volume, { namespace: NAMESPACE })).items.map(({ status }) => status),
      ],
    )
    await server.kubectl(['wait', 'vm/twin', '--for=condition=Ready', '--timeout=150s'])
    const twin = await server.find(VirtualMachine, 'twin')
    const [root] = twin?.spec.template?.spec?.volumes ?? []
    assert.match(root?.persistentVolumeClaim?.claimName ?? '', /^restore-kept-/)
    const { items } = await server.client.list(Volume, { namespace: NAMESPACE })
    const copy = items.find(({ spec }) => spec?.dataSource)
    assert.match(copy?.spec?.dataSource ?? '', /^snap:\/\//)
    assert.equal(copy?.spec?.backingImage ?? '', '')
  })
})
