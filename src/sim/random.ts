// Chance that can be had again: a small seeded generator (sfc32). Not for secrets.
import type { Random } from '../host/host.ts'

export interface SeededRandom extends Random {
  /** Whole number in [0, below). */
  below(below: number): number
  /** Between the two, evenly. */
  between(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** A generator of its own that does not disturb this one's sequence. */
  fork(name: string): SeededRandom
}

export function seededRandom(seed: number, name = ''): SeededRandom {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  let c = (seed >>> 0) ^ hash(name)
  let d = (Math.floor(seed / 2 ** 32) >>> 0) + 1
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    return (t >>> 0) / 2 ** 32
  }
  for (let round = 0; round < 16; round += 1) next()
  const self: SeededRandom = {
    float: next,
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)),
    uuid() {
      const hex = Array.from(self.bytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`
    },
    below: (below) => Math.floor(next() * below),
    between: (from, to) => from + next() * (to - from),
    chance: (probability) => next() < probability,
    pick: (from) => from[Math.floor(next() * from.length)]!,
    fork: (forkName) => seededRandom(seed, `${name}/${forkName}`),
  }
  return self
}

/** FNV-1a, 32 bits. */
export function hash(text: string, from = 0x811c9dc5): number {
  let value = from
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return value >>> 0
}
