// One engine on its node: opens the volume, starts the machine on it, keeps it alive, and does what the API asks for
// (rebuild, grow, snapshot, drop, close). Decisions and orders are the real ones of node/volume; only their sequence
// stands here, so that the simulation can interrupt it anywhere.
import type { Result } from '../../base/result.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import { askAll, type LiveVolume, type RepairOutcome, repairVolume } from '../../node/volume/change-epoch.ts'
import { decideOpen, type EqualiseStep, type OpenInput } from '../../node/volume/epoch/next-step.ts'
import type { EpochMember, EpochRecord } from '../../node/volume/epoch/record.ts'
import { growVolume } from '../../node/volume/grow.ts'
import { layersOf } from '../../node/volume/layers.ts'
import type { Member } from '../../node/volume/member.ts'
import { beginRebuild, copyLayers, countReplica } from '../../node/volume/rebuild.ts'
import { type RecordKeeper, recordKeeper } from '../../node/volume/record-keeper.ts'
import { snapshotVolumes } from '../../node/volume/snapshot.ts'
import { serveAll } from '../../node/volume/swap.ts'
import { watchVolume } from '../../node/volume/watch.ts'
import { equalise } from './equalise.ts'
import type { MachineQemu } from './machine-qemu.ts'
import { type StorageAgent, SYSTEM } from './storage-agent.ts'

const LOOP_MS = 150
/** Longer than a member may be silent. Milliseconds. */
const PAUSE_MAX_MS = 12_000
export const DISK = { device: 'ua-root', disk: 'root' } as const

/** True: it is done. */
type Act = (volume: LiveVolume) => Promise<boolean>

type Status = Readonly<Record<string, unknown>>

export class EngineRun {
  readonly #agent: StorageAgent
  readonly #name: string
  readonly volumeName: string
  readonly #keeper: RecordKeeper
  #engine: Engine | undefined
  #runs = false
  #wantedSince: number | undefined
  #watch:
    | { readonly qemu: MachineQemu; readonly end: AbortController; readonly over: Promise<void> }
    | undefined
  #reset = false
  /** Replicas that this engine gave up; they may come again once they have left the map. */
  readonly #lost = new Set<string>()
  #copying: Promise<void> | undefined
  #said = ''
  /** Whether the last change did what it was for. */
  #done = true
  #pauseMs = 0
  #notBefore = 0

  constructor(agent: StorageAgent, name: string, volumeName: string) {
    this.#agent = agent
    this.#name = name
    this.volumeName = volumeName
    this.#keeper = agent.world.watched(recordKeeper(agent.client, { namespace: SYSTEM, volumeName }))
  }

