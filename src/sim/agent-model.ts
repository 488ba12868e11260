// A small model of a node's agent: the same conversation with the API as src/node has, over simulated QEMUs and
// storage daemons instead of programs.
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { keyOf } from '../base/object.ts'
import type { Client } from '../client/client.ts'
import { createInformers, type Informers } from '../client/informer.ts'
import { Node } from '../kinds/core/node.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import { VolumeEpoch } from '../kinds/croft/volume-epoch.ts'
import type { Kind } from '../kinds/kind.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { Engine } from '../kinds/longhorn/engine.ts'
import { Node as LonghornNode } from '../kinds/longhorn/node.ts'
import { Replica } from '../kinds/longhorn/replica.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { DONE, type KeyedWork, keyedWork, RETRY, type WorkAnswer } from '../node/keyed-work.ts'
import type { Qemu, SimNode } from './node-model.ts'
import type { SimProcess } from './process.ts'
import { hostOf } from './test-host.ts'

const LEASE_SECONDS = 40
const RENEW_MS = 10_000
const GIB = 1024 ** 3
const SYSTEM = 'longhorn-system'

export interface AgentModelOptions {
  readonly process: SimProcess
  readonly client: Client
  readonly node: SimNode
}

export function runAgentModel(options: AgentModelOptions): void {
  void new AgentModel(options).run()
}

class AgentModel {
  readonly #process: SimProcess
  readonly #client: Client
  readonly #node: SimNode
  readonly #informers: Informers
  readonly #end = new AbortController()
  readonly #machines: KeyedWork
  readonly #replicas: KeyedWork
  readonly #engines: KeyedWork
  /** Shutdowns under way, by Pod uid. */
  readonly #stopping = new Set<string>()

  constructor({ process, client, node }: AgentModelOptions) {
    this.#process = process
    this.#client = client
    this.#node = node
    const host = hostOf(process)
    const { signal } = this.#end
    this.#informers = createInformers(client, host, { signal })
    const work = (name: string, look: (key: string) => Promise<WorkAnswer>): KeyedWork =>
      keyedWork({ host, signal, name, concurrency: 8, work: look })
    this.#machines = work('machine', (key) => this.#lookAtPod(key))
    this.#replicas = work('replica', (key) => this.#lookAtReplica(key))
    this.#engines = work('engine', (key) => this.#lookAtEngine(key))
  }

