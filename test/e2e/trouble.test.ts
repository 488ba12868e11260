// What is missing, broken or full: each is told in words with a next step, goes on by itself once the cause is gone,
// and leaves nothing half-made.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { DataVolume } from '../../src/kinds/cdi/data-volume.ts'
import { PersistentVolumeClaim } from '../../src/kinds/core/persistent-volume-claim.ts'
import { VirtualMachineImage } from '../../src/kinds/harvester/virtual-machine-image.ts'
import { VirtualMachine } from '../../src/kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../src/kinds/kubevirt/virtual-machine-instance.ts'
import { bootSectorDisk } from './boot-sector.ts'
import { ALLOW_LOOPBACK, type ImageServer, imported, machine, startImageServer } from './guest.ts'
import { type E2eServer, freePort, startE2eServer, until, whyNoE2e } from './server.ts'

const skip = await whyNoE2e()
/** Every trouble is told within this. */
const TOLD_MS = 60_000
const NO_DIGEST = '0'.repeat(128)
let server: E2eServer
let images: ImageServer

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type?: string
      readonly status?: string
      readonly reason?: string
      readonly message?: string
    }[]
  }
}

function condition(object: Conditioned | undefined, type: string) {
  return object?.status?.conditions?.find((one) => one.type === type)
}

/** The reason and message of a condition, once it has that reason. */
function told(
  what: { readonly kind: Parameters<E2eServer['find']>[0]; readonly name: string },
  type: string,
  reason: string,
): Promise<string> {
  return until(
    `${what.kind.kind} ${what.name} tells ${reason}`,
    async () => {
      const found = condition((await server.find(what.kind, what.name)) as Conditioned | undefined, type)
      return found?.reason === reason && (found.message ?? '')
    },
    TOLD_MS,
    async () => (await server.find(what.kind, what.name))?.['status'],
  )
}

const vmi = (name: string) => ({ kind: VirtualMachineInstance, name })

function runs(name: string): Promise<unknown> {
  return until(
    `${name} runs`,
    async () => (await server.find(VirtualMachineInstance, name))?.status?.phase === 'Running',
    90_000,
    () => server.kubectl(['get', 'vm,vmi,pod,dv,pvc', '-o', 'wide']),
  )
}

const withClaim = (name: string, claimName: string): object =>
  machine({
    name,
    disks: [{ name: 'root', disk: { bus: 'virtio' } }],
    volumes: [{ name: 'root', persistentVolumeClaim: { claimName } }],
  })

const claim = (name: string, storageClassName: string): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: {
    accessModes: ['ReadWriteMany'],
    volumeMode: 'Block',
    storageClassName,
    resources: { requests: { storage: '16Mi' } },
  },
})

const image = (name: string, url: string, more: object = {}): object => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'VirtualMachineImage',
  metadata: { name, namespace: 'default' },
  spec: { displayName: name, sourceType: 'download', url, ...more },
})

const volume = (name: string, url: string): object => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  ...(imported(name, url, '16Mi') as { readonly metadata: object; readonly spec: object }),
})

const filesOf = (folder: string): readonly string[] => {
  const path = join(server.data, 'disks/default', folder)
  return existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
}

