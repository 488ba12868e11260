// Simulated time. Every macrotask of a simulated program is an event of one heap, microtasks are drained between
// two events, so the same seed gives the same run, and its trace hash proves it.
import { hash, type SeededRandom, seededRandom } from './random.ts'

interface Event {
  readonly atMs: number
  readonly order: number
  call: (() => void) | undefined
}

export interface TraceLine {
  readonly atMs: number
  readonly who: string
  readonly text: string
}

/** Kept for a failure's report; the hash covers all lines, kept or not. */
const TRACE_KEPT = 4000
/** An event that sets off more than this many others at one instant is a loop without time. */
const EVENTS_PER_INSTANT_MAX = 100_000

export class World {
  readonly seed: number
  readonly random: SeededRandom
  readonly trace: TraceLine[] = []
  traceHash = 0x811c9dc5
  events = 0
  #nowMs = 0
  #order = 0
  readonly #heap: Event[] = []

  constructor(seed: number) {
    this.seed = seed
    this.random = seededRandom(seed)
  }

  /** Milliseconds since the simulation began. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** Calls back after `ms` of simulated time; the returned function cancels. */
  after(ms: number, call: () => void): () => void {
    const event: Event = { atMs: this.#nowMs + Math.max(0, ms), order: this.#order++, call }
    push(this.#heap, event)
    return () => {
      event.call = undefined
    }
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve))
  }

  note(who: string, text: string): void {
    const line: TraceLine = { atMs: this.#nowMs, who, text }
    this.traceHash = hash(`${line.atMs} ${who} ${text}\n`, this.traceHash)
    this.trace.push(line)
    if (this.trace.length > TRACE_KEPT * 2) this.trace.splice(0, TRACE_KEPT)
  }

  /** Runs until the instant, or until `until` says so after an event. */
  async run(untilMs: number, until?: () => boolean): Promise<void> {
    let instantMs = this.#nowMs
    let atInstant = 0
    await drained()
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= untilMs; next = this.#heap[0]) {
      pop(this.#heap)
      if (next.call === undefined) continue
      atInstant = next.atMs === instantMs ? atInstant + 1 : 0
      if (atInstant > EVENTS_PER_INSTANT_MAX) throw new Error(`endless events at ${next.atMs} ms`)
      instantMs = next.atMs
      this.#nowMs = next.atMs
      this.events += 1
      next.call()
      await drained()
      if (until?.()) return
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs)
  }
}

/** All microtasks run before the next macrotask of the real event loop; nothing else of ours uses that. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
}

function push(heap: Event[], item: Event): void {
  let index = heap.push(item) - 1
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (isBefore(heap[parent]!, item)) break
    heap[index] = heap[parent]!
    index = parent
  }
  heap[index] = item
}

function pop(heap: Event[]): void {
  const last = heap.pop()!
  if (heap.length === 0) return
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
    if (isBefore(last, heap[child]!)) break
    heap[index] = heap[child]!
    index = child
  }
  heap[index] = last
}
