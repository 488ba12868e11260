// An engine that serves its volume: holds the record that it committed, the machine that stands on it, and does every
// change of the set one at a time. It outlives nothing: after our restart another one takes up what the record says.
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { NbdChild } from '../plan/backing.ts'
import {
  changeVolume,
  type LiveVolume,
  type RepairOutcome,
  repairVolume,
  type Trouble,
} from './change-epoch.ts'
import { incarnationOf } from './daemon.ts'
import { allDone } from './engine-qemu.ts'
import type { EpochRecord } from './epoch/record.ts'
import { growVolume } from './grow.ts'
import { memberOf, membersOf, replicasOf } from './members.ts'
import { type RecordKeeper, recordKeeper } from './record-keeper.ts'
import { reachable, type VolumeContext } from './replica.ts'
import { type StandingDisk, Turns } from './standing.ts'
import { type SwapFailure, serveAll } from './swap.ts'
import { Watch } from './watch.ts'

/** When Croft comes up all is busy, and mostly nothing is wrong: no member is dropped for being slow. Milliseconds. */
const TAKE_PROBE_MS = 3_000
/** A machine of nobody: its device is never asked for. */
const NO_DISK = { device: '', disk: '' }

export interface LivePorts {
  readonly context: VolumeContext
  /** The volume is reached in another way from now on; undefined: not any more. */
  readonly onEndpoint: (volumeName: string, children: readonly NbdChild[] | undefined) => void
  /** Something about the volume is other than before: its Engine is to be looked at. */
  readonly onChange: () => void
}

export class LiveEngine {
  readonly engineName: string
  readonly volumeName: string
  readonly namespace: string
  readonly keeper: RecordKeeper
  readonly #ports: LivePorts
  readonly #turns = new Turns()
  readonly #stands = new Set<StandingDisk>()
  /** Replicas that failed, until they have left the engine's map. */
  readonly lost = new Map<string, LostReplica>()
  #record: EpochRecord
  #children: readonly NbdChild[] = []
  #watching: { readonly watch: Watch; readonly stop: AbortController } | undefined
  #watched = false
  /** A machine ended without closing its disk: members may differ in its last writes. */
  #cut = false
  /** No member kept what was acknowledged. */
  #broken: string | undefined
  #closed = false

  constructor(ports: LivePorts, engine: Engine, record: EpochRecord) {
    this.#ports = ports
    this.engineName = engine.metadata.name!
    this.volumeName = engine.spec?.volumeName ?? ''
    this.namespace = engine.metadata.namespace!
    this.keeper = recordKeeper(ports.context.client, this, ports.context.host.clock)
    this.#record = record
  }

  get record(): EpochRecord {
    return this.#record
  }
  get children(): readonly NbdChild[] {
    return this.#children
  }
  get broken(): string | undefined {
    return this.#broken
  }
  get stands(): ReadonlySet<StandingDisk> {
    return this.#stands
  }
  /** Nothing is connected now, and what was has left the members unequal, perhaps. */
  get needsReopen(): boolean {
    return this.#cut && this.#stands.size === 0 && this.#record.inSync.length > 1
  }
  /** Every machine so far has closed its disk. */
  get isClean(): boolean {
    return !this.#cut && this.#stands.size === 0
  }

  /** The volume as the primitives want it. The machine, where there is one, is the engine's body. */
  async volume(): Promise<LiveVolume> {
    const { context } = this.#ports
    const [stand] = this.#stands
    const members = await membersOf(context, this.namespace, this.volumeName)
    const local = replicasOf(context, this.namespace, this.volumeName).find(
      (replica) => replica.spec?.nodeID === context.nodeName,
    )
    return {
      ...(stand ? { qemu: stand.qemu } : {}),
      disk: stand?.disk ?? NO_DISK,
      members,
      keepPaused: stand?.isPaused() ?? false,
      commit: async (next, before) => {
        const done = await this.keeper.commit(next, before)
        if (done.ok) this.#record = done.value
        return done
      },
      ...(local ? { local: local.metadata.name! } : {}),
    }
  }

  /** One change of the volume at a time, and none while its machine is paused for another reason. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    return this.#turns.run(() => {
      const [stand] = this.#stands
      return stand ? stand.inTurn(act) : act()
    })
  }

  /** Nothing of the volume changes meanwhile. */
  hold<T>(act: () => Promise<T>): Promise<T> {
    return this.#turns.run(act)
  }