  look(engine: Engine): void {
    this.#engine = engine
    if (this.#runs) return
    this.#runs = true
    void this.#loop()
  }

  async #loop(): Promise<void> {
    const { clock } = this.#agent.process
    for (;;) {
      const engine = this.#engine
      const wanted =
        engine?.spec?.desireState === 'running' &&
        engine.spec.nodeID === this.#agent.name &&
        !engine.metadata.deletionTimestamp
      await (wanted ? this.#serve(engine) : this.#rest(engine!))
      await clock.sleep(LOOP_MS * (0.6 + 0.8 * this.#agent.process.random.float()))
    }
  }

  get #map(): readonly string[] {
    return Object.keys(this.#engine?.spec?.replicaAddressMap ?? {})
  }

  members(): readonly Member[] {
    const { world } = this.#agent
    return world
      .objects<Replica>('replicas.longhorn.io')
      .filter((one) => one.spec?.volumeName === this.volumeName && !one.metadata.deletionTimestamp)
      .map((one) => this.#agent.member(one))
  }

  volume(qemu: MachineQemu): LiveVolume {
    const local = this.members().find((one) => this.#agent.slots.has(one.replica))?.replica
    return {
      qemu: qemu.engine(this.#agent.process),
      disk: DISK,
      members: this.members(),
      keepPaused: false,
      commit: this.#keeper.commit,
      ...(local === undefined ? {} : { local }),
    }
  }

  /** The record, as long as it is this machine's. */
  async #mine(qemu: MachineQemu): Promise<EpochRecord | undefined> {
    const read = await this.#keeper.read()
    if (!read.ok) return undefined
    const own = this.#agent.world.options.adoptForeign === true
    return own || read.value.engine?.incarnation === qemu.word ? read.value : undefined
  }

  // --- open ---

  async #serve(engine: Engine): Promise<void> {
    const { world, process } = this.#agent
    this.#wantedSince ??= process.clock.monotonic()
    const read = await this.#keeper.read()
    if (!read.ok) return
    const record = read.value
    const qemu = world.qemuOf(this.volumeName, this.#agent.name)
    if (qemu && (this.#reset || record.engine?.incarnation !== qemu.word)) {
      await this.#endWatch()
      world.note(
        this.#agent.name,
        this.#reset ? 'the guest is reset' : 'a machine of an older engine is ended',
      )
      this.#reset = false
      qemu.kill()
      return
    }
    if (qemu) return this.#live(engine, qemu)
    await this.#endWatch()
    await this.#open(record)
  }

  async #open(record: EpochRecord): Promise<void> {
    const { world, process } = this.#agent
    const all = this.members()
    const names = record.inSync.length > 0 ? record.inSync.map((one) => one.replica) : this.#map
    const members = all.filter((one) => names.includes(one.replica))
    const seen = await askAll({ disk: DISK, keepPaused: false, members })
    // No old engine writes any more from here on, or what is made equal now would differ again.
    if (!world.options.noFenceBeforeOpen) {
      const fenced = await Promise.all(
        members.filter((one) => isPresent(seen, one)).map((one) => one.fence()),
      )
      if (fenced.some((one) => !one.ok)) return
    }
    const local = members.find((one) => this.#agent.slots.has(one.replica))?.replica
    const input: OpenInput = {
      record,
      seen,
      waitedMs: process.clock.monotonic() - (this.#wantedSince ?? 0),
      ...(local === undefined ? {} : { local }),
    }
    let step = (world.options.decideOpen ?? decideOpen)(input)
    if (step.step === 'equalise') {
      const equal = await this.#equalise(step)
      if (!equal) return
      step = decideOpen({ ...input, seen: await askAll({ disk: DISK, keepPaused: false, members }), equal })
    }
    if (step.step !== 'commit') return this.#say(step.step)
    const word = process.random.uuid().slice(0, 8)
    const next: EpochRecord = {
      epoch: record.epoch + 1,
      engine: { name: this.#name, incarnation: word, nodeID: this.#agent.name },
      inSync: step.inSync,
      sizeBytes: record.sizeBytes,
      cleanShutdown: false,
    }
    const unbroken = step.inSync.some((one) => record.inSync.some((old) => sameMember(one, old)))
    const committed = await this.#keeper.commit(next, record)
    if (!committed.ok) return
    await this.#start(members, committed.value, { word, unbroken: unbroken || record.cleanShutdown })
  }

  async #start(
    members: readonly Member[],
    record: EpochRecord,
    life: { readonly word: string; readonly unbroken: boolean },
  ): Promise<void> {
    const served = await serveAll(members, record)
    if (!served.ok) return this.#say(served.failure.reason)
    const qemu = await this.#agent.world.startMachine(this, this.#agent, {
      record,
      children: served.value,
      ...life,
    })
    if (!qemu) return
    this.#wantedSince = undefined
    this.#lost.clear()
  }

  async #equalise(step: EqualiseStep): Promise<OpenInput['equal']> {
    const { world } = this.#agent
    if (world.options.noEqualise)
      return { authority: step.authority, replicas: new Set(step.others.map((one) => one.replica)) }
    const replicas = await equalise(this.#agent, step)
    return replicas && { authority: step.authority, replicas }
  }

  #say(what: string): void {
    if (what !== this.#said) this.#agent.world.note(this.#agent.name, `engine: ${what}`)
    this.#said = what
  }

  // --- live ---

  async #live(engine: Engine, qemu: MachineQemu): Promise<void> {
    this.#beginWatch(qemu)
    const record = await this.#mine(qemu)
    if (!record) return
    const map = this.#map
    for (const name of [...this.#lost]) if (!map.includes(name)) this.#lost.delete(name)
    await this.#report(engine, record)
    // A guest that an error stopped is first repaired: which replicas still count is not known.
    const { clock } = this.#agent.process
    if (qemu.status !== 'running' || clock.monotonic() < this.#notBefore) return
    const act = await this.#nextAct(engine, record, qemu)
    if (!act) return
    await this.#quiet(qemu, act)
    // What fails is not tried again at once, so that the watch has time to see who is silent.
    this.#pauseMs = this.#done ? 0 : Math.min(PAUSE_MAX_MS, Math.max(500, this.#pauseMs * 2))
    this.#notBefore = clock.monotonic() + this.#pauseMs
  }

  async #nextAct(engine: Engine, record: EpochRecord, qemu: MachineQemu): Promise<Act | undefined> {
    const map = this.#map
    const leaving = record.inSync.filter((one) => !map.includes(one.replica))
    if (leaving.length > 0 && leaving.length < record.inSync.length)
      return (volume) => this.#drop(volume, record, leaving)
    if (record.joining) {
      if (!map.includes(record.joining.replica))
        return (volume) => this.#drop(volume, record, [record.joining!])
      this.#copying ??= this.#copy(qemu, record).finally(() => {
        this.#copying = undefined
      })
      return undefined
    }
    if (this.#copying) return undefined
    const sizeBytes = Number(engine.spec?.volumeSize ?? 0)
    if (sizeBytes > record.sizeBytes)
      return async (volume) => (await growVolume(volume, record, sizeBytes)).ok
    return (await this.#layerAct(record)) ?? this.#rebuildAct(record)
  }

  async #layerAct(record: EpochRecord): Promise<Act | undefined> {
    const { world } = this.#agent
    const members = this.members().filter((one) =>
      record.inSync.some((entry) => entry.replica === one.replica),
    )
    const metas = await Promise.all(members.map(async (one) => ({ one, meta: await one.meta() })))
    const chains = metas.flatMap(({ one, meta }) =>
      meta.ok ? [{ one, names: layersOf(meta.value).map((layer) => layer.name) }] : [],
    )
    const wishes = world.snapshotsOf(this.volumeName)
    const missing = wishes.find((name) => !chains.some(({ names }) => names.includes(name)))
    if (missing !== undefined)
      return async (volume) => {
        const words = { name: missing, userCreated: true, createdAt: 'now' }
        return (await snapshotVolumes(this.#agent.host, [{ volume, record }], words)).ok
      }
    for (const { one, names } of chains) {
      const surplus = names.filter((name) => !wishes.includes(name))
      if (surplus.length > 0) void this.#removeLayers(one, surplus)
    }
    return undefined
  }

  /** One that a rebuild read through may still be served. */
  async #removeLayers(member: Member, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await member.closeLayer(name)
      await member.removeLayer(name)
    }
  }

  #rebuildAct(record: EpochRecord): Act | undefined {
    const { world } = this.#agent
    const target = this.#map.find(
      (name) => !this.#lost.has(name) && !record.inSync.some((one) => one.replica === name),
    )
    const replica = world.objects<Replica>('replicas.longhorn.io').find((one) => one.metadata.name === target)
    if (!target || replica?.status?.currentState !== 'running') return undefined
    return (volume) => this.#join(volume, record, replica)
  }

  async #drop(volume: LiveVolume, record: EpochRecord, members: readonly EpochMember[]): Promise<boolean> {
    const suspects = new Set(members.map((one) => one.replica))
    const dropped = await repairVolume(volume, record, { suspects })
    this.#noteRepair(dropped)
    return dropped.ok
  }

  async #join(volume: LiveVolume, record: EpochRecord, replica: Replica): Promise<boolean> {
    const name = replica.metadata.name!
    const node = replica.spec?.nodeID ?? ''
    const prepare = (agent: StorageAgent): Promise<Result<string>> => agent.prepareTarget(name)
    const prepared =
      node === this.#agent.name ? await prepare(this.#agent) : await this.#agent.ask(node, prepare)
    if (!prepared?.ok) return false
    const source = volume.members.find((one) => one.replica === record.inSync[0]?.replica)
    const target = volume.members.find((one) => one.replica === name)
    if (!source || !target) return false
    const words = { name: this.#agent.process.random.uuid(), userCreated: false, createdAt: 'now' }
    const joined = await beginRebuild({ volume, record, source, target, incarnation: prepared.value, words })
    if (joined.ok) return true
    this.#say(`no join: ${joined.failure.message}`)
    const guilty = joined.failure.replica
    if (guilty !== undefined)
      this.#noteRepair(await repairVolume(volume, record, { suspects: new Set([guilty]) }))
    return false
  }

  /** The watch goes on meanwhile. */
  async #copy(qemu: MachineQemu, record: EpochRecord): Promise<void> {
    const { joining, inSync } = record
    const members = this.members()
    const source = members.find((one) => one.replica === inSync[0]?.replica)
    const target = members.find((one) => one.replica === joining?.replica)
    if (!source || !target || !joining) return
    this.#agent.world.checkers.rebuilds(this.#agent.name, 1)
    const copied = await copyLayers({ source, target })
    this.#agent.world.checkers.rebuilds(this.#agent.name, -1)
    const now = await this.#mine(qemu)
    if (!now || now.joining?.incarnation !== joining.incarnation) return
    if (copied.ok) await countReplica(this.#keeper.commit, now, joining.replica)
    else {
      this.#say(`copy failed: ${copied.failure.message}`)
      this.#lost.add(joining.replica)
      await this.#quiet(qemu, (volume) => this.#drop(volume, now, [joining]))
    }
  }

  // --- the watch ---

  #beginWatch(qemu: MachineQemu): void {
    if (this.#watch?.qemu === qemu || this.#reset) return
    const end = new AbortController()
    const over = watchVolume(
      {
        host: this.#agent.host,
        volume: () => this.volume(qemu),
        record: () => this.#mine(qemu),
        onRepair: (outcome) => this.#noteOutcome(outcome),
      },
      end.signal,
    )
    this.#watch = { qemu, end, over }
  }

  async #endWatch(): Promise<void> {
    const watch = this.#watch
    this.#watch = undefined
    watch?.end.abort()
    await watch?.over
  }

  /** Nothing else changes the volume meanwhile; what went wrong unheard is looked for afterwards. */
  async #quiet(qemu: MachineQemu, act: Act): Promise<void> {
    await this.#endWatch()
    const now = await this.#mine(qemu)
    if (now && qemu.alive) {
      this.#done = await act(this.volume(qemu))
      const after = await this.#mine(qemu)
      if (after && qemu.status !== 'running')
        this.#noteRepair(await repairVolume(this.volume(qemu), after, { suspects: new Set(), reopen: true }))
    }
    this.#beginWatch(qemu)
  }

