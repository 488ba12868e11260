// The storage world of one seed: computers with disks and links, the API, the control plane's real deciders, the
// agents, one volume with a machine on it, and those who watch that nothing is lost.
import type { ApiCall, ApiPort } from '../../base/call.ts'
import type { KubeObject } from '../../base/object.ts'
import { createInProcessClient } from '../../client/in-process.ts'
import { createInformers } from '../../client/informer.ts'
import { Event } from '../../kinds/core/event.ts'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { AnyDecider } from '../../kinds/decide.ts'
import { runLoop } from '../../loop/run-loop.ts'
import type { NbdChild } from '../../node/plan/backing.ts'
import { diskNodes, topNode } from '../../node/plan/disk-node.ts'
import type { decideOpen } from '../../node/volume/epoch/next-step.ts'
import type { EpochRecord } from '../../node/volume/epoch/record.ts'
import type { Member } from '../../node/volume/member.ts'
import { type RecordKeeper, recordOf } from '../../node/volume/record-keeper.ts'
import { FakeApi } from '../fake-api.ts'
import { type FaultyLink, faultyApi } from '../faulty-api.ts'
import { type SimClockState, SimProcess } from '../process.ts'
import type { SeededRandom } from '../random.ts'
import { CONTROLLER } from '../real-api.ts'
import { hostOf } from '../test-host.ts'
import { World } from '../world.ts'
import { SimComputer } from './computer.ts'
import { DISK, type EngineRun } from './engine-run.ts'
import { Guest, History } from './guest.ts'
import { MachineQemu } from './machine-qemu.ts'
import { StorageAgent } from './storage-agent.ts'
import { StorageDaemon } from './storage-daemon.ts'
import { VolumeCheckers } from './volume-checkers.ts'
import { Links } from './wire.ts'

/** Deliberate faults of the product, for proving that the checkers see them. */
export interface Mutations {
  readonly noFenceBeforeOpen?: boolean
  readonly noEqualise?: boolean
  /** An agent takes an engine for its own that is another's. */
  readonly adoptForeign?: boolean
  /** Daemons that answer a flush and keep nothing. */
  readonly noFlush?: boolean
  /** Writes that count as taken. */
  readonly threshold?: number
  readonly decideOpen?: typeof decideOpen
  readonly member?: (member: Member, agent: StorageAgent) => Member
  readonly commit?: (commit: RecordKeeper['commit'], keeper: RecordKeeper) => RecordKeeper['commit']
}

export interface StorageOptions extends Mutations {
  readonly seed: number
  readonly deciders: () => readonly AnyDecider[]
}

export interface MachineStart {
  readonly record: EpochRecord
  readonly children: readonly NbdChild[]
  readonly word: string
  readonly unbroken: boolean
}

export const VOLUME = 'v1'
const START_MS = { from: 15, to: 120 }
const NODE_OPTIONS = { readOnly: false, cache: undefined, io: undefined, shareable: false } as const

export class StorageWorld {
  readonly options: StorageOptions
  readonly world: World
  readonly random: SeededRandom
  readonly links: Links
  readonly api = new FakeApi()
  readonly computers: readonly SimComputer[]
  readonly agents = new Map<string, StorageAgent>()
  readonly apiLinks = new Map<string, FaultyLink>()
  /** Nodes that do not reach the API. */
  readonly cutFromApi = new Set<string>()
  readonly checkers: VolumeCheckers
  readonly byTcp: boolean
  readonly history = new History()
  readonly snapshots: string[] = []
  /** Replicas whose files were taken away on purpose. */
  readonly damaged = new Set<string>()
  losesAnswers = false
  /** Starts the machine elsewhere, as whoever looks after machines does when its host is lost. */
  moveMachine: (node: string) => Promise<void> = async () => undefined
  guest: { readonly guest: Guest; readonly qemu: MachineQemu } | undefined
  control: SimProcess | undefined
  #controls = 0
  #agents = 0

  constructor(options: StorageOptions) {
    this.options = options
    this.world = new World(options.seed)
    const { world } = this
    this.random = world.random.fork('storage')
    this.links = new Links(world)
    this.api.now = () => Date.UTC(2026, 0, 1) + world.nowMs
    const count = 2 + this.random.below(3)
    this.byTcp = true
    this.checkers = new VolumeCheckers(this)
    this.computers = Array.from(
      { length: count },
      (_, index) =>
        new SimComputer(
          world,
          this.links,
          { name: `n${index + 1}`, address: `10.0.0.${index + 1}`, clock: this.#clock() },
          (computer, identity, argv) =>
            argv.includes('qemu-storage-daemon')
              ? new StorageDaemon(computer, identity, argv, {
                  watch: this.checkers,
                  flushes: !options.noFlush,
                })
              : undefined,
        ),
    )
    for (const computer of this.computers) computer.network = this.computers
    this.api.onChange = (object, before) => {
      if (object.kind === 'Replica') this.checkers.placed()
      if (object.kind !== 'VolumeEpoch') return
      this.checkers.committed(recordOf(object as VolumeEpoch), before && recordOf(before as VolumeEpoch))
    }
  }

  #clock(): SimClockState {
    return { offsetMs: this.random.between(-2_000, 2_000), rate: this.random.between(0.9999, 1.0001) }
  }

