// A machine on three replicas that writes numbered records all the time: a replica dies and comes back, Croft is
// killed meanwhile, and no acknowledged record is lost.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { Engine } from '../../src/kinds/longhorn/engine.ts'
import { Replica } from '../../src/kinds/longhorn/replica.ts'
import { Volume } from '../../src/kinds/longhorn/volume.ts'
import { lastRecord, WRITER_CODE } from '../../src/node/volume/rig.fixture.ts'
import { ALLOW_LOOPBACK, type ImageServer, machine, serialLog, startImageServer } from './guest.ts'
import { isQemu, isStorageDaemon, killExactly, processesOf } from './processes.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

// Minutes, for lost replicas are given time before they are rebuilt: a part of the long rounds (test/soak/run).
const skip = process.env['CROFT_KILL_ROUNDS'] ? await whyNoE2e() : 'runs with the long rounds: npm run soak'
const NAMESPACE = 'longhorn-system'
let server: E2eServer
let images: ImageServer

/** One host has to do for all three. */
const THREE = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'three' },
  provisioner: 'driver.longhorn.io',
  parameters: {
    numberOfReplicas: '3',
    staleReplicaTimeout: '30',
    migratable: 'true',
    replicaSoftAntiAffinity: 'enabled',
    replicaDiskSoftAntiAffinity: 'enabled',
  },
}

const template = (url: string): object => ({
  metadata: { name: 'writer-root' },
  spec: {
    source: { http: { url } },
    storage: {
      accessModes: ['ReadWriteMany'],
      storageClassName: 'three',
      resources: { requests: { storage: '32Mi' } },
    },
  },
})

/** The writer of the storage tests as a disk of its own: it boots from what it writes to. */
function writerDisk(): Uint8Array {
  const disk = Buffer.alloc(16 * 1024 * 1024)
  disk.write(WRITER_CODE, 'hex')
  disk.writeUInt16LE(0xaa55, 510)
  return disk
}

const volume = async (): Promise<Volume | undefined> =>
  (await server.client.list(Volume, { namespace: NAMESPACE })).items[0]

const robust = (word: string): Promise<unknown> =>
  until(
    `the volume is ${word}`,
    async () => (await volume())?.status?.robustness === word,
    120_000,
    async () => ({
      engine: (await server.client.list(Engine, { namespace: NAMESPACE })).items[0]?.status,
      replicas: (await server.client.list(Replica, { namespace: NAMESPACE })).items.map(
        ({ metadata, spec, status }) => ({ name: metadata.name, spec, status }),
      ),
      log: (await readFile(server.log, 'utf8')).split('\n').slice(-20),
    }),
  )

const acked = async (uid: string): Promise<number> => lastRecord(await serialLog(server.data, uid))

async function progress(uid: string, count: number): Promise<void> {
  const from = await acked(uid)
  await until(
    `${count} records after ${from}`,
    async () => (await acked(uid)) >= from + count,
    60_000,
    async () => (await readFile(server.log, 'utf8')).split('\n').slice(-30).join('\n'),
  )
}

describe('a volume of three replicas', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/writer.img', { bytes: writerDisk() })
    await server.apply(ALLOW_LOOPBACK)
    await server.apply(THREE)
    await server.apply(
      machine({
        name: 'writer',
        dataVolumeTemplates: [template(images.url('/writer.img'))],
        disks: [{ name: 'root', disk: { bus: 'virtio' } }],
        volumes: [{ name: 'root', dataVolume: { name: 'writer-root' } }],
      }),
    )
    await server.kubectl(['wait', 'vm/writer', '--for=condition=Ready', '--timeout=90s'])
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test('a replica dies and comes back, and so does Croft: the guest writes on', {
    timeout: 400_000,
  }, async () => {
    const vmi = await server.find(VirtualMachineInstance, 'writer')
    const uid = vmi?.metadata.uid ?? ''
    const qemu = server.qemus()[0]?.pid
    await progress(uid, 50)
    await robust('healthy')
    const daemons = processesOf(server.data).filter(isStorageDaemon)
    assert.equal(daemons.length, 3)
    killExactly(daemons[1]!)
    await robust('degraded')
    await progress(uid, 50)
    await robust('healthy')
    await server.kill9()
    const [victim] = processesOf(server.data).filter(isStorageDaemon)
    killExactly(victim!)
    await server.start()
    await robust('degraded')
    await robust('healthy')
    await progress(uid, 50)
    assert.deepEqual(
      processesOf(server.data)
        .filter(isQemu)
        .map(({ pid }) => pid),
      [qemu],
    )
  })
})
