// Volumes, replicas and disks for tests of the volume's deciders: a small model in which an obedient data side does
// what the objects ask for, so that decisions can be followed to where they lead.
import type { JsonObject } from '../../base/json.ts'
import { mergePatch } from '../../base/patch/merge-patch.ts'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { LONGHORN_FINALIZER } from './children.ts'
import { decideVolume, type SeenVolume } from './decide.ts'
import type { DiskFacts } from './placement.ts'
import type { StorageSettings } from './settings.ts'

export const GIB = 1024n ** 3n

export const SETTINGS: StorageSettings = {
  rules: { overProvisioningPercent: 100n, minimalAvailablePercent: 25n },
  softNodeAntiAffinity: false,
  softZoneAntiAffinity: true,
  softDiskAntiAffinity: true,
  autoBalance: 'disabled',
  pressurePercent: 90n,
  replenishWaitMs: 600_000,
  rebuildsPerNode: 5,
  autoSalvage: true,
  offlineRebuilding: false,
  cleansSystemSnapshots: true,
  snapshotWarning: 100,
}

export function disk(nodeID: string, more: Partial<DiskFacts> = {}): DiskFacts {
  return {
    nodeID,
    zone: nodeID,
    diskUUID: `disk-${nodeID}`,
    diskPath: `/disks/${nodeID}`,
    nodeTags: [],
    diskTags: [],
    usable: true,
    alive: true,
    evicting: false,
    availableBytes: 100n * GIB,
    maximumBytes: 100n * GIB,
    reservedBytes: 0n,
    scheduledBytes: 0n,
    ...more,
  }
}

/** One volume and a data side that obeys. */
export class VolumeModel {
  now = Date.UTC(2026, 11, 1)
  volume: Volume
  engine: Engine | undefined
  epoch: VolumeEpoch | undefined
  replicas = new Map<string, Replica>()
  disks: readonly DiskFacts[]
  settings: StorageSettings = SETTINGS
  wantedNode: string | undefined
  lostNodes = new Set<string>()
  goneNodes = new Set<string>()
  rebuilds = new Map<string, number>()
  silentMs: Record<string, number> = {}
  /** Replicas whose daemons do not come up. */
  dead = new Set<string>()
  /** Replicas whose rebuild is held up. */
  slow = new Set<string>()
  log: string[] = []
  /** Largest number of replicas that were being rebuilt at once. */
  mostJoining = 0
  /** Fewest members of the committed set since the first epoch. */
  fewestWhole = Number.POSITIVE_INFINITY

