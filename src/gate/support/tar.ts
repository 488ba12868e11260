// A tar archive (POSIX ustar) as a stream of its pieces: text files only, with names that we choose ourselves.
import { assert } from '../../base/assert.ts'

const BLOCK = 512
/** Longest name of a ustar header without a prefix. */
const NAME_MAX = 100

const encoder = new TextEncoder()

/** Header and content of one file, filled up to whole blocks. `time` is seconds since 1970. */
export function tarEntry(name: string, text: string, time: number): Uint8Array {
  assert(encoder.encode(name).length <= NAME_MAX, `the name ${name} fits into a tar header`)
  const content = encoder.encode(text)
  const whole = new Uint8Array(BLOCK + Math.ceil(content.length / BLOCK) * BLOCK)
  whole.set(header(name, content.length, time))
  whole.set(content, BLOCK)
  return whole
}

/** Two empty blocks. */
export function tarEnd(): Uint8Array {
  return new Uint8Array(2 * BLOCK)
}

function header(name: string, size: number, time: number): Uint8Array {
  const block = new Uint8Array(BLOCK)
  const put = (text: string, at: number): void => block.set(encoder.encode(text), at)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  put(name, 0)
  put(octal(0o644, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(Math.max(0, Math.floor(time)), 11), 136)
  // The sum is taken with its own place full of blanks.
  put('        ', 148)
  put('0', 156)
  put('ustar\x0000', 257)
  const sum = block.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}
