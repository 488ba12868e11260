// A day of samples in bounded memory. Recent points lie in plain arrays, older ones in packed blocks; what does not fit
// the budget is kept more coarsely, the oldest first, and only then dropped.
import type { Range, RangeSeries, RangeWish, Subject } from '../base/metrics-port.ts'
import {
  BLOCK_POINTS,
  type Block,
  closeBlock,
  emptyLevels,
  type Levels,
  readLevels,
  sizeOf,
  THINNING,
  thinBlock,
  typeOfKey,
} from './blocks.ts'
import { amountOf, levelOf, METRICS, MISSING } from './metrics.ts'

/** Time between two samples. */
export const STEP_MS = 10_000
export const KEPT_MS = 24 * 3_600_000
export const BLOCK_MS = STEP_MS * BLOCK_POINTS
/** All of history, the open block included. */
export const BUDGET_BYTES = 20 * 1024 * 1024
/** Points of one answer; a chart has fewer pixels. */
export const POINTS_MAX = 10_000
/** Names and objects of one subject. */
const SUBJECT_BYTES = 250
/** Clocks of nodes may run ahead of ours by this much. */
const AHEAD_MS = 60_000

export interface HistoryOptions {
  readonly budgetBytes?: number
  readonly keptMs?: number
}

export class History {
  readonly #budget: number
  readonly #kept: number
  /** By number, oldest first. */
  #blocks: Block[] = []
  #open = new Map<string, Levels>()
  #openNumber = 0
  #closedBytes = 0
  #openBytes = 0
  /** One copy of each name, whatever the number of blocks that have it. */
  readonly #names = new Map<string, string>()

  constructor({ budgetBytes = BUDGET_BYTES, keptMs = KEPT_MS }: HistoryOptions = {}) {
    this.#budget = budgetBytes
    this.#kept = keptMs
  }

