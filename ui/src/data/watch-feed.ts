// One collection, listed once and then watched: the newest state of every object, and whether it is live. It goes on by
// itself after a lost connection (from the last revision) and after its revision has been forgotten (with a new list).
import type { KubeObject } from '../../../src/base/object.ts'
import { keyOf } from '../../../src/base/object.ts'
import { ApiFailure, call } from './api.ts'
import { mayList } from './rights.ts'
import { type WatchEvent, watchOver } from './watch-line.ts'

export type Liveness = 'loading' | 'live' | 'reconnecting' | 'failed'

export interface FeedState<T extends KubeObject = KubeObject> {
  readonly objects: ReadonlyMap<string, T>
  readonly liveness: Liveness
  /** Why it is not live, as the server said it. */
  readonly failure: ApiFailure | undefined
}

/** Pauses between attempts grow up to this. */
const PAUSE_MAX_MS = 15_000
const PAUSE_FIRST_MS = 500
/** Rights that are missing come back seldom, and every refusal stands in the browser's log. */
const REFUSED_PAUSE_MS = 60_000
/** Shown where no server has said it in its own words. */
const REFUSED = 'your rights do not include listing these objects here'
/** Bookmarks come every minute; silence for longer than two is a connection that died without saying so. */
const SILENCE_MS = 150_000
/** Changes are shown together, at most this often: a frame at 60 a second. */
const SHOW_EVERY_MS = 16
/** Showing them may take one part of the time in so many: the rest is for scrolling and typing. */
const SHOW_SHARE = 5
/** Seldomer than this is not live. */
const SHOW_MAX_MS = 250
/** What fills any screen is there at once, however long the list is; the rest follows. */
const FIRST_ITEMS = 200
const NEXT_ITEMS = 1_000

interface ListAnswer {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string }
  readonly items: readonly KubeObject[]
}

export class WatchFeed {
  readonly #path: string
  readonly #query: Readonly<Record<string, string>>
  readonly #listeners = new Set<() => void>()
  readonly #end = new AbortController()
  /** What the next watch goes on from; undefined where a new list is needed. */
  #revision: string | undefined
  #objects = new Map<string, KubeObject>()
  #state: FeedState = { objects: this.#objects, liveness: 'loading', failure: undefined }
  #showing: ReturnType<typeof setTimeout> | undefined
  #restMs = SHOW_EVERY_MS
  #wake: (() => void) | undefined

  constructor(path: string, query: Readonly<Record<string, string>> = {}) {
    this.#path = path
    this.#query = query
    void this.#run()
  }

  get state(): FeedState {
    return this.#state
  }
  get isWatched(): boolean {
    return this.#listeners.size > 0
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Tries again at once instead of waiting out the pause. */
  retry(): void {
    this.#wake?.()
  }

  close(): void {
    this.#end.abort()
    clearTimeout(this.#showing)
    this.#wake?.()
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    let pauseMs = PAUSE_FIRST_MS
    while (!signal.aborted) {
      try {
        this.#revision ??= await this.#list()
        this.#revision = await this.#watch(this.#revision)
        pauseMs = PAUSE_FIRST_MS
      } catch (error) {
        if (signal.aborted) return
        const failure = asFailure(error)
        if (failure.code === 410) {
          this.#revision = undefined
          continue
        }
        // A connection that breaks right after it was made is tried again at once only the first time.
        const isRefused = failure.code >= 400 && failure.code < 500
        this.#say(isRefused ? 'failed' : 'reconnecting', failure)
        await this.#pause(failure.code === 403 ? REFUSED_PAUSE_MS : pauseMs)
        pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
      }
    }
  }

  async #list(): Promise<string> {
    if (!(await mayList(this.#path))) throw new ApiFailure(403, 'Forbidden', REFUSED)
    const before = this.#objects
    const objects = new Map<string, KubeObject>()
    // What was shown before stays until all of the new list is there.
    const isFirst = before.size === 0
    let from: string | undefined
    let next: string | undefined
    do {
      const { metadata, items } = await this.#page(next)
      for (const object of items) {
        const key = keyOf(object)
        const old = before.get(key)
        const same = old?.metadata.resourceVersion === object.metadata.resourceVersion
        objects.set(key, same && old ? old : object)
      }
      from ??= metadata.resourceVersion
      next = metadata.continue || undefined
      if (next !== undefined && isFirst) {
        this.#objects = objects
        this.#say('loading')
      }
    } while (next !== undefined)
    this.#objects = objects
    this.#say('live')
    return from
  }

  #page(next: string | undefined): Promise<ListAnswer> {
    const query = new URLSearchParams({
      ...this.#query,
      limit: String(next === undefined ? FIRST_ITEMS : NEXT_ITEMS),
      ...(next === undefined ? {} : { continue: next }),
    })
    return call<ListAnswer>(`${this.#path}?${query}`, { signal: this.#end.signal })
  }

  /** Gives the last revision when the server ends the watch in order. */
  async #watch(from: string): Promise<string> {
    let revision = from
    let broken: unknown
    const silence = new AbortController()
    let alarm = setTimeout(() => silence.abort(), SILENCE_MS)
    const signal = AbortSignal.any([this.#end.signal, silence.signal])
    const onEvent = (event: WatchEvent) => {
      clearTimeout(alarm)
      alarm = setTimeout(() => silence.abort(), SILENCE_MS)
      try {
        revision = this.#take(event) ?? revision
      } catch (error) {
        broken = error
        silence.abort()
      }
    }
    const onOpen = () => {
      if (this.#state.liveness !== 'live') this.#say('live')
    }
    const { fieldSelector } = this.#query
    try {
      await watchOver({ path: this.#path, resourceVersion: from, fieldSelector, onOpen, onEvent }, signal)
      return revision
    } catch (error) {
      // What came before the break has been taken: the next watch goes on from there.
      this.#revision = revision
      throw broken ?? error
    } finally {
      clearTimeout(alarm)
    }
  }

  #take({ type, object }: WatchEvent): string | undefined {
    if (type === 'ERROR') throw new ApiFailure(object.code ?? 500, object.reason ?? '', object.message ?? '')
    if (type === 'DELETED') this.#objects.delete(keyOf(object))
    else if (type !== 'BOOKMARK') this.#objects.set(keyOf(object), object)
    if (type !== 'BOOKMARK') this.#showing ??= setTimeout(() => this.#show(), this.#restMs)
    return object.metadata.resourceVersion
  }

  /** The longer it takes, the longer it rests after it. */
  #show(): void {
    const began = performance.now()
    this.#say('live')
    // The page is drawn anew in a microtask that was asked for before this one.
    queueMicrotask(() => {
      const tookMs = performance.now() - began
      this.#restMs = Math.min(SHOW_MAX_MS, Math.max(SHOW_EVERY_MS, tookMs * (SHOW_SHARE - 1)))
    })
  }

  #say(liveness: Liveness, failure?: ApiFailure): void {
    clearTimeout(this.#showing)
    this.#showing = undefined
    this.#state = { objects: new Map(this.#objects), liveness, failure }
    for (const listener of this.#listeners) listener()
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  return new ApiFailure(0, 'Unreachable', error instanceof Error ? error.message : String(error))
}
