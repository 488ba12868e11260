// The network between simulated computers, and NBD connections over it: messages in order, late, held up by a cut
// link as TCP does, given up after a while; a peer that died tells so only if its computer still lives.
import type { SeededRandom } from '../random.ts'
import type { World } from '../world.ts'

/** A connection whose bytes do not get through breaks after this (keep-alive and few retries). Milliseconds. */
const TCP_GIVE_UP_MS = 13_000
const RETRY_MS = 150
const LOCAL_MS = 0.05

export class Links {
  readonly #world: World
  readonly #random: SeededRandom
  /** `from>to` that nothing passes. */
  readonly #cut = new Set<string>()
  /** Computers without power. */
  readonly dark = new Set<string>()
  /** Added to each message between computers. Milliseconds. */
  delayMs: () => number = () => 0

  constructor(world: World) {
    this.#world = world
    this.#random = world.random.fork('links')
  }

  cut(from: string, to: string, oneWay: boolean): void {
    this.#cut.add(`${from}>${to}`)
    if (!oneWay) this.#cut.add(`${to}>${from}`)
  }

  heal(): void {
    this.#cut.clear()
    this.delayMs = () => 0
  }

  healBetween(a: string, b: string): void {
    this.#cut.delete(`${a}>${b}`)
    this.#cut.delete(`${b}>${a}`)
  }

  passes(from: string, to: string): boolean {
    return !this.dark.has(from) && !this.dark.has(to) && !this.#cut.has(`${from}>${to}`)
  }

  /** True when the message came through before everybody gave up. */
  async carry(from: string, to: string, over: () => boolean): Promise<boolean> {
    if (from === to) {
      await this.#world.sleep(LOCAL_MS)
      return !over()
    }
    const until = this.#world.nowMs + TCP_GIVE_UP_MS
    while (!this.passes(from, to)) {
      await this.#world.sleep(RETRY_MS)
      if (over()) return false
      if (this.#world.nowMs > until) return false
    }
    await this.#world.sleep(0.2 + this.#random.float() * 0.4 + this.delayMs())
    return !over()
  }
}

export interface NbdRequest {
  readonly kind: 'read' | 'write' | 'flush'
  readonly sector: number
  /** Number of the write. */
  readonly value: number
}

/** The side of the storage daemon. */
export interface NbdServer {
  readonly node: string
  /** Rejects when the export is gone or the disk fails. */
  take(exportName: string, request: NbdRequest): Promise<number>
  /** Sees the end of the connection. */
  readonly connections: Set<NbdConnection>
}

export class NbdError extends Error {}

interface Pending {
  readonly reject: (error: Error) => void
}

export class NbdConnection {
  readonly exportName: string
  readonly server: NbdServer
  readonly #links: Links
  readonly #client: string
  readonly #pending = new Set<Pending>()
  #up: Promise<unknown> = Promise.resolve()
  #down: Promise<unknown> = Promise.resolve()
  /** The client's side is over. */
  broken = false
  /** The server's side is over. */
  closed = false

  constructor(links: Links, client: string, server: NbdServer, exportName: string) {
    this.#links = links
    this.#client = client
    this.server = server
    this.exportName = exportName
    server.connections.add(this)
  }

  request(request: NbdRequest): Promise<number> {
    if (this.broken) return Promise.reject(new NbdError('the connection is broken'))
    return new Promise((resolve, reject) => {
      const pending: Pending = { reject }
      this.#pending.add(pending)
      const settle = (call: () => void): void => {
        if (!this.#pending.delete(pending)) return
        call()
      }
      // A message on its way arrives even if the client has died meanwhile.
      const sent = this.#up.then(() => this.#links.carry(this.#client, this.server.node, () => this.closed))
      this.#up = sent
      void sent.then(async (arrived) => {
        if (!arrived) {
          if (!this.closed || this.#links.passes(this.server.node, this.#client)) this.break()
          return
        }
        const answer = this.server.take(this.exportName, request).then(
          (value) => () => resolve(value),
          (error: unknown) => () => reject(error as Error),
        )
        const back = this.#down.then(async () => {
          const call = await answer
          if (await this.#links.carry(this.server.node, this.#client, () => this.broken)) settle(call)
          else this.break()
        })
        this.#down = back
      })
    })
  }

  /** The client sees an error: cut by it, given up, or told by the other side. */
  break(): void {
    if (this.broken) return
    this.broken = true
    for (const { reject } of [...this.#pending]) reject(new NbdError('the connection broke'))
    this.#pending.clear()
    // After what is on its way: requests that were sent are taken all the same.
    void this.#up.then(async () => {
      await this.#links.carry(this.#client, this.server.node, () => this.closed)
      this.closed = true
      this.server.connections.delete(this)
    })
  }

  /** The server's side ends: its export was closed or its process is gone. The client hears of it, or gives up. */
  close(): void {
    if (this.closed) return
    this.closed = true
    this.server.connections.delete(this)
    void this.#links.carry(this.server.node, this.#client, () => this.broken).then(() => this.break())
  }
}