  /** Closed blocks and the present state of the open one. */
  blocks(): readonly Block[] {
    const open = closeBlock(this.#openNumber, this.#open)
    return open.keys.length === 0 ? this.#blocks : [...this.#blocks, open]
  }

  get openNumber(): number {
    return this.#openNumber
  }

  /** Bytes that history takes in memory. */
  get sizeBytes(): number {
    return this.#closedBytes + this.#openBytes
  }

  /** Takes what kept files hold, in any order; points that came meanwhile stay. */
  restore(blocks: readonly Block[], now: number): void {
    this.#turnTo(Math.floor(now / BLOCK_MS))
    const known = new Set(this.#blocks.map(({ number }) => number))
    for (const block of blocks) {
      const { number, keys } = block
      if (number > this.#openNumber || (number + 1) * BLOCK_MS <= now - this.#kept || known.has(number))
        continue
      if (number < this.#openNumber) this.#blocks.push(this.#named(block))
      else for (const key of keys) this.#goOn(block, key)
    }
    this.#blocks.sort((a, b) => a.number - b.number)
    this.#keepBudget(0)
  }

  /** Values in the order of the type's metrics. Points that are too old or too far ahead are dropped. */
  add({ type, id }: Subject, at: number, now: number, values: readonly (number | undefined)[]): boolean {
    this.#turnTo(Math.floor(now / BLOCK_MS))
    const number = Math.floor(at / BLOCK_MS)
    if (at > now + AHEAD_MS || number < this.#openNumber) return false
    // A node whose clock is a little ahead begins the next block.
    this.#turnTo(number)
    const key = this.#name(`${type}/${id}`)
    let levels = this.#open.get(key)
    if (!levels) {
      levels = this.#begin(key)
      if (!levels) return false
    }
    const point = Math.floor(at / STEP_MS) - number * BLOCK_POINTS
    for (const [metric, { grain }] of METRICS[type].entries())
      levels[metric * BLOCK_POINTS + point] = levelOf(values[metric], grain)
    return true
  }

  range({ type, id }: Subject, wish: RangeWish): Range {
    const key = `${type}/${id}`
    const step = Math.max(STEP_MS, wish.step)
    const start = Math.floor(wish.start / step) * step
    const count = Math.max(0, Math.min(POINTS_MAX, Math.ceil((wish.end - start) / step)))
    const wanted = METRICS[type].flatMap((metric, index) =>
      wish.metrics === undefined || wish.metrics.includes(metric.name)
        ? [{ metric, index, ...emptyFold(count) }]
        : [],
    )
    for (const { number, factor, levels } of this.#pieces(key, start, start + count * step)) {
      const points = BLOCK_POINTS / factor
      for (const { metric, index, sums, counts } of wanted)
        for (let point = 0; point < points; point += 1) {
          const slot = Math.floor((number * BLOCK_MS + point * STEP_MS * factor - start) / step)
          const value = amountOf(levels[index * points + point] ?? 0, metric.grain)
          if (slot < 0 || slot >= count || value === undefined) continue
          const held = sums[slot] ?? 0
          sums[slot] = wish.fold === 'mean' ? held + value : Math.max(held, value)
          counts[slot] = wish.fold === 'mean' ? (counts[slot] ?? 0) + 1 : 1
        }
    }
    const series = wanted.map(({ metric, sums, counts }): RangeSeries => {
      const values = [...sums].map((sum, slot) => (counts[slot] ? rounded(sum / counts[slot]) : null))
      return { name: metric.name, unit: metric.unit, values }
    })
    return { start, step, series }
  }

  *#pieces(key: string, start: number, end: number) {
    for (const block of this.#blocks) {
      if ((block.number + 1) * BLOCK_MS <= start || block.number * BLOCK_MS >= end) continue
      const levels = readLevels(block, key)
      if (levels) yield { number: block.number, factor: block.factor, levels }
    }
    const open = this.#open.get(key)
    if (open) yield { number: this.#openNumber, factor: 1, levels: open }
  }

  #turnTo(number: number): void {
    if (number <= this.#openNumber) return
    const block = closeBlock(this.#openNumber, this.#open)
    if (block.keys.length > 0) this.#blocks.push(block)
    const openBytes = this.#openBytes
    this.#open = new Map()
    this.#openBytes = 0
    this.#openNumber = number
    const oldest = number * BLOCK_MS - this.#kept
    this.#blocks = this.#blocks.filter((one) => (one.number + 1) * BLOCK_MS > oldest)
    this.#keepBudget(openBytes)
    const used = new Set(this.#blocks.flatMap(({ keys }) => keys))
    for (const name of this.#names.keys()) if (!used.has(name)) this.#names.delete(name)
  }

  /** Undefined where even the present has no room: then only the last values of a subject are known. */
  #begin(key: string): Levels | undefined {
    const levels = emptyLevels(typeOfKey(key))
    if (this.#openBytes + levels.byteLength > this.#budget / 2) return undefined
    this.#open.set(this.#name(key), levels)
    this.#openBytes += levels.byteLength + SUBJECT_BYTES
    if (this.sizeBytes > this.#budget) this.#keepBudget(0)
    return levels
  }

  #goOn(block: Block, key: string): void {
    const levels = this.#open.get(key) ?? this.#begin(key)
    if (!levels) return
    const kept = unthinned(block, key)
    for (let at = 0; at < levels.length; at += 1) levels[at] ||= kept[at] ?? MISSING
  }

  /** Room for what the open block will take is kept free. */
  #keepBudget(openBytes: number): void {
    const weigh = (): boolean => {
      this.#closedBytes = this.#blocks.reduce((sum, block) => sum + sizeOf(block), 0)
      return this.#closedBytes + Math.max(openBytes, this.#openBytes) > this.#budget
    }
    for (const factor of THINNING.slice(1))
      for (let index = 0; index < this.#blocks.length && weigh(); index += 1) {
        const block = this.#blocks[index]!
        if (block.factor < factor) this.#blocks[index] = this.#named(thinBlock(block, factor))
      }
    while (weigh() && this.#blocks.length > 0) this.#blocks.shift()
  }

  #named(block: Block): Block {
    return { ...block, keys: block.keys.map((key) => this.#name(key)) }
  }

  #name(key: string): string {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    this.#names.set(key, key)
    return key
  }
}

function emptyFold(count: number) {
  return { sums: new Float64Array(count), counts: new Uint32Array(count) }
}

/** Three digits and a half are what is kept; more would pretend. */
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

/** A block that goes on after a restart: its points at full resolution again. */
function unthinned(block: Block, key: string): Levels {
  const levels = readLevels(block, key)!
  if (block.factor === 1) return levels
  const whole = emptyLevels(typeOfKey(key))
  for (let at = 0; at < whole.length; at += 1) whole[at] = levels[Math.floor(at / block.factor)] ?? 0
  return whole
}
