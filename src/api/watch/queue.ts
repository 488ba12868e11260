// What a watcher has not taken yet. It holds a bounded number of bytes: a watcher that falls behind further is cut
// off and resumes from its last revision, so that nobody's slowness costs the others memory.
import { WATCH_BACKLOG_MAX_BYTES } from '../../base/limits.ts'
import type { WatchItem } from './item.ts'

export class WatchQueue {
  #items: WatchItem[] = []
  #sizeBytes = 0
  #ended = false
  #wake: (() => void) | undefined
  readonly #maxBytes: number
  /** True when the watcher was cut off because it was too slow. */
  cut = false

  constructor(maxBytes = WATCH_BACKLOG_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  push(item: WatchItem): void {
    if (this.#ended) return
    this.#items.push(item)
    this.#sizeBytes += item.sizeBytes
    if (this.#sizeBytes > this.#maxBytes) {
      this.cut = true
      this.#items = []
      this.end()
    }
    this.#wake?.()
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  get ended(): boolean {
    return this.#ended
  }

  /** All that is there, or a wait for more; undefined when the watch is over. */
  async takeAll(): Promise<readonly WatchItem[] | undefined> {
    while (this.#items.length === 0) {
      if (this.#ended) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const taken = this.#items
    this.#items = []
    this.#sizeBytes = 0
    return taken
  }
}
