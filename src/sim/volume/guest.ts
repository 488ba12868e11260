// A guest that writes numbered records, flushes and reads, and knows what it was told: the oracle of the storage
// world. Numbers rise for ever, so what a sector may hold is a question of which numbers.
import type { SeededRandom } from '../random.ts'
import type { World } from '../world.ts'
import type { Device, MachineQemu } from './machine-qemu.ts'
import { SECTOR_BYTES } from './sim-disk.ts'

interface Sector {
  /** Numbers that may be found here, oldest first. The first survives every crash. */
  found: number[]
  /** The newest that the guest was told is written, or has read. */
  acked: number
  inFlight: number
}

/** What the guest knows of its disk, over all its lives. */
export class History {
  readonly #sectors: Sector[] = []
  #next = 1
  acks = 0
  reads = 0
  /** Larger: the guest does less. */
  pace = 1

  sector(at: number): Sector {
    return (this.#sectors[at] ??= { found: [0], acked: 0, inFlight: 0 })
  }

  write(at: number): number {
    const sector = this.sector(at)
    const value = this.#next++
    sector.found.push(value)
    sector.inFlight += 1
    return value
  }

  /** A number that may never be found anywhere. */
  zombie(): number {
    return this.#next++
  }

  written(at: number, value: number): void {
    const sector = this.sector(at)
    sector.inFlight -= 1
    sector.acked = Math.max(sector.acked, value)
    this.acks += 1
  }

  /** What a flush that begins now makes safe. */
  mark(): readonly number[] {
    return this.#sectors.map((sector) => sector?.acked ?? 0)
  }

  flushed(marks: readonly number[]): void {
    for (const [at, mark] of marks.entries()) {
      const sector = this.sector(at)
      if (sector.found.includes(mark)) sector.found = sector.found.filter((value) => value >= mark)
    }
  }

  /** Why this may not be what a read gives; undefined: it may. */
  wrong(at: number, value: number, atLeast: number): string | undefined {
    const { found } = this.sector(at)
    if (value < atLeast) return `sector ${at} gave ${value}, ${atLeast} had been acknowledged`
    return found.includes(value) ? undefined : `sector ${at} gave ${value}, possible were ${found.join(', ')}`
  }

  read(at: number, value: number): void {
    const sector = this.sector(at)
    this.reads += 1
    if (sector.inFlight > 0 || value < sector.acked) return
    // What was read is what is there: nothing newer may turn up later.
    sector.acked = Math.max(sector.acked, value)
    sector.found = sector.found.filter((one) => one <= value)
  }

  /** The guest starts anew. `lossy`: the power failed, what was not flushed may be gone. */
  reboot(lossy: boolean): void {
    for (const sector of this.#sectors) {
      if (!sector) continue
      sector.inFlight = 0
      if (lossy) sector.acked = sector.found[0]!
    }
  }

  /** The machine was shut down in order: all that was acknowledged is safe. */
  closed(): void {
    for (const sector of this.#sectors) {
      if (!sector) continue
      sector.found = sector.found.filter((value) => value >= sector.acked)
      sector.inFlight = 0
    }
  }

  get size(): number {
    return this.#sectors.length
  }

  /** Number that every member must hold at least. */
  floor(at: number): number {
    return this.sector(at).found[0]!
  }
}

export interface GuestWatch {
  /** Another life of the guest has begun; what this one does counts for nothing. */
  isOver(): boolean
  acknowledged(at: number, value: number, exports: readonly string[]): void
  problem(text: string): void
}

const BETWEEN_MS = { from: 2, to: 60 }
const IN_FLIGHT_MAX = 4

/** One life of the guest within one QEMU. */
export class Guest implements Device {
  readonly #world: World
  readonly #random: SeededRandom
  readonly #qemu: MachineQemu
  readonly #history: History
  readonly #watch: GuestWatch
  #sectors: number
  #inFlight = 0
  #runs = false
  #over = false
  /** Since when a request has not been answered, or the guest stands. Milliseconds. */
  readonly waiting = new Map<number, number>()
  #id = 0
  runningSince: number | undefined

  constructor(
    qemu: MachineQemu,
    parts: { readonly history: History; readonly sizeBytes: number; readonly watch: GuestWatch },
  ) {
    this.#qemu = qemu
    this.#world = qemu.computer.world
    this.#random = this.#world.random.fork(`guest${qemu.identity.pid}@${this.#world.nowMs}`)
    this.#history = parts.history
    this.#watch = parts.watch
    this.#sectors = parts.sizeBytes / SECTOR_BYTES
    qemu.device = this
  }

  running(now: boolean): void {
    const was = this.#runs
    this.#runs = now
    if (now && !was) this.#live()
  }

  resized(sizeBytes: number): void {
    this.#sectors = sizeBytes / SECTOR_BYTES
  }

  ended(): void {
    this.#over = true
    this.waiting.clear()
  }

  /** Goes on in another QEMU: what was sent and not answered is sent again from there. */
  leave(): void {
    this.#over = true
  }

  #live(): void {
    const { from, to } = BETWEEN_MS
    void this.#world.after(this.#random.between(from, to) * this.#history.pace, () => {
      if (this.#over || !this.#runs) return
      if (this.#watch.isOver()) return this.#zombie()
      if (this.#inFlight < IN_FLIGHT_MAX) this.#act()
      this.#live()
    })
  }

  /** A machine that does not know that it was replaced goes on writing. */
  #zombie(): void {
    const value = this.#history.zombie()
    if (this.#inFlight < IN_FLIGHT_MAX)
      this.#send({ kind: 'write', sector: this.#random.below(this.#sectors), value }, () => undefined)
    this.#live()
  }

  #act(): void {
    const at = this.#random.below(this.#sectors)
    const dice = this.#random.float()
    if (dice < 0.12) this.#flush()
    else if (dice < 0.4) this.#read(at)
    else if (this.#history.sector(at).inFlight === 0) this.#write(at)
  }

  #send(
    request: { readonly kind: 'read' | 'write' | 'flush'; readonly sector: number; readonly value: number },
    done: (value: number, exports: readonly string[]) => void,
  ): void {
    const id = this.#id++
    this.#inFlight += 1
    this.waiting.set(id, this.#world.nowMs)
    this.#qemu.submit(request, (value, exports) => {
      if (this.#over) return
      this.#inFlight -= 1
      this.waiting.delete(id)
      if (this.#watch.isOver()) {
        if (request.kind === 'write') this.#watch.problem('V3: a write of an older engine was acknowledged')
        return
      }
      done(value, exports)
    })
  }

  #write(at: number): void {
    const value = this.#history.write(at)
    this.#send({ kind: 'write', sector: at, value }, (_, exports) => {
      this.#history.written(at, value)
      this.#watch.acknowledged(at, value, exports)
    })
  }

  #flush(): void {
    const marks = this.#history.mark()
    this.#send({ kind: 'flush', sector: 0, value: 0 }, () => this.#history.flushed(marks))
  }

  #read(at: number): void {
    const atLeast = this.#history.sector(at).acked
    this.#send({ kind: 'read', sector: at, value: 0 }, (value) => {
      const wrong = this.#history.wrong(at, value, atLeast)
      if (wrong) this.#watch.problem(`V2: ${wrong}`)
      this.#history.read(at, value)
    })
  }
}