  note(who: string, text: string): void {
    this.world.note(who, text)
  }

  objects<T extends KubeObject>(resource: string): readonly T[] {
    return this.api.all(resource) as readonly T[]
  }

  reachesApi(node: string): boolean {
    return !this.cutFromApi.has(node)
  }

  historyOf(_volume: string): History {
    return this.history
  }

  snapshotsOf(_volume: string): readonly string[] {
    return this.snapshots
  }

  // --- processes ---

  startControl(): void {
    if (this.control?.alive) return
    this.#controls += 1
    const process = new SimProcess(this.world, `control#${this.#controls}`)
    this.control = process
    const port: ApiPort = {
      call: (call) => process.answer(this.api.call(call)),
      watch: (call) => this.api.watch(call),
    }
    const client = createInProcessClient({ api: port, user: CONTROLLER, fieldManager: 'croft-control' })
    const end = new AbortController()
    const host = hostOf(process)
    const informers = createInformers(client, host, { signal: end.signal })
    process.onDeath(() => end.abort())
    runLoop({
      client,
      host,
      informers,
      deciders: this.options.deciders(),
      signal: end.signal,
      eventKind: Event,
      onHotLoop: (hot) => this.checkers.problem(`hot loop: ${hot.decider} ${hot.key}: ${hot.why}`),
      onBug: (decider, key, error) =>
        this.checkers.problem(
          `decider ${decider} threw on ${key}: ${error instanceof Error ? error.stack : String(error)}`,
        ),
    })
  }

  startAgent(computer: SimComputer): void {
    if (!computer.up || this.agents.get(computer.name)?.process.alive) return
    this.#agents += 1
    const process = new SimProcess(this.world, `agent-${computer.name}#${this.#agents}`, computer.clock)
    const link = faultyApi(this.api, process)
    link.isCut = () => this.cutFromApi.has(computer.name) || !computer.up
    link.losesAnswer = () => this.losesAnswers && this.random.chance(0.3)
    this.apiLinks.set(computer.name, link)
    const client = createInProcessClient({ api: link.port, user: CONTROLLER, fieldManager: 'croft-agent' })
    this.agents.set(computer.name, new StorageAgent(this, computer, process, client))
  }

  powerOff(computer: SimComputer): void {
    this.agents.get(computer.name)?.process.kill()
    computer.powerOff()
  }

  /** The record's way to the API, seen by the checkers. */
  watched(keeper: RecordKeeper): RecordKeeper {
    return { read: keeper.read, commit: this.options.commit?.(keeper.commit, keeper) ?? keeper.commit }
  }

  async direct(call: Partial<ApiCall> & Pick<ApiCall, 'verb' | 'resource'>): Promise<KubeObject> {
    const answer = await this.api.call({
      group: '',
      version: 'v1',
      user: CONTROLLER,
      options: {},
      ...call,
    } as ApiCall)
    return answer.object as KubeObject
  }

  // --- the machine ---

  qemuOf(_volume: string, node: string): MachineQemu | undefined {
    const computer = this.computers.find((one) => one.name === node)
    for (const program of computer?.programs.values() ?? [])
      if (program instanceof MachineQemu && program.alive) return program
    return undefined
  }

  /** A QEMU with the guest on it; it runs when this resolves. */
  async startMachine(
    _run: EngineRun,
    agent: StorageAgent,
    start: MachineStart,
  ): Promise<MachineQemu | undefined> {
    const { computer } = agent
    await agent.process.clock.sleep(this.random.between(START_MS.from, START_MS.to))
    const identity = computer.nextIdentity()
    const qemu = new MachineQemu(computer, identity, start.word)
    computer.programs.set(identity.pid, qemu)
    qemu.onExit.add(() => computer.programs.delete(identity.pid))
    const nodes = diskNodes(DISK.disk, { kind: 'nbd', children: start.children }, NODE_OPTIONS)
    const { threshold } = this.options
    const open = nodes.map((node) =>
      threshold !== undefined && node['driver'] === 'quorum'
        ? { ...node, 'vote-threshold': threshold }
        : node,
    )
    if (!(await qemu.open(open, topNode(DISK.disk)))) return undefined
    const { history, checkers } = this
    const guest = new Guest(qemu, {
      history,
      sizeBytes: start.record.sizeBytes,
      watch: checkers.guest(start.word),
    })
    this.guest = { guest, qemu }
    this.note(computer.name, `machine starts in epoch ${start.record.epoch}`)
    qemu.onContinue = (exports) => {
      if (this.checkers.counts && qemu.word === start.word) this.checkers.goesOn(exports)
    }
    qemu.begin()
    return qemu
  }
}