  // --- machines ---

  stand(disk: StandingDisk): void {
    this.#stands.add(disk)
    if (this.#broken !== undefined) disk.lost()
    this.#rewatch()
    void disk.ended.then((how) => {
      this.#stands.delete(disk)
      if (how === 'cut') this.#cut = true
      this.#rewatch()
      this.#ports.onChange()
    })
  }

  /** Whether replicas are to be watched: a sole one has nobody to go on without it. */
  watch(on: boolean): void {
    if (this.#watched === on) return
    this.#watched = on
    this.#rewatch()
  }

  #rewatch(): void {
    this.#watching?.stop.abort()
    this.#watching = undefined
    if (!this.#watched || this.#closed || this.#broken !== undefined) return
    const stop = new AbortController()
    const watch = new Watch(
      {
        host: this.#ports.context.host,
        volume: () => this.volume(),
        record: () => this.#record,
        repair: (trouble) => this.repair(trouble),
      },
      stop.signal,
    )
    this.#watching = { watch, stop }
    void watch.run()
  }

  /** Something may have been left half done. */
  lookAgain(): void {
    this.#rewatch()
    this.#ports.onChange()
  }

  /** Somebody knows that this replica is lost. */
  suspect(replica: string): void {
    this.#watching?.watch.suspect(replica)
  }

  // --- changes ---

  /** Takes the volume up as the record says, finishing what was cut off. */
  async take(): Promise<Result<RepairOutcome, SwapFailure>> {
    return this.repair({ suspects: new Set() }, TAKE_PROBE_MS)
  }

  async repair(trouble: Trouble, probeMs?: number): Promise<Result<RepairOutcome, SwapFailure>> {
    const done = await this.inTurn(() => this.#repair(trouble, probeMs))
    if (!done.ok) {
      const { reason, message } = done.failure
      this.#ports.context.host.log.warn('a volume could not be repaired', {
        volume: this.volumeName,
        reason,
        message,
      })
    }
    this.#ports.onChange()
    return done
  }

  async #repair(trouble: Trouble, probeMs?: number): Promise<Result<RepairOutcome, SwapFailure>> {
    const record = await this.mine()
    if (!record.ok) return record
    const volume = { ...(await this.volume()), ...(probeMs === undefined ? {} : { probeMs }) }
    const grown = await this.#finishGrowth(volume, record.value)
    if (!grown.ok) return grown
    const done = await repairVolume(volume, grown.value, trouble)
    if (!done.ok) return done
    if (done.value.outcome === 'reset') {
      this.#break(done.value.why)
      return done
    }
    if (done.value.outcome === 'faulted') return done
    for (const { replica, why } of done.value.dropped) this.lose(replica, why)
    const settled = await this.settle(done.value.record)
    return settled.ok ? done : settled
  }

  /** It left the set. */
  lose(replica: string, why: string): void {
    const { host } = this.#ports.context
    host.log.warn('a replica left its volume', { volume: this.volumeName, replica, why })
    this.lost.set(replica, { why, at: host.clock.monotonic() })
  }

  /** The daemon of this replica is being started anew; it is not lost. */
  moving: string | undefined
  /** Its layers are being merged: nothing is frozen, joined or resized meanwhile. */
  isMerging = false
  /** Monotonic milliseconds. */
  headToldAt = Number.NEGATIVE_INFINITY

  /** The record, which must still name this engine. Failures: `EngineReplaced`. */
  async mine(): Promise<Result<EpochRecord>> {
    const read = await this.keeper.read()
    if (!read.ok) return read
    const { engine } = read.value
    if (engine?.name !== this.engineName || engine.nodeID !== this.#ports.context.nodeName)
      return failed({
        reason: 'EngineReplaced',
        message: `epoch ${read.value.epoch} belongs to ${engine ? `${engine.name} on ${engine.nodeID}` : 'nobody'}`,
        retry: 'never',
      })
    this.#record = read.value
    return read
  }

  /** Members that grew before the record said so cannot serve beside those that did not: the growth is finished. */
  async #finishGrowth(volume: LiveVolume, record: EpochRecord): Promise<Result<EpochRecord, SwapFailure>> {
    if (record.joining) return ok(record)
    const sizes = await Promise.all(
      record.inSync.map(async ({ replica }) => {
        const meta = await volume.members.find((member) => member.replica === replica)?.meta()
        return meta?.ok ? meta.value.sizeBytes : 0
      }),
    )
    const most = Math.max(...sizes)
    return most > record.sizeBytes ? growVolume(volume, record, most) : ok(record)
  }

