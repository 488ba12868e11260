// What the machine benchmarks run: a disk image whose guest halts at once, machines on it, and the way their phases
// are heard of.
import { execFileSync } from 'node:child_process'
import { createReadStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../src/base/errors.ts'
import type { Client } from '../src/client/client.ts'
import { Setting } from '../src/kinds/harvester/setting.ts'
import { VirtualMachineImage } from '../src/kinds/harvester/virtual-machine-image.ts'
import { VirtualMachine } from '../src/kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../src/kinds/kubevirt/virtual-machine-instance.ts'

const IMAGE_BYTES = 64 * 1024 * 1024
const IMAGE_TIMEOUT_MS = 60_000
const PHASE_TIMEOUT_MS = 60_000
/** cli; hlt; and again: the firmware loads it and the guest costs nothing from then on. */
const HALT = [0xfa, 0xf4, 0xeb, 0xfd]
const NAMESPACE = 'default'
export const IMAGE = 'halt'

/** Imports the image of a guest that halts, from a server of our own. */
export async function importImage(client: Client): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'croft-image-'))
  const raw = join(folder, 'halt.raw')
  const disk = join(folder, 'halt.qcow2')
  const sector = Buffer.alloc(IMAGE_BYTES)
  sector.set(HALT)
  sector.set([0x55, 0xaa], 510)
  writeFileSync(raw, sector)
  execFileSync('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, disk])
  const web = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': statSync(disk).size })
    createReadStream(disk).pipe(response)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  const address = web.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  try {
    await allowLoopback(client)
    await client.create(VirtualMachineImage, {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: IMAGE, namespace: NAMESPACE },
      spec: { displayName: IMAGE, sourceType: 'download', url: `http://127.0.0.1:${port}/halt.qcow2` },
    } as never)
    await imported(client)
  } finally {
    web.closeAllConnections()
    web.close()
    rmSync(folder, { recursive: true })
  }
}

async function allowLoopback(client: Client): Promise<void> {
  const name = 'image-source-allow-list'
  const metadata = { name }
  const setting = { apiVersion: 'harvesterhci.io/v1beta1', kind: 'Setting', metadata, value: '127.0.0.1' }
  try {
    await client.create(Setting, setting as never)
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    await client.patch(Setting, name, { value: '127.0.0.1' })
  }
}

async function imported(client: Client): Promise<void> {
  const deadline = performance.now() + IMAGE_TIMEOUT_MS
  for (;;) {
    const image = await client.get(VirtualMachineImage, IMAGE, { namespace: NAMESPACE })
    const conditions = (
      image['status'] as { conditions?: { type: string; status: string; message?: string }[] }
    )?.conditions
    if (conditions?.some(({ type, status }) => type === 'Imported' && status === 'True')) return
    if (performance.now() > deadline)
      throw new Error(`the image does not import: ${JSON.stringify(image['status'])}`)
    await sleep(50)
  }
}

/** A machine in Harvester's form, on a disk of its own over the image. */
export function machineOf(name: string, network: boolean): VirtualMachine {
  const claim = `${name}-root`
  const templates = [
    {
      metadata: { name: claim, annotations: { 'harvesterhci.io/imageId': `${NAMESPACE}/${IMAGE}` } },
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ]
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name,
      namespace: NAMESPACE,
      annotations: { 'harvesterhci.io/volumeClaimTemplates': JSON.stringify(templates) },
    },
    spec: {
      runStrategy: 'Always',
      template: {
        spec: {
          terminationGracePeriodSeconds: 0,
          ...(network ? { networks: [{ name: 'default', pod: {} }] } : {}),
          domain: {
            memory: { guest: '64Mi' },
            // So that many fit on a small host.
            resources: { requests: { cpu: '10m' } },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              ...(network
                ? { interfaces: [{ name: 'default', masquerade: {} }] }
                : { autoattachPodInterface: false }),
            },
          },
          volumes: [{ name: 'root', persistentVolumeClaim: { claimName: claim } }],
        },
      },
    },
  } as never
}

export interface Phases {
  /** Resolves with the time (performance.now) at which the instance was first told to be in the phase. */
  reached(name: string, phase: string): Promise<number>
  stop(): void
}

/** Hears of all instances' phases by one watch, as a user would. */
export function watchPhases(client: Client): Phases {
  const abort = new AbortController()
  const at = new Map<string, number>()
  const waiting = new Map<string, (time: number) => void>()
  const hear = (object: VirtualMachineInstance): void => {
    const key = `${object.metadata.name}/${(object['status'] as { phase?: string } | undefined)?.phase ?? ''}`
    if (at.has(key)) return
    at.set(key, performance.now())
    waiting.get(key)?.(performance.now())
  }
  const follow = async (): Promise<void> => {
    // A watch that nothing happens on is ended now and then; the next one begins with what is there.
    while (!abort.signal.aborted) {
      try {
        const events = client.watch(VirtualMachineInstance, { namespace: NAMESPACE, signal: abort.signal })
        for await (const { type, object } of events) if (type !== 'BOOKMARK') hear(object)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
      }
    }
  }
  void follow()
  return {
    reached: (name, phase) =>
      new Promise((resolve, reject) => {
        const key = `${name}/${phase}`
        setTimeout(() => reject(new Error(`${key} is not reached`)), PHASE_TIMEOUT_MS).unref()
        const time = at.get(key)
        if (time === undefined) waiting.set(key, resolve)
        else resolve(time)
      }),
    stop: () => abort.abort(),
  }
}

/** Deletes them and waits until no instance is left. */
export async function removeMachines(client: Client, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => client.delete(VirtualMachine, name, { namespace: NAMESPACE })))
  for (;;) {
    const left = await client.list(VirtualMachineInstance, { namespace: NAMESPACE })
    if (!left.items.some(({ metadata }) => names.includes(metadata.name ?? ''))) return
    await sleep(100)
  }
}
