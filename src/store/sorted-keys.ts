// A sorted set of keys: an array of sorted chunks. Inserting moves at most one chunk, counting looks at whole chunks.
import { compareKeys, comparePlainKeys, isHighKey } from './order.ts'

/** A chunk is split above this; half of it is moved on average by an insert, which is a memmove of 2 KiB. */
const CHUNK_MAX = 512

interface Position {
  readonly chunk: number
  readonly index: number
}

export class SortedKeys {
  readonly #chunks: string[][] = []
  /** The plain order is the right one until the first key with characters of the high range comes. */
  #compare = comparePlainKeys

  /** `keys` in any order, each once. */
  constructor(keys: Iterable<string> = []) {
    const all = [...keys]
    if (all.some(isHighKey)) this.#compare = compareKeys
    const sorted = all.sort(this.#compare)
    for (let start = 0; start < sorted.length; start += CHUNK_MAX / 2)
      this.#chunks.push(sorted.slice(start, start + CHUNK_MAX / 2))
  }

  /** The key must not be there yet. */
  add(key: string): void {
    if (this.#compare !== compareKeys && isHighKey(key)) this.#compare = compareKeys
    if (this.#chunks.length === 0) this.#chunks.push([])
    const { chunk, index } = this.#insertPosition(key)
    const keys = this.#chunks[chunk] as string[]
    keys.splice(index, 0, key)
    if (keys.length > CHUNK_MAX)
      this.#chunks.splice(chunk, 1, keys.slice(0, CHUNK_MAX / 2), keys.slice(CHUNK_MAX / 2))
  }

  /** The key must be there. */
  delete(key: string): void {
    const { chunk, index } = this.#insertPosition(key)
    const keys = this.#chunks[chunk] as string[]
    keys.splice(index, 1)
    if (keys.length === 0) this.#chunks.splice(chunk, 1)
  }

  /** Keys with the prefix, in order, starting after `after`. */
  *from(prefix: string, after: string | undefined): Generator<string> {
    const start = this.#startPosition(prefix, after)
    for (let chunk = start.chunk; chunk < this.#chunks.length; chunk += 1) {
      const keys = this.#chunks[chunk] as string[]
      for (let index = chunk === start.chunk ? start.index : 0; index < keys.length; index += 1) {
        const key = keys[index] as string
        if (!key.startsWith(prefix)) return
        yield key
      }
    }
  }

  /** How many keys `from` would give. */
  count(prefix: string, after?: string): number {
    const start = this.#startPosition(prefix, after)
    const end = this.#position((key) => key.startsWith(prefix) || this.#compare(key, prefix) < 0)
    let count = end.index - start.index
    for (let chunk = start.chunk; chunk < end.chunk; chunk += 1) count += this.#chunks[chunk]?.length ?? 0
    return Math.max(count, 0)
  }

  #startPosition(prefix: string, after: string | undefined): Position {
    if (after === undefined || this.#compare(after, prefix) < 0)
      return this.#position((key) => this.#compare(key, prefix) < 0)
    return this.#position((key) => this.#compare(key, after) <= 0)
  }

  /** Where the key stands or would stand; the end of a chunk rather than the start of the next. */
  #insertPosition(key: string): Position {
    const { chunk, index } = this.#position((other) => this.#compare(other, key) < 0)
    if (chunk < this.#chunks.length) return { chunk, index }
    const last = Math.max(this.#chunks.length - 1, 0)
    return { chunk: last, index: this.#chunks[last]?.length ?? 0 }
  }

  /** The first position whose key is not `before`; the one past the last chunk when all are. */
  #position(before: (key: string) => boolean): Position {
    const chunk = firstIndex(this.#chunks.length, (at) => !before(this.#chunks[at]?.at(-1) as string))
    const keys = this.#chunks[chunk]
    if (keys === undefined) return { chunk, index: 0 }
    return { chunk, index: firstIndex(keys.length, (at) => !before(keys[at] as string)) }
  }
}

/** The first index in [0, length) for which `is` holds, when it holds from there on; `length` when it never does. */
export function firstIndex(length: number, is: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (is(middle)) high = middle
    else low = middle + 1
  }
  return low
}
