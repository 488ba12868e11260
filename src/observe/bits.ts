// Runs of small whole numbers in few bits: differences from one to the next, Rice coded with the parameter that fits the run.
// A level that does not move costs nothing, one that wanders a little some bits a point.
import { assert } from '../base/assert.ts'
import { MISSING } from './metrics.ts'

/** First byte of a run whose numbers are all the same; the number follows. */
const FLAT = 0xfe
/** First byte of a run in which nothing was measured. */
const NOTHING = 0xff
/** A difference that needs more ones than this is written out. */
const ONES_MAX = 12
/** Differences of two 16-bit numbers, folded to be positive. */
const RAW_BITS = 17
const PARAMETER_MAX = 15

export class BitWriter {
  #bytes = new Uint8Array(4096)
  #length = 0
  #bit = 0
  #held = 0

  get length(): number {
    return this.#length
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) {
      const wider = new Uint8Array(this.#bytes.length * 2)
      wider.set(this.#bytes)
      this.#bytes = wider
    }
    this.#bytes[this.#length++] = value
  }

  bits(value: number, count: number): void {
    for (let left = count; left > 0; ) {
      const taken = Math.min(left, 8 - this.#bit)
      const part = (value >>> (left - taken)) & ((1 << taken) - 1)
      this.#held = (this.#held << taken) | part
      this.#bit += taken
      left -= taken
      if (this.#bit === 8) this.#flush()
    }
  }

  /** Up to the next whole byte. */
  align(): void {
    if (this.#bit > 0) this.bits(0, 8 - this.#bit)
  }

  /** A copy of what was written. */
  take(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #flush(): void {
    this.byte(this.#held)
    this.#held = 0
    this.#bit = 0
  }
}

export class BitReader {
  readonly #bytes: Uint8Array
  #at: number
  #bit = 0

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  get at(): number {
    return this.#at
  }

  byte(): number {
    return this.#bytes[this.#at++] ?? 0
  }

  bits(count: number): number {
    let value = 0
    for (let left = count; left > 0; ) {
      const taken = Math.min(left, 8 - this.#bit)
      const held = this.#bytes[this.#at] ?? 0
      value = (value << taken) | ((held >>> (8 - this.#bit - taken)) & ((1 << taken) - 1))
      this.#bit += taken
      left -= taken
      if (this.#bit === 8) this.align()
    }
    return value
  }

  /** Ones up to the next zero, at most `max`. */
  ones(max: number): number {
    let count = 0
    while (count < max && this.bits(1) === 1) count += 1
    return count
  }

  align(): void {
    if (this.#bit === 0) return
    this.#bit = 0
    this.#at += 1
  }
}

/** Numbers from 0 to 65535. */
export function writeRun(writer: BitWriter, run: Uint16Array): void {
  const first = run[0] ?? MISSING
  if (run.every((level) => level === first)) {
    writer.byte(first === MISSING ? NOTHING : FLAT)
    if (first !== MISSING) writer.bits(first, 16)
    return
  }
  const parameter = parameterFor(run)
  writer.byte(parameter)
  let last = 0
  for (const level of run) {
    const folded = fold(level - last)
    const ones = folded >>> parameter
    if (ones < ONES_MAX) {
      // The ones and the zero behind them.
      writer.bits((1 << (ones + 1)) - 2, ones + 1)
      if (parameter > 0) writer.bits(folded & ((1 << parameter) - 1), parameter)
    } else {
      writer.bits((1 << ONES_MAX) - 1, ONES_MAX)
      writer.bits(folded, RAW_BITS)
    }
    last = level
  }
  writer.align()
}

/** Fills `run`, which has to be as long as the one that was written. */
export function readRun(reader: BitReader, run: Uint16Array): void {
  const head = reader.byte()
  if (head === NOTHING || head === FLAT) {
    run.fill(head === NOTHING ? MISSING : reader.bits(16))
    return
  }
  assert(head <= PARAMETER_MAX, 'a run begins with its parameter')
  let last = 0
  for (let index = 0; index < run.length; index += 1) {
    const ones = reader.ones(ONES_MAX)
    const folded =
      ones < ONES_MAX ? (ones << head) | (head > 0 ? reader.bits(head) : 0) : reader.bits(RAW_BITS)
    last += unfold(folded)
    run[index] = last
  }
  reader.align()
}

function fold(difference: number): number {
  return difference >= 0 ? difference * 2 : -difference * 2 - 1
}

function unfold(folded: number): number {
  return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2
}

function parameterFor(run: Uint16Array): number {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let parameter = 0; parameter <= PARAMETER_MAX; parameter += 1) {
    let bits = 0
    let last = 0
    for (const level of run) {
      const ones = fold(level - last) >>> parameter
      bits += ones < ONES_MAX ? ones + 1 + parameter : ONES_MAX + RAW_BITS
      last = level
    }
    if (bits >= least) break
    least = bits
    best = parameter
  }
  return best
}