  /** A change is done: whoever stands on the volume, or will, hears where it is. In turn. */
  async settle(record: EpochRecord): Promise<Result<void, SwapFailure>> {
    this.#record = record
    const served = await serveAll((await this.volume()).members, record)
    if (!served.ok) return served
    this.#children = served.value
    for (const stand of this.#stands) await stand.moved({ kind: 'nbd', children: served.value })
    this.#ports.onEndpoint(this.volumeName, served.value)
    return ok(undefined)
  }

  /** Grows the volume; members that cannot grow leave it. */
  async grow(sizeBytes: number): Promise<Result<void, Failure>> {
    return this.inTurn(async () => {
      const record = await this.mine()
      if (!record.ok) return record
      if (record.value.sizeBytes >= sizeBytes) return ok(undefined)
      const before = record.value
      const grown = await growVolume(await this.volume(), before, sizeBytes)
      if (!grown.ok) return grown
      for (const { replica } of before.inSync)
        if (!grown.value.inSync.some((member) => member.replica === replica))
          this.lose(replica, 'could not grow')
      return this.settle(grown.value)
    })
  }

  /**
   * A daemon of the time when this host was alone listens to its own host only. It is started anew while the guest
   * stands still, so that it has nothing in memory that its disk has not. Only where it is the sole replica, and we
   * are killed between its end and the commit, its machine starts anew.
   */
  async moveDaemon(replica: Replica): Promise<Result<void, SwapFailure>> {
    const { context } = this.#ports
    const name = replica.metadata.name!
    return this.inTurn(async () => {
      const record = await this.mine()
      if (!record.ok) return record
      const volume = await this.volume()
      const members = [...volume.members]
      const index = members.findIndex((member) => member.replica === name)
      this.moving = name
      const moved = await changeVolume({ ...volume, members }, record.value, {
        during: async () => {
          const quiet = volume.qemu ? await allDone(volume.qemu, volume.disk) : ok(undefined)
          if (!quiet.ok) return quiet
          const fenced = (await members[index]?.fence()) ?? failed(notReachable(name))
          if (!fenced.ok) return fenced
          const started = await reachable(context, replica)
          if (!started.ok) return started
          members[index] = (await memberOf(context, replica)) ?? members[index]!
          const incarnation = incarnationOf(started.value.process)
          const inSync = record.value.inSync.map((one) =>
            one.replica === name ? { replica: name, incarnation } : one,
          )
          return ok({ inSync })
        },
      }).finally(() => {
        this.moving = undefined
      })
      if (!moved.ok) return moved
      context.wakeReplica(replica)
      return this.settle(moved.value)
    })
  }

  /** No machine may go on with this volume: what it believes to be written may be gone. */
  #break(why: string): void {
    if (this.#broken !== undefined) return
    this.#broken = why
    this.#ports.context.host.log.error('a volume lost what it acknowledged', { volume: this.volumeName, why })
    this.#rewatch()
    this.#ports.onEndpoint(this.volumeName, undefined)
    for (const stand of this.#stands) stand.lost()
    this.#ports.onChange()
  }

  /** Its replicas are all gone, which nobody could repair. */
  breakFor(why: string): void {
    this.#break(why)
  }

  /** It serves nobody any more; machines that still stand on it are ended by their owner. */
  close(): void {
    this.#closed = true
    this.#rewatch()
    for (const stand of this.#stands) stand.lost()
    this.#ports.onEndpoint(this.volumeName, undefined)
  }

  /** We end, the machines go on. */
  letGo(): void {
    this.#closed = true
    this.#rewatch()
  }
}

const notReachable = (replica: string): Failure => ({
  reason: 'MemberFailed',
  message: `replica ${replica} is not reachable`,
  retry: 'later',
})

export interface LostReplica {
  readonly why: string
  /** Monotonic milliseconds. */
  readonly at: number
}