  constructor(spec: Partial<NonNullable<Volume['spec']>>, disks: readonly DiskFacts[]) {
    this.disks = disks
    this.volume = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Volume',
      metadata: { name: 'v', namespace: 'longhorn-system', uid: 'v-uid', finalizers: [LONGHORN_FINALIZER] },
      spec: { size: String(GIB), numberOfReplicas: 3, staleReplicaTimeout: 30, ...spec },
    } as Volume
  }

  seen(): SeenVolume {
    return {
      volume: this.volume,
      engine: this.engine,
      epoch: this.epoch,
      replicas: [...this.replicas.values()],
      isAwaited: false,
      wantedNode: this.wantedNode,
      disks: this.disks.map((one) =>
        this.lostNodes.has(one.nodeID) ? { ...one, usable: false, alive: false } : one,
      ),
      settings: this.settings,
      rebuilds: this.rebuilds,
      lostNodes: this.lostNodes,
      goneNodes: this.goneNodes,
      silentMs: this.silentMs,
      claim: undefined,
      imageWait: undefined,
    }
  }

  decide(): Decision {
    return decideVolume(this.seen(), this.now)
  }

  /** One decision carried out, then one step of the data side. */
  step(): Decision {
    const decision = this.decide()
    for (const action of decision.actions) this.#do(action)
    if (decision.status) this.volume = { ...this.volume, status: decision.status } as Volume
    this.#dataSide()
    return decision
  }

  /** Until nothing is done any more; fails when that never comes. */
  settle(most = 60): Decision {
    for (let index = 0; index < most; index += 1) {
      const before = this.#text()
      const decision = this.step()
      if (decision.actions.length === 0 && this.#text() === before) return decision
    }
    throw new Error(`not settled after ${most} steps:\n${this.log.slice(-20).join('\n')}`)
  }

  pass(ms: number): void {
    this.now += ms
  }

  get robustness(): string {
    return this.volume.status?.robustness ?? ''
  }

  get state(): string {
    return this.volume.status?.state ?? ''
  }

  condition(type: string): { readonly status?: string; readonly message?: string } | undefined {
    return this.volume.status?.conditions?.find((one) => one.type === type)
  }

  get whole(): readonly string[] {
    return (this.epoch?.spec.inSync ?? []).map((member) => member.replica)
  }

  /** Names of the nodes that hold replicas which are not given up. */
  nodes(): readonly string[] {
    return [...this.replicas.values()]
      .filter((one) => !one.spec?.failedAt)
      .map((one) => one.spec?.nodeID ?? '')
      .sort()
  }

  on(node: string): Replica {
    const found = [...this.replicas.values()].find((one) => one.spec?.nodeID === node)
    if (!found) throw new Error(`no replica on ${node}`)
    return found
  }

  setMode(name: string, mode: string): void {
    this.#patchEngineStatus({ replicaModeMap: { [name]: mode } })
  }

  /** The engine notices that a member is gone and commits the smaller set. */
  lose(name: string): void {
    this.dead.add(name)
    const rest = this.whole.filter((one) => one !== name)
    if (rest.length > 0) {
      this.#commit(rest)
      this.setMode(name, 'ERR')
    } else this.#patchEngineStatus({ currentState: 'error', replicaModeMap: { [name]: 'ERR' } })
    this.#patchReplicaStatus(name, { currentState: 'error' })
  }

  #text(): string {
    return JSON.stringify([this.volume, this.engine, this.epoch, [...this.replicas.values()]])
  }

  #commit(names: readonly string[]): void {
    const spec = this.epoch!.spec
    this.epoch = {
      ...this.epoch!,
      spec: {
        ...spec,
        epoch: Number(spec.epoch) + 1,
        inSync: names.map((replica) => ({ replica, incarnation: String(Number(spec.epoch) + 1) })),
      },
    } as VolumeEpoch
    this.fewestWhole = Math.min(this.fewestWhole, names.length)
  }

  #patchEngineStatus(status: JsonObject): void {
    this.engine = mergePatch(this.engine as never, { status }) as never
  }

  #patchReplicaStatus(name: string, status: JsonObject): void {
    const replica = this.replicas.get(name)
    if (replica) this.replicas.set(name, mergePatch(replica as never, { status }) as never)
  }

  #do(action: Action): void {
    if (action.do === 'create') {
      this.log.push(`create ${action.object.kind} ${action.object.metadata.name}`)
      const object = {
        ...action.object,
        metadata: { ...action.object.metadata, uid: `${action.object.metadata.name}-uid` },
      }
      if (object.kind === 'Engine') this.engine = object as Engine
      else if (object.kind === 'VolumeEpoch') this.epoch = object as unknown as VolumeEpoch
      else if (object.kind === 'Replica') this.replicas.set(object.metadata.name!, object as Replica)
    } else if (action.do === 'patch') {
      this.log.push(`patch ${action.target.kind.kind} ${action.target.name} ${JSON.stringify(action.patch)}`)
      const patched = <T>(object: T): T => mergePatch(object as never, action.patch) as T
      if (action.target.kind.kind === 'Volume') this.volume = patched(this.volume)
      if (action.target.kind.kind === 'Engine') this.engine = patched(this.engine)
      const replica = this.replicas.get(action.target.name)
      if (action.target.kind.kind === 'Replica' && replica)
        this.replicas.set(action.target.name, patched(replica))
    } else if (action.do === 'delete' && action.target.kind.kind === 'Replica') {
      this.log.push(`delete Replica ${action.target.name}`)
      this.replicas.delete(action.target.name)
    }
  }

  #dataSide(): void {
    for (const [name, replica] of this.replicas) {
      if (this.lostNodes.has(replica.spec?.nodeID ?? '')) continue
      const wanted = replica.spec?.desireState === 'running' && !this.dead.has(name) ? 'running' : 'stopped'
      const now = replica.status?.currentState
      if (
        now !== wanted &&
        !(this.dead.has(name) && now === 'error' && replica.spec?.desireState === 'running')
      )
        this.#patchReplicaStatus(name, { currentState: wanted, storageIP: '10.0.0.1', port: 1 })
    }
    if (!this.engine || !this.epoch || this.lostNodes.has(this.engine.spec?.nodeID ?? '')) return
    if (this.engine.spec?.desireState !== 'running') {
      if (this.engine.status?.currentState !== undefined)
        this.#patchEngineStatus({ currentState: 'stopped', endpoint: '', replicaModeMap: null })
      return
    }
    this.#serve(this.engine)
  }

  #serve(engine: Engine): void {
    const map = Object.keys(engine.spec?.replicaAddressMap ?? {})
    const alive = map.filter((name) => this.replicas.get(name)?.status?.currentState === 'running')
    const runs = engine.status?.currentState === 'running'
    const first = Number(this.epoch!.spec.epoch) === 0
    const members = first ? alive : this.whole.filter((name) => alive.includes(name))
    if (members.length === 0) return
    if (!runs || members.length !== this.whole.length) this.#commit(members)
    const joining = alive.filter((name) => !members.includes(name))
    this.mostJoining = Math.max(this.mostJoining, joining.length)
    const done = joining.filter(
      (name) => engine.status?.replicaModeMap?.[name] === 'WO' && !this.slow.has(name),
    )
    if (done.length > 0) this.#commit([...members, ...done.slice(0, 1)])
    const modes = map.map((name) => [
      name,
      this.whole.includes(name) ? 'RW' : alive.includes(name) ? 'WO' : 'ERR',
    ])
    const gone = Object.keys(engine.status?.replicaModeMap ?? {}).filter((name) => !map.includes(name))
    this.#patchEngineStatus({
      currentState: 'running',
      endpoint: 'nbd+unix:///x',
      ownerID: engine.spec?.nodeID ?? '',
      currentSize: engine.spec?.volumeSize ?? '0',
      replicaModeMap: {
        ...Object.fromEntries(modes),
        ...Object.fromEntries(gone.map((name) => [name, null])),
      },
    })
  }
}