  #noteRepair(done: Result<RepairOutcome, { readonly reason: string }>): void {
    if (done.ok) this.#noteOutcome(done.value)
  }

  #noteOutcome(outcome: RepairOutcome | { readonly outcome: 'failed' }): void {
    this.#say(`repair: ${outcome.outcome}`)
    if (outcome.outcome === 'reset') this.#reset = true
    if (outcome.outcome === 'healthy') for (const { replica } of outcome.dropped) this.#lost.add(replica)
  }

  // --- close ---

  async #rest(engine: Engine): Promise<void> {
    this.#wantedSince = undefined
    const { world } = this.#agent
    const qemu = world.qemuOf(this.volumeName, this.#agent.name)
    const read = await this.#keeper.read()
    if (!read.ok) return
    const record = read.value
    await this.#endWatch()
    const mine = qemu !== undefined && record.engine?.incarnation === qemu.word
    const clean = mine && qemu.status === 'running' && !this.#reset && (await this.#shutDown(qemu))
    if (qemu?.alive) qemu.kill()
    this.#reset = false
    if (record.engine && record.engine.nodeID === this.#agent.name) await this.#close(record, clean)
    else if (engine.status?.ownerID === this.#agent.name && engine.status.currentState !== 'stopped')
      await this.#status(engine, { currentState: 'stopped', endpoint: '', replicaModeMap: {} })
  }

  async #shutDown(qemu: MachineQemu): Promise<boolean> {
    const monitor = qemu.engine(this.#agent.process)
    const stopped = await monitor.execute('stop')
    return stopped.ok && qemu.alive && qemu.isDrained
  }

  async #close(record: EpochRecord, clean: boolean): Promise<void> {
    const { world } = this.#agent
    const members = this.members().filter((one) =>
      record.inSync.some((entry) => entry.replica === one.replica),
    )
    const seen = await askAll({ disk: DISK, keepPaused: false, members })
    const whole = record.inSync.every((entry) => {
      const one = seen.get(entry.replica)
      return one?.state === 'present' && one.report.incarnation === entry.incarnation
    })
    const ends = await Promise.all(members.map((one) => one.close(clean && whole)))
    const cleanShutdown = clean && whole && ends.every((one) => one.ok)
    const { engine: _, joining: __, ...rest } = record
    const closed = await this.#keeper.commit({ ...rest, cleanShutdown }, record)
    if (closed.ok && cleanShutdown) world.historyOf(this.volumeName).closed()
  }

  async #report(engine: Engine, record: EpochRecord): Promise<void> {
    const modes: Record<string, string> = {}
    for (const { replica } of record.inSync) modes[replica] = 'RW'
    if (record.joining) modes[record.joining.replica] = 'WO'
    for (const name of this.#lost) if (!(name in modes)) modes[name] = 'ERR'
    await this.#status(engine, {
      currentState: 'running',
      started: true,
      ownerID: this.#agent.name,
      endpoint: `nbd:${record.epoch}`,
      currentSize: String(record.sizeBytes),
      replicaModeMap: modes,
      currentReplicaAddressMap: engine.spec?.replicaAddressMap ?? {},
    })
  }

  async #status(engine: Engine, status: Status): Promise<void> {
    const present = (engine.status ?? {}) as Status
    const differs = Object.entries(status).some(
      ([key, value]) => JSON.stringify(present[key]) !== JSON.stringify(value),
    )
    if (!differs) return
    const before = (present['replicaModeMap'] ?? {}) as Status
    const modes = status['replicaModeMap'] as Status | undefined
    const gone = Object.fromEntries(
      Object.keys(before)
        .filter((key) => !(key in (modes ?? {})))
        .map((key) => [key, null]),
    )
    const body = { status: { ...status, ...(modes ? { replicaModeMap: { ...modes, ...gone } } : {}) } }
    await this.#agent.client
      .patch(Engine, this.#name, body as never, { namespace: SYSTEM, subresource: 'status' })
      .catch(() => undefined)
  }
}

function sameMember(a: EpochMember, b: EpochMember): boolean {
  return a.replica === b.replica && a.incarnation === b.incarnation
}

function isPresent(seen: Awaited<ReturnType<typeof askAll>>, member: Member): boolean {
  return seen.get(member.replica)?.state === 'present'
}
