// The agent of one simulated computer as far as volumes go: keeps the daemons of its replicas as the API wants them,
// answers for them to other agents, and runs the engines of its node. The orders to replicas are the real ones of
// node/volume; what stands here is who calls them when.

import { failed, ok, type Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import type { Host } from '../../host/host.ts'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import {
  adoptDaemon,
  incarnationOf,
  type ReplicaDaemon,
  startBareDaemon,
  startDaemon,
  stopDaemon,
} from '../../node/volume/daemon.ts'
import type { MemberSeen } from '../../node/volume/epoch/record.ts'
import { type ReplicaPlace, replicaPlace } from '../../node/volume/layout.ts'
import { localMember, type Member } from '../../node/volume/member.ts'
import { readMeta, writeMeta } from '../../node/volume/meta.ts'
import { writeHead } from '../../node/volume/replica.ts'
import type { SimProcess } from '../process.ts'
import { hostOn, type SimComputer } from './computer.ts'
import { EngineRun } from './engine-run.ts'
import { StorageDaemon } from './storage-daemon.ts'
import type { StorageWorld } from './storage-world.ts'

const LOOK_MS = 300
const CALL_TIMEOUT_MS = 30_000
const FINALIZER = 'longhorn.io'
export const SYSTEM = 'longhorn-system'

interface Slot {
  readonly name: string
  readonly place: ReplicaPlace
  daemon: ReplicaDaemon | undefined
  /** It was started with nothing, to be rebuilt. */
  bare: boolean
  /** Orders to one replica are carried out one after another. */
  turn: Promise<unknown>
}

export class StorageAgent {
  readonly world: StorageWorld
  readonly computer: SimComputer
  readonly process: SimProcess
  readonly host: Host
  readonly client: Client
  readonly slots = new Map<string, Slot>()
  readonly engines = new Map<string, EngineRun>()

  constructor(world: StorageWorld, computer: SimComputer, process: SimProcess, client: Client) {
    this.world = world
    this.computer = computer
    this.process = process
    this.host = hostOn(computer, process)
    this.client = client
    void this.#run()
  }

  get name(): string {
    return this.computer.name
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.process.clock.sleep(LOOK_MS * (0.7 + 0.6 * this.process.random.float()))
      if (!this.world.reachesApi(this.name)) continue
      const replicas = this.world.objects<Replica>('replicas.longhorn.io')
      for (const replica of replicas) {
        if (replica.spec?.nodeID !== this.name) continue
        await this.#lookAt(replica).catch(() => undefined)
      }
      for (const engine of this.world.objects<Engine>('engines.longhorn.io')) this.#lookAtEngine(engine)
    }
  }

  #lookAtEngine(engine: Engine): void {
    const name = engine.metadata.name!
    let run = this.engines.get(name)
    if (!run) {
      run = new EngineRun(this, name, engine.spec?.volumeName ?? '')
      this.engines.set(name, run)
    }
    run.look(engine)
  }

  recordOf(volume: string): VolumeEpoch | undefined {
    return this.world
      .objects<VolumeEpoch>('volumeepochs.storage.croft.io')
      .find((one) => one.metadata.name === volume)
  }

  // --- replicas ---

  slotOf(replica: Replica): Slot {
    const name = replica.metadata.name!
    let slot = this.slots.get(name)
    if (!slot) {
      const place = replicaPlace('/run/croft', replica)
      slot = { name, place, daemon: undefined, bare: false, turn: Promise.resolve() }
      this.slots.set(name, slot)
    }
    return slot
  }

  async #lookAt(replica: Replica): Promise<void> {
    const slot = this.slotOf(replica)
    await this.inTurn(slot, async () => {
      if (replica.metadata.deletionTimestamp) return this.#remove(replica, slot)
      if (replica.spec?.desireState === 'running') await this.#ensure(replica, slot)
      else await this.#stop(slot)
    })
    if (replica.metadata.deletionTimestamp) return
    await this.#report(replica, await this.#isWhole(slot))
  }

  /** A daemon whose files were taken away serves nobody who starts anew. */
  async #isWhole({ daemon, bare, place }: Slot): Promise<boolean> {
    if (!daemon || bare) return daemon !== undefined
    const meta = await readMeta(this.host.files, place.meta)
    return !meta.ok || meta.value !== undefined
  }

  inTurn<T>(slot: Slot, act: () => Promise<T>): Promise<T> {
    const done = slot.turn.then(act)
    slot.turn = done.catch(() => undefined)
    return done
  }

  async #report(replica: Replica, running: boolean): Promise<void> {
    const currentState = running ? 'running' : replica.spec?.desireState === 'running' ? 'error' : 'stopped'
    if (replica.status?.currentState === currentState) return
    await this.client.patch(
      Replica,
      replica.metadata.name!,
      { status: { currentState, started: running, storageIP: this.computer.address, port: 0 } },
      { namespace: SYSTEM, subresource: 'status' },
    )
  }

  #know(slot: Slot, daemon: ReplicaDaemon, bare: boolean): void {
    slot.daemon = daemon
    slot.bare = bare
    void daemon.qmp.closed.then(() => {
      if (slot.daemon === daemon) slot.daemon = undefined
    })
  }

  async #ensure(replica: Replica, slot: Slot): Promise<void> {
    if (slot.daemon) return
    const found = await adoptDaemon(this.host, slot.place)
    if (!found.ok) return
    const meta = await readMeta(this.host.files, slot.place.meta)
    if (!meta.ok) return
    if (found.value) return this.#know(slot, found.value, meta.value?.joining === true)
    this.#killStrays(slot)
    const record = this.recordOf(replica.spec?.volumeName ?? '')
    const counts = record?.spec.inSync.some((one) => one.replica === slot.name) ?? false
    const fresh = Number(record?.spec.epoch ?? 0) === 0
    if (!counts && !fresh) return this.#begin(slot, true)
    if (!meta.value) {
      // A member of the set without its files has lost everything; it is not served as an empty one.
      if (counts || !(await this.#makeFiles(replica, slot))) return
    }
    await this.#begin(slot, false)
  }

  async #begin(slot: Slot, bare: boolean): Promise<void> {
    const { host, world, computer } = this
    const listen = world.byTcp ? { host: computer.address, port: 0 } : undefined
    const start = bare ? startBareDaemon : startDaemon
    const started = await start(host, slot.place, undefined, listen)
    if (started.ok) this.#know(slot, started.value, bare)
  }

  async #makeFiles(replica: Replica, { name, place }: Slot): Promise<boolean> {
    const { files } = this.host
    const sizeBytes = Number(replica.spec?.volumeSize ?? 0)
    await files.makeFolder(place.folder)
    await files.remove(place.head)
    const made = await writeHead(files, place.head, { sizeBytes })
    if (!made.ok) return false
    const written = await writeMeta(files, place.meta, {
      formatVersion: 1,
      volume: replica.spec?.volumeName ?? '',
      replica: name,
      sizeBytes,
      head: place.head.slice(place.folder.length + 1),
      epoch: 0,
      incarnation: '',
      cleanShutdown: true,
    })
    return written.ok
  }

  async #stop(slot: Slot): Promise<void> {
    const found = slot.daemon ? ok(slot.daemon) : await adoptDaemon(this.host, slot.place)
    if (!found.ok) return
    if (!found.value) {
      this.#killStrays(slot)
      return
    }
    await stopDaemon(this.host, slot.place, found.value)
    slot.daemon = undefined
  }

  /** A daemon whose identity went with its folder is found by what it has open. */
  #killStrays({ place }: Slot): void {
    for (const program of [...this.computer.programs.values()])
      if (program instanceof StorageDaemon && program.hasOpen(`${place.folder}/`)) program.kill()
  }

  /** The files go, then the object may. */
  async #remove(replica: Replica, slot: Slot): Promise<void> {
    await this.#stop(slot)
    this.world.checkers.removing(replica)
    const removed = await this.host.files.remove(slot.place.folder)
    if (!removed.ok) return
    this.slots.delete(slot.name)
    const finalizers = (replica.metadata.finalizers ?? []).filter((word) => word !== FINALIZER)
    await this.client.patch(
      Replica,
      replica.metadata.name!,
      { metadata: { finalizers } },
      { namespace: SYSTEM },
    )
  }

  /** A daemon that holds nothing, for a rebuild. Gives its incarnation. */
  async prepareTarget(name: string): Promise<Result<string>> {
    const slot = this.slots.get(name)
    if (!slot) return failed({ reason: 'NoSuchReplica', message: name, retry: 'later' })
    return this.inTurn(slot, async () => {
      if (!slot.daemon || !slot.bare || (await this.#holdsNodes(slot.daemon))) {
        await this.#stop(slot)
        await this.#begin(slot, true)
      }
      return slot.daemon
        ? ok(incarnationOf(slot.daemon.process))
        : failed({ reason: 'ReplicaStartFailed', message: name, retry: 'later' as const })
    })
  }

  async #holdsNodes(daemon: ReplicaDaemon): Promise<boolean> {
    const nodes = await daemon.qmp.execute('query-named-block-nodes', { flat: true })
    return !nodes.ok || (nodes.value as readonly unknown[]).length > 0
  }

  /** The member as this agent itself has it. */
  own(name: string): Member | undefined {
    const slot = this.slots.get(name)
    if (!slot?.daemon) return undefined
    const { host, world } = this
    const member = localMember({ host, replica: name, place: slot.place, daemon: slot.daemon })
    const served = world.options.member?.(member, this) ?? member
    return inTurns(served, (act) => this.inTurn(slot, act))
  }

  // --- other agents ---

  /** Asks the agent of another node; the work there goes on even if we die or the answer is lost. */
  async ask<T>(
    node: string,
    act: (agent: StorageAgent) => Promise<T>,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<T | undefined> {
    const { links } = this.computer
    let over = false
    const gone = this.process.clock.sleep(timeoutMs).then(() => {
      over = true
      return undefined
    })
    const answer = (async (): Promise<T | undefined> => {
      if (!(await links.carry(this.name, node, () => over))) return undefined
      const agent = this.world.agents.get(node)
      if (!agent?.process.alive) return undefined
      const dead = new Promise<undefined>((resolve) => void agent.process.onDeath(() => resolve(undefined)))
      const value = await Promise.race([act(agent), dead])
      if (!(await links.carry(node, this.name, () => over))) return undefined
      return value
    })()
    return this.process.answer(Promise.race([answer, gone]))
  }

  /** A member wherever it is. */
  member(replica: Replica): Member {
    const name = replica.metadata.name!
    const node = replica.spec?.nodeID ?? ''
    const absent = failed({
      reason: 'NodeUnreachable',
      message: `no answer from ${node}`,
      retry: 'later' as const,
    })
    return new Proxy({ replica: name } as Member, {
      get: (target, property: keyof Member) => {
        if (property === 'replica') return target.replica
        return async (...args: readonly unknown[]): Promise<unknown> => {
          const timeoutMs = property === 'ask' ? Number(args[0]) : CALL_TIMEOUT_MS
          const call = (agent: StorageAgent): Promise<unknown> => {
            const member = agent.own(name)
            if (!member) return Promise.resolve(undefined)
            return (member[property] as (...given: readonly unknown[]) => Promise<unknown>)(...args)
          }
          const answer = node === this.name ? await call(this) : await this.ask(node, call, timeoutMs)
          if (answer !== undefined || property === 'closeLayer' || property === 'closeFile') return answer
          if (property !== 'ask') return absent
          const seen: MemberSeen = { state: 'absent', why: `no answer from ${node}` }
          return seen
        }
      },
    })
  }
}

/** Questions are answered at any time, orders one after another. */
function inTurns(member: Member, turn: <T>(act: () => Promise<T>) => Promise<T>): Member {
  return new Proxy(member, {
    get: (target, property: keyof Member) => {
      const value = target[property]
      if (typeof value !== 'function' || property === 'ask' || property === 'meta' || property === 'copyFile')
        return value
      return (...args: readonly unknown[]) =>
        turn(() => (value as (...given: readonly unknown[]) => Promise<unknown>)(...args))
    },
  })
}
