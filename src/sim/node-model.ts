// One simulated computer below its agent: the QEMUs and storage daemons that run on it and outlive the agent.
import type { Problems } from './checkers.ts'
import type { SimClockState } from './process.ts'
import type { World } from './world.ts'

export interface Qemu {
  readonly podUid: string
  /** `namespace/name` of the machine. */
  readonly machine: string
  readonly vmiUid: string
  state: 'running' | 'ended'
  end: 'shutdown' | 'crashed' | undefined
}

export class SimNode {
  readonly name: string
  readonly clock: SimClockState
  /** By Pod uid. Ended ones stay until their agent has cleaned up, as a machine's folder does. */
  readonly qemus = new Map<string, Qemu>()
  /** Replica uids whose storage daemon runs. */
  readonly daemons = new Set<string>()
  /** Replica uids whose files lie on the disk. */
  readonly files = new Set<string>()
  readonly #world: World
  readonly #problems: Problems
  readonly #listeners = new Set<() => void>()

  constructor(world: World, problems: Problems, name: string, clock: SimClockState) {
    this.#world = world
    this.#problems = problems
    this.name = name
    this.clock = clock
  }

  startQemu(qemu: Omit<Qemu, 'state' | 'end'>): void {
    this.qemus.set(qemu.podUid, { ...qemu, state: 'running', end: undefined })
    this.#world.note(this.name, `QEMU of ${qemu.machine} starts`)
    this.#problems.qemuStarted(qemu.machine, `${this.name}/${qemu.podUid}`)
  }

  endQemu(podUid: string, end: 'shutdown' | 'crashed'): void {
    const qemu = this.qemus.get(podUid)
    if (qemu?.state !== 'running') return
    qemu.state = 'ended'
    qemu.end = end
    this.#world.note(this.name, `QEMU of ${qemu.machine} ends: ${end}`)
    this.#problems.qemuEnded(qemu.machine, `${this.name}/${podUid}`)
    for (const call of this.#listeners) call()
  }

  /** The agent hears of ends through its monitor connections. */
  onEnd(call: () => void): () => void {
    this.#listeners.add(call)
    return () => this.#listeners.delete(call)
  }

  /** The power goes: every process ends, files stay. */
  powerOff(): void {
    this.#world.note(this.name, 'power off')
    for (const qemu of this.qemus.values()) this.endQemu(qemu.podUid, 'crashed')
    this.daemons.clear()
  }
}
