// The invariants V1 to V15 of a volume, watched over every event that could break them. Each says in its problem what
// it protects. V11 (a completed backup restores) has nothing to look at until there are backups.

import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { incarnationOf } from '../../node/volume/daemon.ts'
import type { EpochRecord } from '../../node/volume/epoch/record.ts'
import { chainBelow } from '../../node/volume/layers.ts'
import { recordOf } from '../../node/volume/record-keeper.ts'
import type { GuestWatch } from './guest.ts'
import { images, layerNames, lookInto, type ReplicaLook, sectorOf, whole } from './inspect.ts'
import { SECTOR_BYTES } from './sim-disk.ts'
import type { DaemonWatch, StorageDaemon } from './storage-daemon.ts'
import type { StorageWorld } from './storage-world.ts'
import type { NbdRequest } from './wire.ts'

/** Longhorn's concurrent-replica-rebuild-per-node-limit. */
const REBUILDS_PER_NODE_MAX = 5
/** T_io of 8 s, what asking and repairing take, and a start of an agent. Milliseconds. */
const STALL_MAX_MS = 20_000

export class VolumeCheckers implements DaemonWatch {
  readonly found: string[] = []
  readonly #world: StorageWorld
  /** Word of the engine whose guest counts. */
  #owner = ''
  readonly #sets = new Map<number, string>()
  readonly #names = new Map<string, string>()
  readonly #snapshots = new Map<string, readonly number[]>()
  readonly #rebuilds = new Map<string, number>()
  #excusedMs = 0
  counts = { commits: 0, opens: 0, grown: 0, snapshots: 0 }

  constructor(world: StorageWorld) {
    this.#world = world
  }

  problem(text: string): void {
    this.#world.note('PROBLEM', text)
    this.found.push(`at ${Math.round(this.#world.world.nowMs)} ms: ${text}`)
  }

  record(): EpochRecord | undefined {
    const object = this.#world.objects<VolumeEpoch>('volumeepochs.storage.croft.io')[0]
    return object && recordOf(object)
  }

  replica(name: string): Replica | undefined {
    return this.#world.objects<Replica>('replicas.longhorn.io').find((one) => one.metadata.name === name)
  }

  look(name: string): ReplicaLook | undefined {
    const replica = this.replica(name)
    return replica && lookInto(this.#world.computers, replica)
  }

  // --- the guest: V2, V3, V4 ---

  guest(word: string): GuestWatch {
    return {
      isOver: () => this.#owner !== word,
      problem: (text) => this.problem(text),
      acknowledged: (at, value, exports) => this.#acknowledged(at, value, exports),
    }
  }

  /** V4: what the guest is told is written, every replica of the committed set has taken. */
  #acknowledged(at: number, value: number, exports: readonly string[]): void {
    const record = this.record()
    for (const { replica } of record?.inSync ?? [])
      if (!exports.some((name) => name.startsWith(`${replica}-`)))
        this.problem(
          `V4: write ${value} to sector ${at} was acknowledged by ${exports.join(', ')} alone; ${replica} is in the committed set of epoch ${record?.epoch}`,
        )
  }

  /** V7: a paused guest goes on only where nothing that it believes in is missing. */
  goesOn(exports: readonly string[]): void {
    const { history } = this.#world
    for (const name of exports) {
      const entry = this.record()?.inSync.find(({ replica }) => name.startsWith(`${replica}-`))
      if (entry && this.#lives(entry.replica, entry.incarnation))
        this.#holds(entry.replica, (at) => history.sector(at).acked, 'V7: the guest goes on')
    }
  }

  // --- the record: V1, V5, V6, V12 ---

  /** Called for every change of the record in the API, in the instant in which it is made. */
  committed(next: EpochRecord, before: EpochRecord | undefined): void {
    this.counts.commits += 1
    this.#world.note('record', `epoch ${next.epoch} of ${next.engine?.incarnation}: ${setText(next)}`)
    this.#epochs(next, before)
    if (next.inSync.length === 0) return
    const { history } = this.#world
    const takesOver = next.engine !== undefined && next.engine.incarnation !== before?.engine?.incarnation
    if (takesOver) {
      this.counts.opens += 1
      const kept = next.inSync.some((one) =>
        before?.inSync.some((old) => old.replica === one.replica && old.incarnation === one.incarnation),
      )
      history.reboot(!kept && before?.cleanShutdown === false)
      this.#owner = next.engine?.incarnation ?? ''
      this.#equal(next, `V6: epoch ${next.epoch} begins with`)
    }
    if (before && next.inSync.length > before.inSync.length) this.counts.grown += 1
    for (const { replica, incarnation } of next.inSync) {
      this.#holds(replica, (at) => history.floor(at), 'V1: what was flushed')
      // One that has died since it was asked is broken, and will not be gone on with.
      if (next.engine && this.#lives(replica, incarnation))
        this.#holds(
          replica,
          (at) => history.sector(at).acked,
          takesOver ? 'V2: a new engine' : 'V6: a member',
        )
    }
  }

  /** V5: an epoch has one engine and one set of replicas, which only a finished rebuild may make larger. */
  #epochs(next: EpochRecord, before: EpochRecord | undefined): void {
    if (before && next.inSync.length === 0 && before.inSync.length > 0)
      this.problem('V12: the last replica was struck off the record')
    if (before && next.epoch === before.epoch) {
      const grows =
        before.joining !== undefined && next.inSync.some((one) => one.replica === before.joining?.replica)
      const closes = next.engine === undefined
      if (!grows && !closes && setText(next) !== setText(before))
        this.problem(
          `V5: epoch ${next.epoch} was given another set: ${setText(before)}, then ${setText(next)}`,
        )
      return
    }
    if (before && next.epoch !== before.epoch + 1)
      this.problem(`V5: after epoch ${before.epoch} came ${next.epoch}`)
    if (this.#sets.has(next.epoch)) this.problem(`V5: epoch ${next.epoch} was committed twice`)
    this.#sets.set(next.epoch, setText(next))
    const foreign = next.inSync.find(
      (one) =>
        before !== undefined &&
        before.inSync.length > 0 &&
        !before.inSync.some((old) => old.replica === one.replica) &&
        before.joining?.replica !== one.replica,
    )
    if (foreign)
      this.problem(`V6: ${foreign.replica} came into the set of epoch ${next.epoch} without a rebuild`)
  }

  /** V2, V6: after an unclean end nothing that differs counts twice. */
  #equal(record: EpochRecord, what: string): void {
    const [first, ...others] = record.inSync.map(({ replica }) => this.look(replica))
    if (!first) return
    const wanted = images(first)
    for (const other of others) {
      if (!other) continue
      const held = images(other)
      for (let at = 0; at < record.sizeBytes / SECTOR_BYTES; at++)
        if (sectorOf(held, at) !== sectorOf(wanted, at)) {
          const values = `${sectorOf(wanted, at)} and ${sectorOf(held, at)}`
          this.problem(`${what} replicas that differ in sector ${at}: ${values}`)
          return
        }
    }
  }