describe('what is missing', { skip, concurrency: true }, () => {
  before(async () => {
    server = await startE2eServer()
    images = await startImageServer()
    images.serve('/good.img', { bytes: bootSectorDisk() })
    await server.apply(ALLOW_LOOPBACK)
  })
  after(async () => {
    await images?.close()
    await server?.end()
  })

  test('a claim that is not there yet, and one without its class', async () => {
    await server.apply(withClaim('claimless', 'late'))
    assert.match(
      await told(vmi('claimless'), 'Synchronized', 'FailedPvcNotFound'),
      /default\/late does not exist, waiting for it to appear/,
    )
    await server.apply(claim('late', 'late-class'))
    await until(
      'the claim waits',
      async () => (await server.find(PersistentVolumeClaim, 'late'))?.status?.phase === 'Pending',
    )
    const events = await until('an event names the class', async () => {
      const text = await server.kubectl(['describe', 'pvc', 'late'])
      return /late-class/.test(text.split('Events:')[1] ?? '') && text
    })
    assert.match(events, /not found/)
    await server.apply({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'late-class' },
      provisioner: 'driver.longhorn.io',
      parameters: { numberOfReplicas: '1' },
    })
    await runs('claimless')
  })

  test('a Secret that is not there yet', async () => {
    await server.apply(
      machine({
        name: 'secretless',
        disks: [{ name: 'seed', disk: { bus: 'virtio' } }],
        volumes: [{ name: 'seed', cloudInitNoCloud: { secretRef: { name: 'late-secret' } } }],
      }),
    )
    assert.match(await told(vmi('secretless'), 'Synchronized', 'MissingSecret'), /late-secret/)
    await server.kubectl([
      'create',
      'secret',
      'generic',
      'late-secret',
      '--from-literal=userdata=#cloud-config',
    ])
    await runs('secretless')
  })

  test('a network that does not exist', async () => {
    const ran = await server.tryKubectl(
      ['apply', '-f', '-'],
      JSON.stringify(
        machine({
          name: 'netless',
          more: {
            networks: [{ name: 'vlan', multus: { networkName: 'default/no-such' } }],
            domain: {
              memory: { guest: '64Mi' },
              devices: { interfaces: [{ name: 'vlan', bridge: {} }] },
            },
          },
        }),
      ),
    )
    if (ran.code !== 0) return assert.match(ran.stderr, /no-such/)
    const found = await until('it is told', async () => {
      const seen = condition(await server.find(VirtualMachineInstance, 'netless'), 'Synchronized')
      return seen?.status === 'False' && seen
    })
    assert.match(found.message ?? '', /no-such/)
    await server.kubectl(['delete', 'vm', 'netless', '--timeout=30s'])
  })

  test('an image that is not there is refused at once', async () => {
    const templates = [
      {
        metadata: { name: 'x', annotations: { 'harvesterhci.io/imageId': 'default/no-image' } },
        spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
      },
    ]
    const vm = machine({
      name: 'imageless',
      annotations: { 'harvesterhci.io/volumeClaimTemplates': JSON.stringify(templates) },
    })
    const ran = await server.tryKubectl(['apply', '-f', '-'], JSON.stringify(vm))
    assert.notEqual(ran.code, 0)
    assert.match(ran.stderr, /image default\/no-image of claim x not found/)
  })

  test('a source that is dead is asked again until it answers', { timeout: 120_000 }, async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/late.img`
    await server.apply(
      machine({
        name: 'early',
        dataVolumeTemplates: [imported('early-root', url, '16Mi')],
        disks: [{ name: 'root', disk: { bus: 'virtio' } }],
        volumes: [{ name: 'root', dataVolume: { name: 'early-root' } }],
      }),
    )
    const said = await told({ kind: DataVolume, name: 'early-root' }, 'Running', 'Error')
    assert.match(said, /127\.0\.0\.1/)
    await until('the machine says so', async () => {
      const vm = await server.find(VirtualMachine, 'early')
      return vm?.status?.printableStatus === 'DataVolumeError'
    })
    const late = createServer((_request, response) => void response.end(bootSectorDisk()))
    await new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve))
    await runs('early')
    assert.equal((await server.find(DataVolume, 'early-root'))?.status?.phase, 'Succeeded')
    late.closeAllConnections()
    late.close()
  })

  test('a source that is short, and whole the next time', { timeout: 120_000 }, async () => {
    const disk = bootSectorDisk()
    images.serve('/short.img', { bytes: disk.subarray(0, 4096), promisedBytes: disk.length })
    await server.apply(volume('short', images.url('/short.img')))
    await told({ kind: DataVolume, name: 'short' }, 'Running', 'Error')
    images.serve('/short.img', { bytes: disk })
    await until(
      'it is whole',
      async () => (await server.find(DataVolume, 'short'))?.status?.phase === 'Succeeded',
      TOLD_MS,
      async () => (await server.find(DataVolume, 'short'))?.status,
    )
  })

  test('what is no image at all is final, and leaves no file', { timeout: 120_000 }, async () => {
    images.serve('/page.img', { bytes: new TextEncoder().encode(`<!doctype html>${' '.repeat(2_000)}`) })
    await server.apply(volume('page', images.url('/page.img')), image('page', images.url('/page.img')))
    const dv = await until('the volume failed', async () => {
      const now = await server.find(DataVolume, 'page')
      return now?.status?.phase === 'Failed' && now
    })
    assert.match(
      condition(dv, 'Running')?.message ?? '',
      /web page, not a disk image.*create the DataVolume anew/,
    )
    const said = await told(
      { kind: VirtualMachineImage, name: 'page' },
      'RetryLimitExceeded',
      'RetryLimitExceeded',
    )
    assert.match(said, /create the image again/)
    assert.equal(images.asked('/page.img'), 2)
    await server.kubectl(['delete', 'dv/page', 'vmimage/page', '--timeout=30s'])
    await until('no file is left', () => filesOf('backing-images').every((name) => !name.endsWith('/part')))
  })

  test('case IMG-05: a wrong checksum is final after its attempts', {
    timeout: 150_000,
  }, async () => {
    images.serve('/sum.img', { bytes: bootSectorDisk() })
    await server.apply(image('sum', images.url('/sum.img'), { checksum: NO_DIGEST, retry: 2 }))
    const said = await told({ kind: VirtualMachineImage, name: 'sum' }, 'Imported', 'ImportFailed')
    assert.match(said, new RegExp(`${NO_DIGEST}`))
    await told({ kind: VirtualMachineImage, name: 'sum' }, 'RetryLimitExceeded', 'RetryLimitExceeded')
    assert.equal(images.asked('/sum.img'), 2)
    const unused = await server.tryKubectl(
      ['apply', '-f', '-'],
      JSON.stringify({
        ...claim('from-sum', 'harvester-longhorn'),
        metadata: {
          name: 'from-sum',
          namespace: 'default',
          annotations: { 'harvesterhci.io/imageId': 'default/sum' },
        },
      }),
    )
    assert.notEqual(unused.code, 0)
    assert.match(unused.stderr, /default\/sum/)
  })
})

/** Stands before the real one in PATH and does as told by the file beside it. */
const SHADOW = `#!/bin/sh
read -r mood < "$(dirname "$0")/mood"
case $mood in
broken) echo 'it is broken' >&2; exit 1 ;;
dying) case "$*" in *guest=*) echo 'it does not like this guest' >&2; exit 1 ;; esac ;;
esac
exec /usr/bin/qemu-system-x86_64 "$@"
`

describe('a host in trouble', { skip }, () => {
  let bin = ''
  const mood = (word: string): void => writeFileSync(join(bin, 'mood'), `${word}\n`)

  test('a port that is taken and a data folder that is a file are told in one line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'croft-e2e-'))
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const taken = String((other.address() as AddressInfo).port)
    writeFileSync(join(folder, 'file'), '')
    const rows = [
      ['d', taken, /^croft: listening on 127\.0\.0\.1:\d+: the address is in use; .*choose another port\n$/],
      ['file', '0', /^croft: .*file.*\n$/],
    ] as const
    for (const [name, port, words] of rows) {
      const child = join(import.meta.dirname, 'child.ts')
      const ran = spawnSync(process.execPath, [child, join(folder, name), port], { timeout: 60_000 })
      assert.equal(ran.status, 1)
      const said = ran.stderr.toString()
      assert.match(
        said
          .split('\n')
          .filter((line) => line.startsWith('croft:'))
          .join('\n')
          .concat('\n'),
        words,
      )
    }
    other.close()
    await rm(folder, { recursive: true })
  })

  test('a QEMU that does not work, then one that dies at its start, then a whole one', {
    timeout: 240_000,
  }, async () => {
    const path = process.env['PATH'] ?? ''
    server = await startE2eServer({
      prepare: async (data) => {
        bin = join(data, '../bin')
        await mkdir(bin)
        writeFileSync(join(bin, 'qemu-system-x86_64'), SHADOW)
        await chmod(join(bin, 'qemu-system-x86_64'), 0o755)
        mood('broken')
      },
      envFor: (data) => ({ PATH: `${join(data, '../bin')}:${path}` }),
    })
    try {
      await server.apply(machine({ name: 'bold' }))
      const found = await until('a reason is told', async () => {
        const vm = await server.find(VirtualMachineInstance, 'bold')
        const one = condition(vm, 'Synchronized') ?? condition(vm, 'PodScheduled')
        return one?.status === 'False' && one
      })
      assert.match(found.message ?? '', /qemu|emulator|schedulable|nodes are available/i)
      mood('dying')
      const second = await until(
        'its words are told',
        async () => {
          const one = condition(await server.find(VirtualMachineInstance, 'bold'), 'Synchronized')
          return one?.message?.includes('it does not like this guest') && one
        },
        90_000,
        async () => (await server.find(VirtualMachineInstance, 'bold'))?.status,
      )
      assert.ok(second)
      await until(
        'the machine backs off',
        async () =>
          (await server.find(VirtualMachine, 'bold'))?.status?.printableStatus === 'CrashLoopBackOff',
        90_000,
        async () => (await server.find(VirtualMachine, 'bold'))?.status,
      )
      mood('well')
      await runs('bold')
      await server.kubectl(['delete', 'vm', 'bold', '--timeout=30s'])
      await until('nothing is left', () => server.qemus().length === 0)
    } finally {
      await server.end()
    }
  })

  test('a disk that is full during an import', { timeout: 180_000 }, async () => {
    let disk = ''
    images = await startImageServer()
    server = await startE2eServer({
      prepare: async (data) => {
        disk = join(data, 'disks/default')
        await mkdir(disk, { recursive: true })
        await chmod(join(data), 0o711)
        // Croft leaves 512 MiB of a disk alone.
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=544m,mode=711', 'tmpfs', disk])
      },
    })
    try {
      const big = new Uint8Array(64 * 1024 * 1024)
      big.set(bootSectorDisk())
      images.serve('/big.img', { bytes: big })
      await server.apply(ALLOW_LOOPBACK, volume('big', images.url('/big.img')))
      const said = await told({ kind: DataVolume, name: 'big' }, 'Running', 'Error')
      assert.match(said, /bytes free.*free space on the disk/)
      execFileSync('mount', ['-o', 'remount,size=2g', disk])
      await until(
        'the image is there',
        async () => condition(await server.find(DataVolume, 'big'), 'Running')?.reason !== 'Error',
        TOLD_MS,
        async () => (await server.find(DataVolume, 'big'))?.status,
      )
      await server.kubectl(['delete', 'dv', 'big', '--timeout=30s'])
      await until('no file is left', () => readdirSync(join(disk, 'backing-images')).length === 0)
    } finally {
      await server.kill9()
      execFileSync('umount', ['-l', disk])
      await images.close()
      await server.end()
    }
  })
})
