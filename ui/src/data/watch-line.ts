// One WebSocket to the server that carries the watches of all pages (/v1-croft/watch): browsers allow six connections
// to a host over HTTP/1.1. It is opened with the first watch, renewed when the server asks for it, and closed a moment
// after the last watch.
import type { KubeObject } from '../../../src/base/object.ts'
import { ApiFailure, call } from './api.ts'

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: KubeObject & {
    readonly code?: number
    readonly message?: string
    readonly reason?: string
  }
}
export interface Watched {
  readonly path: string
  readonly resourceVersion: string
  readonly fieldSelector?: string | undefined
  readonly onOpen: () => void
  readonly onEvent: (event: WatchEvent) => void
}

interface Said {
  readonly id: number
  readonly event?: WatchEvent
  readonly end?: { readonly code?: number; readonly reason?: string; readonly message?: string } | null
}
interface Running extends Watched {
  /** In order (`undefined`), or with what the server said. */
  readonly over: (failure: ApiFailure | undefined) => void
}

/** A page that goes to another page needs it again at once. */
const IDLE_MS = 5_000
const OPEN_TIMEOUT_MS = 15_000
/** The server closes with this when it wants a new one; watches go on where they are. */
const RENEW = 4000

let current: Line | undefined

/** Ends without an error when the server ends the watch in order; throws ApiFailure otherwise, or when aborted. */
export async function watchOver(watched: Watched, signal: AbortSignal): Promise<void> {
  if (!current || current.isOver) current = new Line()
  await current.run(watched, signal)
}

/** The next watch is another user's. */
export function closeLine(): void {
  current?.close()
  current = undefined
}

class Line {
  readonly #socket: WebSocket
  readonly #opened: Promise<void>
  readonly #running = new Map<number, Running>()
  #nextId = 1
  #idle: ReturnType<typeof setTimeout> | undefined
  isOver = false

  constructor() {
    this.#socket = new WebSocket(`wss://${location.host}/v1-croft/watch`)
    this.#opened = this.#open()
    this.#opened.catch(() => undefined)
    this.#socket.onmessage = ({ data }: MessageEvent<string>) => this.#take(JSON.parse(data) as Said)
  }

  #open(): Promise<void> {
    const socket = this.#socket
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.close(), OPEN_TIMEOUT_MS)
      socket.onopen = () => {
        clearTimeout(timer)
        resolve()
      }
      socket.onclose = ({ code }) => {
        clearTimeout(timer)
        this.isOver = true
        const failure =
          code === RENEW ? undefined : new ApiFailure(0, 'Unreachable', `the connection closed (${code})`)
        reject(failure)
        for (const { over } of this.#running.values()) over(failure)
        this.#running.clear()
      }
    })
  }

  async run(watched: Watched, signal: AbortSignal): Promise<void> {
    clearTimeout(this.#idle)
    try {
      await this.#opened
    } catch (error) {
      // A socket does not say why it was refused; a plain question does, and tells when the session is over.
      await call('/v1-croft/session', { signal })
      throw error
    }
    signal.throwIfAborted()
    const id = this.#nextId++
    const { path, resourceVersion, fieldSelector } = watched
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        this.#running.set(id, { ...watched, over: (failure) => (failure ? reject(failure) : resolve()) })
        this.#say({ open: id, path, resourceVersion, ...(fieldSelector ? { fieldSelector } : {}) })
        watched.onOpen()
      })
    } finally {
      if (this.#running.delete(id)) this.#say({ close: id })
      if (this.#running.size === 0) this.#idle = setTimeout(() => this.#leave(), IDLE_MS)
    }
  }

  close(): void {
    this.isOver = true
    this.#socket.close()
  }

  #leave(): void {
    if (this.#running.size === 0) this.close()
  }

  #say(wish: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(wish))
  }

  #take({ id, event, end }: Said): void {
    const running = this.#running.get(id)
    if (!running) return
    if (event) {
      running.onEvent(event)
      return
    }
    this.#running.delete(id)
    running.over(end ? new ApiFailure(end.code ?? 500, end.reason ?? '', end.message ?? '') : undefined)
  }
}
