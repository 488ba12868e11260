// Who uses the storage world: makes the volume and the machine on it, moves the machine, takes snapshots and removes
// them, grows the volume; and who tells the control plane which nodes answer.
import type { KubeObject } from '../../base/object.ts'
import type { SeededRandom } from '../random.ts'
import { CONTROLLER } from '../real-api.ts'
import type { StorageWorld } from './storage-world.ts'
import { VOLUME } from './storage-world.ts'

const SYSTEM = 'longhorn-system'
export const SIZE_BYTES = 8_192
const GROW_BYTES = 4_096
const SIZE_MAX_BYTES = 16_384
/** Without a sign of life for so long a node counts as lost. Milliseconds. */
const LOST_AFTER_MS = 12_000
const GIB = 1024 ** 3

const good = ['Ready', 'Schedulable'].map((type) => ({ type, status: 'True', reason: '', message: '' }))

export class StorageUser {
  readonly #world: StorageWorld
  readonly #random: SeededRandom
  readonly #seen = new Map<string, number>()
  #pods = 0
  #snapshots = 0
  /** Where the machine is meant to run; undefined: it is off. */
  home: string | undefined
  sizeBytes = SIZE_BYTES

  constructor(world: StorageWorld) {
    this.#world = world
    this.#random = world.random.fork('user')
  }

  async #create(resource: string, group: string, object: KubeObject): Promise<void> {
    const { namespace } = object.metadata
    await this.#world.direct({
      verb: 'create',
      group,
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      body: object as never,
    })
  }

  async install(replicas: number): Promise<void> {
    for (const { name } of this.#world.computers) {
      await this.#create('nodes', '', this.#coreNode(name))
      await this.#create('nodes', 'longhorn.io', this.#storageNode(name))
    }
    const waitSeconds = this.#random.pick([5, 30, 600])
    await this.#create('settings', 'longhorn.io', {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Setting',
      metadata: { name: 'replica-replenishment-wait-interval', namespace: SYSTEM },
      value: String(waitSeconds),
    } as never)
    await this.#create('volumes', 'longhorn.io', {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Volume',
      metadata: { name: VOLUME, namespace: SYSTEM },
      spec: {
        size: String(SIZE_BYTES),
        numberOfReplicas: replicas,
        frontend: 'blockdev',
        accessMode: 'rwo',
        nodeID: '',
      },
    } as never)
    await this.#create('persistentvolumes', '', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: VOLUME },
      spec: {
        csi: { driver: 'driver.longhorn.io', volumeHandle: VOLUME },
        claimRef: { name: 'disk', namespace: 'default' },
      },
      status: { phase: 'Bound' },
    } as never)
    await this.#create('persistentvolumeclaims', '', {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'disk', namespace: 'default' },
      spec: { volumeName: VOLUME },
      status: { phase: 'Bound' },
    } as never)
    await this.place(this.#random.pick(this.#world.computers).name)
  }

  #coreNode(name: string): KubeObject {
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }] },
    } as never
  }

  #storageNode(name: string): KubeObject {
    const disk = {
      diskUUID: `disk-${name}`,
      diskPath: '/disk',
      storageAvailable: 500 * GIB,
      storageMaximum: 500 * GIB,
      conditions: good,
    }
    return {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Node',
      metadata: { name, namespace: SYSTEM },
      spec: {
        name,
        allowScheduling: true,
        disks: { d: { path: '/disk', allowScheduling: true, storageReserved: 0 } },
      },
      status: { conditions: good, diskStatus: { d: disk } },
    } as never
  }

  // --- the machine ---

  async place(node: string | undefined): Promise<void> {
    if (this.home !== undefined)
      await this.#world
        .direct({
          verb: 'delete',
          resource: 'pods',
          namespace: 'default',
          name: `machine-${this.#pods}`,
          body: { gracePeriodSeconds: 0 },
        })
        .catch(() => undefined)
    this.home = node
    this.#world.note('user', `the machine belongs on ${node ?? 'no node'}`)
    if (node === undefined) return
    this.#pods += 1
    await this.#create('pods', '', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `machine-${this.#pods}`, namespace: 'default' },
      spec: { nodeName: node, volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }] },
      status: { phase: 'Running' },
    } as never)
  }

  async act(goesOn: () => boolean): Promise<void> {
    const { world } = this.#world
    while (goesOn()) {
      await world.sleep(this.#random.between(300, 4_000))
      if (!goesOn()) return
      await this.#do(this.#random.below(12))
    }
  }

  async #do(what: number): Promise<void> {
    const { snapshots, computers } = this.#world
    if (what < 4) {
      if (snapshots.length >= 4) return
      this.#snapshots += 1
      snapshots.push(`s${this.#snapshots}`)
      this.#world.note('user', `wants snapshot s${this.#snapshots}`)
    } else if (what < 7) {
      if (snapshots.length === 0) return
      const [gone] = snapshots.splice(this.#random.below(snapshots.length), 1)
      this.#world.note('user', `removes snapshot ${gone}`)
    } else if (what < 9) await this.grow()
    else if (what === 9)
      await this.place(this.home === undefined ? this.#random.pick(computers).name : undefined)
    else if (what === 10) await this.place(this.#random.pick(computers).name)
  }

  async grow(): Promise<void> {
    if (this.sizeBytes >= SIZE_MAX_BYTES) return
    this.sizeBytes += GROW_BYTES
    this.#world.note('user', `wants ${this.sizeBytes} bytes`)
    await this.#world.direct({
      verb: 'patch',
      group: 'longhorn.io',
      resource: 'volumes',
      namespace: SYSTEM,
      name: VOLUME,
      body: { spec: { size: String(this.sizeBytes) } },
    })
  }

  // --- nodes ---

  /** What node-lifecycle and the nodes' own reports say. */
  async tellNodes(): Promise<void> {
    const { world } = this.#world
    for (const { name, up, disk } of this.#world.computers) {
      const alive = up && this.#world.agents.get(name)?.process.alive === true && this.#world.reachesApi(name)
      if (alive) this.#seen.set(name, world.nowMs)
      const lost = world.nowMs - (this.#seen.get(name) ?? 0) > LOST_AFTER_MS
      await this.#condition('nodes', '', name, lost ? 'Unknown' : 'True')
      void disk
    }
  }

  async #condition(resource: string, group: string, name: string, status: string): Promise<void> {
    const node = this.#world.objects<KubeObject>(resource).find((one) => one.metadata.name === name)
    const { conditions } = (node?.['status'] ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    }
    if (conditions?.find((one) => one.type === 'Ready')?.status === status) return
    this.#world.note('nodes', `${name} is ${status === 'True' ? 'ready' : 'lost'}`)
    await this.#world.direct({
      verb: 'patch',
      group,
      resource,
      name,
      subresource: 'status',
      user: CONTROLLER,
      body: { status: { conditions: [{ type: 'Ready', status, reason: 'sim', message: '' }] } },
    })
  }
}
