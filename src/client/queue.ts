// A queue of keys: each key waits at most once, is worked on by one worker at a time, and comes back later when it
// must. Keys leave in the order in which they came, so none starves.
import type { Clock } from '../host/host.ts'

export interface Queue {
  /** Ready now; when the key is being worked on, ready again as soon as that is done. */
  add(key: string): void
  /** Ready after `ms`, unless something makes it ready sooner. Replaces an earlier delay of the key. */
  addLater(key: string, ms: number): void
  /** Forgets a delay of the key. */
  cancel(key: string): void
  /** The next key, now in work, or undefined. */
  take(): string | undefined
  done(key: string): void
  /** Keys that are ready and not in work. */
  readonly ready: number
  readonly inWork: number
  /** Monotonic milliseconds of the key's delay end, where it has one. */
  dueMs(key: string): number | undefined
  /** Cancels the timer. */
  stop(): void
}

interface Delayed {
  readonly key: string
  readonly atMs: number
}

/** `onReady` is called whenever a key has become ready; it must not take keys itself in that call. */
export function createQueue(clock: Clock, onReady: () => void): Queue {
  const ready = new Set<string>()
  const inWork = new Set<string>()
  const again = new Set<string>()
  const due = new Map<string, number>()
  const heap: Delayed[] = []
  let timer: { readonly atMs: number; readonly cancel: () => void } | undefined

  const add = (key: string): void => {
    if (inWork.has(key)) {
      again.add(key)
      return
    }
    if (ready.has(key)) return
    ready.add(key)
    onReady()
  }

  const arm = (): void => {
    // Entries that were replaced stay in the heap until they come up; they are told by the time in `due`.
    while (heap[0] !== undefined && due.get(heap[0].key) !== heap[0].atMs) popHeap(heap)
    const next = heap[0]
    if (next === undefined || (timer !== undefined && timer.atMs <= next.atMs)) return
    timer?.cancel()
    timer = {
      atMs: next.atMs,
      cancel: clock.after(Math.max(0, next.atMs - clock.monotonic()), fire),
    }
  }

  const fire = (): void => {
    timer = undefined
    const now = clock.monotonic()
    for (let next = heap[0]; next !== undefined && next.atMs <= now; next = heap[0]) {
      popHeap(heap)
      if (due.get(next.key) !== next.atMs) continue
      due.delete(next.key)
      add(next.key)
    }
    arm()
  }

  return {
    add,
    addLater(key, ms) {
      const atMs = clock.monotonic() + Math.max(0, ms)
      if (due.get(key) === atMs) return
      due.set(key, atMs)
      pushHeap(heap, { key, atMs })
      arm()
    },
    cancel: (key) => void due.delete(key),
    take() {
      const next = ready.values().next()
      if (next.done) return undefined
      ready.delete(next.value)
      inWork.add(next.value)
      return next.value
    },
    done(key) {
      inWork.delete(key)
      if (again.delete(key)) add(key)
    },
    get ready() {
      return ready.size
    },
    get inWork() {
      return inWork.size
    },
    dueMs: (key) => due.get(key),
    stop() {
      timer?.cancel()
      timer = undefined
      ready.clear()
      due.clear()
      heap.length = 0
    },
  }
}

function pushHeap(heap: Delayed[], item: Delayed): void {
  let index = heap.push(item) - 1
  while (index > 0) {
    const parent = (index - 1) >> 1
    if (heap[parent]!.atMs <= item.atMs) break
    heap[index] = heap[parent]!
    index = parent
  }
  heap[index] = item
}

function popHeap(heap: Delayed[]): Delayed | undefined {
  const top = heap[0]
  const last = heap.pop()
  if (top === undefined || last === undefined || heap.length === 0) return top
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && heap[child + 1]!.atMs < heap[child]!.atMs) child += 1
    if (heap[child]!.atMs >= last.atMs) break
    heap[index] = heap[child]!
    index = child
  }
  heap[index] = last
  return top
}
