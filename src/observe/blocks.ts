// History in blocks of time: one array of bytes holds all subjects of a block, so that a day of a hundred machines costs
// what it says and not thousands of small objects. Closed blocks are never changed, only replaced by thinner ones.
import type { SubjectType } from '../base/metrics-port.ts'
import { BitReader, BitWriter, readRun, writeRun } from './bits.ts'
import { amountOf, levelOf, METRICS, MISSING } from './metrics.ts'

/** Points of a block at full resolution: a quarter of an hour of 10 s. */
export const BLOCK_POINTS = 90
/** How many points become one where room is short: 10 s, a minute, a quarter of an hour. */
export const THINNING = [1, 6, 90] as const

export interface Block {
  /** Time since 1970 in units of a block's length. */
  readonly number: number
  /** Points at full resolution that one kept point stands for. */
  readonly factor: number
  /** Sorted. `type/id`. */
  readonly keys: readonly string[]
  /** Where in `bytes` the data of each key begins; one more for the end. */
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

/** Levels of one subject in one block: for each metric `points` in a row. */
export type Levels = Uint16Array

export function typeOfKey(key: string): SubjectType {
  return key.slice(0, key.indexOf('/')) as SubjectType
}

export function emptyLevels(type: SubjectType): Levels {
  return new Uint16Array(METRICS[type].length * BLOCK_POINTS)
}

/** Subjects in which nothing was measured are left out. */
export function closeBlock(number: number, open: ReadonlyMap<string, Levels>, factor = 1): Block {
  const writer = new BitWriter()
  const keys = [...open].flatMap(([key, levels]) => (levels.some((level) => level !== MISSING) ? [key] : []))
  keys.sort()
  const offsets = new Uint32Array(keys.length + 1)
  const points = BLOCK_POINTS / factor
  keys.forEach((key, index) => {
    offsets[index] = writer.length
    const levels = open.get(key)!
    for (let at = 0; at < levels.length; at += points) writeRun(writer, levels.subarray(at, at + points))
  })
  offsets[keys.length] = writer.length
  return { number, factor, keys, offsets, bytes: writer.take() }
}

/** Undefined where the block has nothing of it. */
export function readLevels(block: Block, key: string): Levels | undefined {
  const index = indexOf(block.keys, key)
  if (index < 0) return undefined
  const points = BLOCK_POINTS / block.factor
  const levels = new Uint16Array(METRICS[typeOfKey(key)].length * points)
  const reader = new BitReader(block.bytes, block.offsets[index] ?? 0)
  const end = block.offsets[index + 1] ?? 0
  // What an older version wrote has fewer metrics; those behind stay missing.
  for (let at = 0; at < levels.length && reader.at < end; at += points)
    readRun(reader, levels.subarray(at, at + points))
  return levels
}

/** The same block with fewer points: means of what was measured. */
export function thinBlock(block: Block, factor: number): Block {
  const joined = factor / block.factor
  const points = BLOCK_POINTS / block.factor
  const thin = new Map<string, Levels>()
  for (const key of block.keys) {
    const levels = readLevels(block, key)!
    const metrics = METRICS[typeOfKey(key)]
    const thinner = new Uint16Array(levels.length / joined)
    metrics.forEach(({ grain }, metric) => {
      for (let point = 0; point < points / joined; point += 1) {
        const from = metric * points + point * joined
        thinner[metric * (points / joined) + point] = meanLevel(levels.subarray(from, from + joined), grain)
      }
    })
    thin.set(key, thinner)
  }
  return closeBlock(block.number, thin, factor)
}

function meanLevel(levels: Levels, grain: number): number {
  const values = [...levels].flatMap((level) => amountOf(level, grain) ?? [])
  if (values.length === 0) return MISSING
  return levelOf(values.reduce((sum, value) => sum + value, 0) / values.length, grain)
}

function indexOf(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = keys[middle]!
    if (found === key) return middle
    if (found < key) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** Bytes in memory: the data, the places, and a share of the names, which blocks have in common. */
export function sizeOf(block: Block): number {
  return block.bytes.length + block.offsets.byteLength + block.keys.length * 8 + 200
}