  #lives(name: string, incarnation: string): boolean {
    const look = this.look(name)
    return [...(look?.computer.programs.values() ?? [])].some(
      (one) => one.alive && incarnationOf(one.identity) === incarnation,
    )
  }

  #holds(name: string, atLeast: (at: number) => number, what: string): void {
    const look = this.look(name)
    if (!look) return
    const chain = images(look)
    const { history } = this.#world
    for (let at = 0; at < history.size; at++) {
      const value = sectorOf(chain, at)
      const wrong = history.wrong(at, value, atLeast(at))
      if (!wrong) continue
      this.problem(`${what}: replica ${name} is missing a write: ${wrong}`)
      return
    }
  }

  // --- the daemons: V3, V5 ---

  /** V5: the name of an export means one process and one epoch for ever. */
  exported(daemon: StorageDaemon, name: string): void {
    const { pid, bootId } = daemon.identity
    const who = `${bootId}/${pid}`
    const known = this.#names.get(name)
    if (known !== undefined && known !== who)
      this.problem(`V5: export ${name} of ${known} is opened by ${who} again`)
    this.#names.set(name, who)
  }

  /**
   * V3: once a replica serves an epoch, no write of an older one touches it. What was on its way while the old export
   * was being closed is nobody's loss: the guest never heard of it, and the new export opens after it.
   */
  applied(daemon: StorageDaemon, exportName: string, _request: NbdRequest): void {
    const epoch = epochOf(exportName)
    for (const [name, one] of daemon.exports)
      if (one.writable && epochOf(name) > epoch)
        this.problem(`V3: a write through ${exportName} was taken while ${name} is open`)
  }

  // --- files: V8, V9, V10, V12 ---

  /** V12: the last copy of a volume that is not being deleted stays. */
  removing(replica: Replica): void {
    const name = replica.metadata.name!
    const volume = this.#world.objects<Volume>('volumes.longhorn.io')[0]
    const { inSync } = this.record() ?? { inSync: [] }
    const counts = inSync.some((one) => one.replica === name)
    if (volume && !volume.metadata.deletionTimestamp && counts && inSync.length === 1)
      this.problem(`V12: the files of ${name}, the last replica in step, are removed`)
  }

  /** Looked at now and then: all of it holds at every moment, and none of it can heal by itself. */
  tick(): void {
    const record = this.record()
    for (const { replica, incarnation } of record?.inSync ?? []) {
      const look = this.look(replica)
      if (!look?.computer.up) continue
      this.#chain(replica, look)
      // One that has died since is broken: what it holds counts again when a new engine takes it.
      const counts = record?.engine ? this.#lives(replica, incarnation) : record?.cleanShutdown
      if (counts) this.#frozen(replica, look)
    }
    this.#stall(record)
  }

  /** V10: whatever was cut off, a chain has all its layers. */
  #chain(name: string, look: ReplicaLook): void {
    const meta = whole(look)
    const missing = [meta.head, ...chainBelow(meta).map((layer) => layer.file)].find(
      (file) => look.computer.disk.image(`${look.folder}/${file}`) === undefined,
    )
    if (missing !== undefined && !this.#world.damaged.has(name))
      this.problem(`V10: ${missing} of replica ${name} is gone, though its record names it`)
  }

  /** V9: a snapshot holds the same for ever, on every replica. */
  #frozen(name: string, look: ReplicaLook): void {
    for (const layer of layerNames(look)) {
      if (look.meta.pending?.name === layer) continue
      const chain = images(look, layer)
      const sizeBytes = Math.max(...chain.map((image) => image?.sizeBytes ?? 0))
      const content = Array.from({ length: sizeBytes / SECTOR_BYTES }, (_, at) => sectorOf(chain, at))
      const known = this.#snapshots.get(layer)
      if (!known) {
        this.#snapshots.set(layer, content)
        this.counts.snapshots += 1
        continue
      }
      const at = content.findIndex((value, index) => value !== (known[index] ?? 0))
      if (at >= 0)
        this.problem(
          `V9: snapshot ${layer} has ${content[at]} in sector ${at} on replica ${name}, elsewhere or before it had ${known[at] ?? 0}`,
        )
    }
  }

  /** V8: replicas of a volume at rest are equal, layer by layer. */
  atRest(): void {
    const record = this.record()
    if (!record || record.inSync.length === 0) return
    this.#equal(record, 'V8: a volume at rest has')
    const chains = record.inSync.map(({ replica }) => {
      const look = this.look(replica)
      return look
        ? chainBelow(whole(look))
            .map((layer) => layer.name)
            .join(' > ')
        : undefined
    })
    const differs = chains.find((chain) => chain !== chains[0])
    if (differs !== undefined)
      this.problem(`V8: replicas at rest have different layers: ${chains.join(' | ')}`)
  }

  /** Snapshots of a replica in one line. */
  layers(name: string): string {
    const look = this.look(name)
    return look ? [...layerNames(look)].sort().join(' ') : '?'
  }

  // --- time and amounts: V13, V15 ---

  /** Something beyond one fault is in the way; a stall is no wonder. */
  excuse(): void {
    this.#excusedMs = this.#world.world.nowMs
  }

  /** V13: no single fault stops a guest for longer than the time limit of an input or output. */
  #stall(record: EpochRecord | undefined): void {
    const { guest, world } = this.#world
    const able = guest?.qemu.alive && guest.qemu.word === this.#owner && record?.engine
    if (!able || !this.#able(record, guest.qemu.computer.name)) {
      this.excuse()
      return
    }
    const since = Math.max(
      this.#excusedMs,
      Math.min(...guest.guest.waiting.values(), Number.POSITIVE_INFINITY),
    )
    if (world.nowMs - since > STALL_MAX_MS) {
      this.problem(
        `V13: the guest has waited for ${Math.round(world.nowMs - since)} ms, though a replica is well`,
      )
      this.excuse()
    }
  }

  /** The agent and the API are well, and a replica of the set has all of the guest's writes. */
  #able(record: EpochRecord, node: string): boolean {
    const world = this.#world
    if (!world.agents.get(node)?.process.alive || world.cutFromApi.has(node) || world.losesAnswers)
      return false
    if (world.qemuOf('', node)?.hung) return false
    return record.inSync.some(({ replica, incarnation }) => {
      const at = this.replica(replica)?.spec?.nodeID ?? ''
      const computer = world.computers.find((one) => one.name === at)
      if (!computer?.up || computer.disk.broken || computer.disk.full || computer.disk.slowMs > 0)
        return false
      if (!world.agents.get(at)?.process.alive) return false
      const passes = at === node || (world.links.passes(at, node) && world.links.passes(node, at))
      const name = `${replica}-${record.epoch}-${incarnation}`
      const serves = [...computer.programs.values()].some(
        (one) => one.alive && !one.hung && 'exports' in one && (one as StorageDaemon).exports.has(name),
      )
      return passes && serves
    })
  }

  rebuilds(node: string, by: number): void {
    const now = (this.#rebuilds.get(node) ?? 0) + by
    this.#rebuilds.set(node, now)
    if (now > REBUILDS_PER_NODE_MAX) this.problem(`V15: ${now} rebuilds run on ${node}`)
  }

  /** V15: no more replicas than asked for and one to replace, and never two good ones on a node. */
  placed(): void {
    const volume = this.#world.objects<Volume>('volumes.longhorn.io')[0]
    const replicas = this.#world
      .objects<Replica>('replicas.longhorn.io')
      .filter((one) => !one.metadata.deletionTimestamp && !one.spec?.failedAt)
    const wanted = volume?.spec?.numberOfReplicas ?? 0
    if (volume && replicas.length > wanted + 1)
      this.problem(`V15: ${replicas.length} replicas, ${wanted} are wanted`)
    const nodes = replicas.map((one) => one.spec?.nodeID)
    if (new Set(nodes).size < nodes.length) this.problem(`V15: two replicas on one node: ${nodes.join(', ')}`)
  }
}

const setText = (record: EpochRecord): string =>
  [...record.inSync]
    .map((one) => `${one.replica}/${one.incarnation}`)
    .sort()
    .join(' ')

function epochOf(exportName: string): number {
  return Number(/-(\d+)-[^-]+$/.exec(exportName)?.[1] ?? 0)
}
