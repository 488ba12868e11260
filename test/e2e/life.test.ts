// The way of a machine through real kubectl: from an image on a web server to a running guest, in KubeVirt's form and
// in Harvester's, and away again without a trace.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { DataVolume } from '../../src/kinds/cdi/data-volume.ts'
import { PersistentVolumeClaim } from '../../src/kinds/core/persistent-volume-claim.ts'
import { Pod } from '../../src/kinds/core/pod.ts'
import { VirtualMachineImage } from '../../src/kinds/harvester/virtual-machine-image.ts'
import { VirtualMachine } from '../../src/kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { BackingImage } from '../../src/kinds/longhorn/backing-image.ts'
import { Volume } from '../../src/kinds/longhorn/volume.ts'
import {
  ALLOW_LOOPBACK,
  blank,
  demoImage,
  type ImageServer,
  imported,
  machine,
  serialLog,
  startImageServer,
} from './guest.ts'
import { isStorageDaemon, processesOf } from './processes.ts'
import { type E2eServer, startE2eServer, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
/** Emulation on a shared host. */
const BOOT_MS = 120_000
let server: E2eServer
let images: ImageServer

/** What `kubectl get -w` prints until it is ended. */
function watching(argv: readonly string[]): { readonly lines: () => readonly string[]; end(): void } {
  const child = spawn(server.kubectlPath, argv, { env: server.env, stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString()
  })
  return { lines: () => text.split('\n'), end: () => void child.kill('SIGKILL') }
}

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl jo@example'
const SEED = {
  name: 'seed',
  cloudInitNoCloud: {
    userData: `#cloud-config
hostname: lifted
users:
- name: jo
  ssh_authorized_keys:
  - ${KEY}
runcmd:
- 'echo seen $(hostname) $(id -un jo) $(cut -d" " -f3 ~jo/.ssh/authorized_keys) > /dev/ttyS0'
`,
  },
}

async function leavesNothing(uid: string): Promise<void> {
  await until('no QEMU is left', () => server.qemus().length === 0)
  await until(
    'no storage daemon is left',
    () => processesOf(server.data).filter(isStorageDaemon).length === 0,
  )
  await until('no network device is left', async () => (await server.taps()).length === 0)
  await until('the folder is gone', () => !existsSync(join(server.data, 'machines', uid)))
}

const names = (path: string): readonly string[] => (existsSync(path) ? readdirSync(path) : [])

describe('the life of a machine', { skip }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/demo.qcow2', { file: await demoImage() })
    await server.apply(ALLOW_LOOPBACK)
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test('from dataVolumeTemplates to a guest that tells of itself, and away', {
    timeout: 300_000,
  }, async () => {
    const watch = watching(['get', 'vm', '-o', 'wide', '-w'])
    await server.apply(
      machine({
        name: 'one',
        memory: '192Mi',
        network: true,
        dataVolumeTemplates: [imported('one-root', images.url('/demo.qcow2'))],
        disks: [
          { name: 'root', disk: { bus: 'virtio' } },
          { name: 'seed', disk: { bus: 'virtio' } },
        ],
        volumes: [{ name: 'root', dataVolume: { name: 'one-root' } }, SEED],
        more: {
          accessCredentials: [
            {
              sshPublicKey: {
                source: { secret: { secretName: 'keys' } },
                propagationMethod: { qemuGuestAgent: { users: ['jo'] } },
              },
            },
          ],
        },
      }),
    )
    const KEY_2 = KEY.replace('jo@example', 'jo@elsewhere')
    await server.kubectl(['create', 'secret', 'generic', 'keys', `--from-literal=key=${KEY_2}`])
    const vmi = await until(
      'the guest agent speaks',
      async () => {
        const now = await server.find(VirtualMachineInstance, 'one')
        return now?.status?.guestOSInfo?.name !== undefined && now
      },
      BOOT_MS,
    )
    watch.end()
    const uid = vmi.metadata.uid ?? ''
    const words = watch.lines().filter((line) => line.startsWith('one '))
    const order = ['Provisioning', 'Starting', 'Running']
    const firsts = order.map((word) => words.findIndex((line) => line.includes(word)))
    assert.ok(firsts[2]! >= 0 && firsts[0]! < firsts[1]! && firsts[1]! < firsts[2]!, words.join('\n'))
    assert.match(vmi.status?.interfaces?.[0]?.ipAddress ?? '', /^\d+\.\d+\.\d+\.\d+$/)
    const log = await until(
      'cloud-init was heeded',
      async () => {
        const said = await serialLog(server.data, uid)
        return said.includes('seen lifted jo jo@example') && said
      },
      60_000,
      () => serialLog(server.data, uid),
    )
    assert.match(log, /lifted login:/)
    await until(
      'the keys are in the guest',
      async () => {
        const now = await server.find(VirtualMachineInstance, 'one')
        const found = now?.status?.conditions?.find(({ type }) => type === 'AccessCredentialsSynchronized')
        return found?.status === 'True'
      },
      60_000,
      async () => (await server.find(VirtualMachineInstance, 'one'))?.status?.conditions,
    )
    const pods = await server.kubectl(['get', 'pod', '-l', 'kubevirt.io=virt-launcher', '-o', 'wide'])
    assert.match(pods, /^virt-launcher-one-\S+\s+1\/1\s+Running/m)
    const wide = await server.kubectl(['get', 'vm,vmi', '-o', 'wide'])
    assert.match(wide, /virtualmachine.kubevirt.io\/one\s+\S+\s+Running\s+True/)
    assert.match(wide, /virtualmachineinstance.kubevirt.io\/one\s+\S+\s+Running/)
    assert.ok((await server.taps()).length <= 1)
    const replicas = names(join(server.data, 'disks/default/replicas'))
    assert.equal(replicas.length, 1)

    await server.kubectl(['delete', 'vm', 'one', '--timeout=60s'])
    await leavesNothing(uid)
    await until('objects are gone', async () => {
      const left = await server.kubectl(['get', 'vm,vmi,pod,dv,pvc,pv', '-A', '-o', 'name'])
      return left.trim() === ''
    })
    await until('volume and image are gone', async () => {
      const volumes = await server.client.list(Volume)
      const files = await server.client.list(BackingImage)
      return volumes.items.length === 0 && files.items.length === 0
    })
    await until('files are gone', () => {
      const at = join(server.data, 'disks/default')
      return names(join(at, 'replicas')).length + names(join(at, 'backing-images')).length === 0
    })
    await until(
      'what outlives single runs is gone with the machine',
      () => names(join(server.data, 'machine-state')).length === 0,
    )
  })

  test("Harvester's form: an image by its id, claims from the annotation", { timeout: 300_000 }, async () => {
    await server.apply({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: 'demo', namespace: 'default' },
      spec: { displayName: 'demo', sourceType: 'download', url: images.url('/demo.qcow2') },
    })
    const image = await until('the image is there', async () => {
      const now = await server.find(VirtualMachineImage, 'demo')
      return now?.status?.progress === 100 && now.status.storageClassName !== undefined && now
    })
    const claim = (name: string, more: object) => ({
      metadata: { name, ...more },
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        resources: { requests: { storage: '300Mi' } },
        storageClassName: image.status?.storageClassName,
      },
    })
    const templates = [
      claim('two-root', { annotations: { 'harvesterhci.io/imageId': 'default/demo' } }),
      { ...claim('two-data', {}), spec: { ...claim('', {}).spec, storageClassName: 'harvester-longhorn' } },
    ]
    await server.apply(
      machine({
        name: 'two',
        annotations: { 'harvesterhci.io/volumeClaimTemplates': JSON.stringify(templates) },
        memory: '192Mi',
        disks: ['root', 'data'].map((name) => ({ name, disk: { bus: 'virtio' } })),
        volumes: ['root', 'data'].map((name) => ({
          name,
          persistentVolumeClaim: { claimName: `two-${name}` },
        })),
      }),
    )
    await server.kubectl(['wait', 'vm/two', '--for=condition=Ready', '--timeout=55s'])
    const vmi = await server.client.get(VirtualMachineInstance, 'two', { namespace: 'default' })
    await until(
      'the login prompt',
      async () => (await serialLog(server.data, vmi.metadata.uid ?? '')).includes('login:'),
      BOOT_MS,
    )
    // Only the chosen one goes with the machine.
    await server.kubectl(['annotate', 'vm', 'two', 'harvesterhci.io/removedPersistentVolumeClaims=two-root'])
    await server.kubectl(['delete', 'vm', 'two', '--timeout=60s'])
    await leavesNothing(vmi.metadata.uid ?? '')
    await until(
      'the chosen claim is gone',
      async () => !(await server.find(PersistentVolumeClaim, 'two-root')),
    )
    const kept = await server.find(PersistentVolumeClaim, 'two-data')
    assert.equal(kept?.status?.phase, 'Bound')
    await server.kubectl(['delete', 'pvc', 'two-data', '--timeout=30s'])
    await server.kubectl(['delete', 'vmimage', 'demo', '--timeout=30s'])
    await until('every file is gone', () => {
      const at = join(server.data, 'disks/default')
      return names(join(at, 'replicas')).length + names(join(at, 'backing-images')).length === 0
    })
  })

  test('case VM-09: deleting a machine frees what it does not own', { timeout: 120_000 }, async () => {
    const data = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'shared-data', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        storageClassName: 'harvester-longhorn',
        resources: { requests: { storage: '64Mi' } },
      },
    }
    const wish = {
      name: 'three',
      dataVolumeTemplates: [blank('three-root')],
      disks: ['root', 'data'].map((name) => ({ name, disk: { bus: 'virtio' } })),
      volumes: [
        { name: 'root', dataVolume: { name: 'three-root' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'shared-data' } },
      ],
    }
    const runs = async (): Promise<void> => {
      await server.apply(data, machine(wish))
      await server.kubectl(['wait', 'vm/three', '--for=condition=Ready', '--timeout=55s'])
    }
    const gone = (name: string): Promise<unknown> =>
      until(`${name} is gone`, async () => !(await server.find(PersistentVolumeClaim, name)))
    await runs()
    await server.kubectl(['delete', 'vm', 'three', '--timeout=60s'])
    await gone('three-root')
    assert.ok(!(await server.find(DataVolume, 'three-root')))
    const free = await server.find(PersistentVolumeClaim, 'shared-data')
    assert.equal(free?.metadata.deletionTimestamp, undefined)
    assert.deepEqual(
      Object.keys(free?.metadata.annotations ?? {}).filter((key) => key.includes('own')),
      [],
    )

    await runs()
    await server.kubectl([
      'annotate',
      'vm',
      'three',
      'harvesterhci.io/removedPersistentVolumeClaims=three-root,shared-data',
    ])
    await server.kubectl(['delete', 'vm', 'three', '--timeout=60s'])
    await gone('three-root')
    await gone('shared-data')
    assert.equal((await server.client.list(VirtualMachine)).items.length, 0)
    assert.equal((await server.client.list(Pod)).items.length, 0)
  })
})