  async run(): Promise<void> {
    const { clock } = this.#process
    for (let registered = false; !registered; ) {
      registered = await this.#register().then(
        () => true,
        () => false,
      )
      if (!registered) await clock.sleep(1_000)
    }
    void this.#beat()
    const informers = this.#informers
    const all = [VirtualMachineInstance, PersistentVolumeClaim, Volume, Replica, Engine, VolumeEpoch]
    informers.start(Pod, { fieldSelector: `spec.nodeName=${this.#node.name}` })
    for (const kind of all) informers.start(kind)
    await informers.synced()
    this.#sweep()
    informers.subscribe(Pod, ({ object }) => this.#machines.add(keyOf(object)))
    for (const kind of [VirtualMachineInstance, Volume, PersistentVolumeClaim, Engine]) {
      informers.subscribe(kind, () => this.#wakeMachines())
    }
    informers.subscribe(Replica, ({ object }) => {
      this.#replicas.add(keyOf(object))
      const engine = (object as Replica).spec?.engineName
      if (engine) this.#engines.add(`${SYSTEM}/${engine}`)
    })
    informers.subscribe(Engine, ({ object }) => this.#engines.add(keyOf(object)))
    this.#process.onDeath(this.#node.onEnd(() => this.#wakeMachines()))
  }

  #wakeMachines(): void {
    for (const pod of this.#informers.look.list(Pod)) this.#machines.add(keyOf(pod))
  }

  /** Machines whose Pod went while nobody looked. */
  #sweep(): void {
    const present = new Set(this.#informers.look.list(Pod).map((pod) => pod.metadata.uid))
    for (const qemu of [...this.#node.qemus.values()]) {
      if (!present.has(qemu.podUid)) this.#discard(qemu)
    }
    // An ended replica object took its finalizer from us only after the files were gone, so none are left over.
  }

  #discard(qemu: Qemu): void {
    this.#node.endQemu(qemu.podUid, 'crashed')
    this.#node.qemus.delete(qemu.podUid)
  }

  // --- the node itself ---

  async #register(): Promise<void> {
    const { name } = this.#node
    const labels = { 'kubernetes.io/hostname': name, 'kubevirt.io/schedulable': 'true' }
    await this.#ensure(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } })
    await this.#reportNode()
    await this.#renew()
    await this.#ensure(LonghornNode, {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Node',
      metadata: { name, namespace: SYSTEM },
      spec: {
        name,
        allowScheduling: true,
        disks: { 'default-disk': { path: '/disk', allowScheduling: true, storageReserved: 0 } },
      },
    })
    const good = ['Ready', 'Schedulable'].map((type) => ({ type, status: 'True', reason: '', message: '' }))
    const disk = {
      diskUUID: `disk-${name}`,
      diskPath: '/disk',
      storageAvailable: 500 * GIB,
      storageMaximum: 500 * GIB,
      conditions: good,
    }
    await this.#patch(LonghornNode, name, SYSTEM, { conditions: good, diskStatus: { 'default-disk': disk } })
  }

  async #reportNode(): Promise<void> {
    const amounts = { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' }
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'the agent is ready' },
    ]
    const present = await this.#client.get(Node, this.#node.name)
    const rest = (present.status?.conditions ?? []).filter((one) => one.type === 'Unused')
    await this.#patch(Node, this.#node.name, undefined, {
      capacity: amounts,
      allocatable: {
        ...amounts,
        'devices.kubevirt.io/kvm': '1k',
        'devices.kubevirt.io/tun': '1k',
        'devices.kubevirt.io/vhost-net': '1k',
      },
      nodeInfo: { containerRuntimeVersion: 'croft://sim' },
      conditions: [...rest, ...conditions],
    })
  }

  async #renew(): Promise<void> {
    const { name } = this.#node
    const renewTime = new Date(this.#process.clock.now()).toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime }
    await this.#ensure(Lease, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec,
    })
    await this.#client.patch(Lease, name, { spec }, { namespace: 'kube-node-lease' })
  }

  async #beat(): Promise<void> {
    for (;;) {
      await this.#process.clock.sleep(RENEW_MS)
      await this.#renew().catch(() => undefined)
      const present = await this.#client.get(Node, this.#node.name).catch(() => undefined)
      const ready = present?.status?.conditions?.find((one) => one.type === 'Ready')?.status
      if (present !== undefined && ready !== 'True') await this.#reportNode().catch(() => undefined)
    }
  }

  async #ensure(kind: Kind, object: KubeObject): Promise<void> {
    try {
      await this.#client.create(kind, object)
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== 'AlreadyExists') throw error
    }
  }

  async #patch(
    kind: Kind,
    name: string,
    namespace: string | undefined,
    status: object,
    version?: string,
  ): Promise<void> {
    const metadata = version === undefined ? {} : { metadata: { resourceVersion: version } }
    const answer = await this.#client.patch(kind, name, { ...metadata, status } as unknown as JsonObject, {
      subresource: 'status',
      ...(namespace === undefined ? {} : { namespace }),
    })
    if (this.#informers !== undefined) this.#informers.absorb(kind, answer)
  }

  // --- machines ---

  async #lookAtPod(key: string): Promise<WorkAnswer> {
    const [namespace = '', name = ''] = key.split('/')
    const { look } = this.#informers
    const pod = look.get(Pod, namespace, name)
    for (const qemu of [...this.#node.qemus.values()]) {
      const owner = look.list(Pod).find((one) => one.metadata.uid === qemu.podUid)
      if (owner === undefined) this.#discard(qemu)
    }
    if (pod === undefined || pod.metadata.labels?.['kubevirt.io'] !== 'virt-launcher') return DONE
    const qemu = this.#node.qemus.get(pod.metadata.uid ?? '')
    if (pod.metadata.deletionTimestamp !== undefined) return this.#terminate(pod, qemu)
    if (isFinal(pod.status?.phase)) return DONE
    const vmi = this.#vmiOf(pod)
    if (vmi === undefined) return RETRY
    if (qemu !== undefined) return this.#tell(pod, vmi, qemu)
    if (vmi.status?.phase === 'Running') return this.#lost(pod, vmi)
    if (vmi.status?.phase !== 'Scheduled' || !this.#volumesHere(pod)) return DONE
    await this.#process.clock.sleep(this.#process.random.between(30, 400))
    // Things may have changed while QEMU was being prepared.
    const again = look.get(Pod, namespace, name)
    if (again?.metadata.uid !== pod.metadata.uid || again?.metadata.deletionTimestamp !== undefined)
      return RETRY
    if (!this.#volumesHere(pod)) return RETRY
    this.#node.startQemu({
      podUid: pod.metadata.uid ?? '',
      machine: `${namespace}/${vmi.metadata.name}`,
      vmiUid: vmi.metadata.uid ?? '',
    })
    return { againMs: 0 }
  }

  #vmiOf(pod: Pod): VirtualMachineInstance | undefined {
    const owner = pod.metadata.ownerReferences?.find((one) => one.controller)
    const vmi = owner && this.#informers.look.get(VirtualMachineInstance, pod.metadata.namespace, owner.name)
    return vmi?.metadata.uid === owner?.uid ? vmi : undefined
  }

  #volumesHere(pod: Pod): boolean {
    const { look } = this.#informers
    const names = (pod.spec?.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? [])
    return names.every((claimName) => {
      const handle = look.get(PersistentVolumeClaim, pod.metadata.namespace, claimName)?.spec?.volumeName
      const volume = handle ? look.get(Volume, SYSTEM, handle) : undefined
      return volume?.status?.state === 'attached' && volume.status.currentNodeID === this.#node.name
    })
  }

  async #tell(pod: Pod, vmi: VirtualMachineInstance, qemu: Qemu): Promise<WorkAnswer> {
    const phase = qemu.state === 'running' ? 'Running' : qemu.end === 'shutdown' ? 'Succeeded' : 'Failed'
    return this.#report(pod, vmi, phase)
  }

  async #lost(pod: Pod, vmi: VirtualMachineInstance): Promise<WorkAnswer> {
    return this.#report(pod, vmi, 'Failed')
  }

  async #report(pod: Pod, vmi: VirtualMachineInstance | undefined, phase: string): Promise<WorkAnswer> {
    const ready = phase === 'Running' ? 'True' : 'False'
    try {
      if (vmi !== undefined && vmi.status?.phase !== phase && !isFinal(vmi.status?.phase)) {
        const others = (vmi.status?.conditions ?? []).filter((one) => one.type !== 'Ready')
        const conditions = [...others, { type: 'Ready', status: ready }]
        const { name = '', namespace = '', resourceVersion } = vmi.metadata
        await this.#patch(VirtualMachineInstance, name, namespace, { phase, conditions }, resourceVersion)
      }
      if (pod.status?.phase !== phase) {
        const others = (pod.status?.conditions ?? []).filter((one) => one.type !== 'Ready')
        const conditions = [...others, { type: 'Ready', status: ready }]
        const { name = '', namespace = '', resourceVersion } = pod.metadata
        await this.#patch(Pod, name, namespace, { phase, conditions }, resourceVersion)
      }
      return DONE
    } catch (error) {
      if (error instanceof ApiError && error.code === 409) return { againMs: 20 }
      if (error instanceof ApiError && error.code === 404) return DONE
      return RETRY
    }
  }

  async #terminate(pod: Pod, qemu: Qemu | undefined): Promise<WorkAnswer> {
    const uid = pod.metadata.uid ?? ''
    if (qemu?.state === 'running') {
      if (!this.#stopping.has(uid)) {
        this.#stopping.add(uid)
        void this.#shutDown(uid)
      }
      return DONE
    }
    this.#stopping.delete(uid)
    if (qemu !== undefined) {
      const told = await this.#report(pod, this.#vmiOf(pod), qemu.end === 'shutdown' ? 'Succeeded' : 'Failed')
      if (told !== DONE) return told
    }
    this.#node.qemus.delete(uid)
    const { name = '', namespace = '' } = pod.metadata
    try {
      await this.#client.delete(Pod, name, { namespace, graceSeconds: 0, uid })
    } catch (error) {
      if (!(error instanceof ApiError) || ![404, 409].includes(error.code)) return RETRY
    }
    return DONE
  }

  async #shutDown(uid: string): Promise<void> {
    const { clock, random } = this.#process
    await clock.sleep(random.chance(0.1) ? 30_000 : random.between(200, 4_000))
    this.#node.endQemu(uid, 'shutdown')
  }

  // --- storage ---

  async #lookAtReplica(key: string): Promise<WorkAnswer> {
    const [namespace = '', name = ''] = key.split('/')
    const replica = this.#informers.look.get(Replica, namespace, name)
    if (replica?.spec?.nodeID !== this.#node.name) return DONE
    const uid = replica.metadata.uid ?? ''
    const { clock, random } = this.#process
    const { daemons, files } = this.#node
    try {
      if (replica.metadata.deletionTimestamp !== undefined) {
        daemons.delete(uid)
        files.delete(uid)
        const finalizers = (replica.metadata.finalizers ?? []).filter((word) => word !== 'longhorn.io')
        if (finalizers.length < (replica.metadata.finalizers ?? []).length) {
          await this.#client.patch(Replica, name, { metadata: { finalizers } }, { namespace })
        }
        return DONE
      }
      const running = replica.spec.desireState === 'running'
      if (running !== daemons.has(uid)) await clock.sleep(random.between(10, 200))
      files.add(uid)
      if (running) daemons.add(uid)
      else daemons.delete(uid)
      const currentState = running ? 'running' : 'stopped'
      if (replica.status?.currentState !== currentState) {
        await this.#patch(Replica, name, namespace, {
          currentState,
          started: running,
          storageIP: '127.0.0.1',
          port: 0,
        })
      }
      return DONE
    } catch (error) {
      return error instanceof ApiError && error.code === 404 ? DONE : RETRY
    }
  }

  async #lookAtEngine(key: string): Promise<WorkAnswer> {
    const [namespace = '', name = ''] = key.split('/')
    const engine = this.#informers.look.get(Engine, namespace, name)
    if (engine === undefined) return DONE
    const wanted = engine.spec?.desireState === 'running' && engine.spec.nodeID === this.#node.name
    try {
      if (wanted && engine.metadata.deletionTimestamp === undefined) return await this.#runEngine(engine)
      if (engine.status?.ownerID !== this.#node.name || engine.status.currentState !== 'running') return DONE
      await this.#patch(Engine, name, namespace, {
        currentState: 'stopped',
        endpoint: '',
        replicaModeMap: {},
      })
      return DONE
    } catch (error) {
      return error instanceof ApiError && error.code === 404 ? DONE : RETRY
    }
  }

  async #runEngine(engine: Engine): Promise<WorkAnswer> {
    const { name = '', namespace = '' } = engine.metadata
    const members = Object.keys(engine.spec?.replicaAddressMap ?? {})
    const { look } = this.#informers
    const here = members.every((member) => {
      const replica = look.get(Replica, namespace, member)
      // A replica of another node is reached over the network; one of ours must have its daemon.
      return (
        replica !== undefined &&
        (replica.spec?.nodeID !== this.#node.name || this.#node.daemons.has(replica.metadata.uid ?? ''))
      )
    })
    if (!here || members.length === 0) return RETRY
    if (engine.status?.currentState === 'running' && engine.status.ownerID === this.#node.name) return DONE
    const volumeName = engine.spec?.volumeName ?? ''
    const epoch = look.get(VolumeEpoch, namespace, volumeName)
    if (epoch === undefined) return RETRY
    const next = Number(epoch.spec.epoch) + 1
    const incarnation = this.#process.random.uuid().slice(0, 8)
    const committed = await this.#client.patch(
      VolumeEpoch,
      volumeName,
      {
        metadata: { resourceVersion: epoch.metadata.resourceVersion ?? '' },
        spec: {
          epoch: next,
          inSync: members.map((replica) => ({ replica, incarnation })),
          cleanShutdown: false,
        },
      } as JsonObject,
      { namespace },
    )
    this.#informers.absorb(VolumeEpoch, committed)
    await this.#patch(Engine, name, namespace, {
      currentState: 'running',
      ownerID: this.#node.name,
      endpoint: `nbd+unix:///${members[0]}-${next}-${incarnation}?socket=/run/${members[0]}`,
      currentSize: engine.spec?.volumeSize ?? '0',
      replicaModeMap: Object.fromEntries(members.map((member) => [member, 'RW'])),
    })
    return DONE
  }
}

function isFinal(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}
