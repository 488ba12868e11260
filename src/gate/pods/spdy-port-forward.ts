// pods/portforward as kubectl has spoken it since 1.31: a SPDY conversation inside one WebSocket. Each connection is
// two streams of one request id: an error stream, which the client only reads, and a data stream.
import { Buffer } from 'node:buffer'
import type { AgentStream } from '../../base/agent-port.ts'
import type { UpgradeAnswer, WebSocketPeer } from '../../host/host.ts'
import { type Ask, agentOf, type GateDeps, gateClient } from '../ask.ts'
import { type Launcher, readLauncher } from './launcher.ts'
import {
  dataFrame,
  pingFrame,
  readFrames,
  replyWriter,
  resetFrame,
  SPDY_DICTIONARY,
  type SpdyFrame,
} from './spdy-frames.ts'

export const SPDY_PROTOCOL = 'SPDY/3.1+portforward.k8s.io'
/** Connections under way in one conversation; a browser opens dozens. */
const STREAMS_MAX = 1_000

export async function openSpdyPorts(deps: GateDeps, { info }: Ask): Promise<UpgradeAnswer> {
  const launcher = await readLauncher(gateClient(deps), info)
  return { protocol: SPDY_PROTOCOL, talk: (socket) => new Conversation(deps, launcher, socket).run() }
}

interface DataStream {
  readonly stream: AgentStream | undefined
}

class Conversation {
  readonly #deps: GateDeps
  readonly #launcher: Launcher
  readonly #socket: WebSocketPeer
  readonly #reply = replyWriter()
  /** Error streams by request id. */
  readonly #errors = new Map<string, number>()
  /** Data streams by their number; the connection to the guest may still be coming. */
  readonly #streams = new Map<number, Promise<DataStream>>()

  constructor(deps: GateDeps, launcher: Launcher, socket: WebSocketPeer) {
    this.#deps = deps
    this.#launcher = launcher
    this.#socket = socket
  }

  async run(): Promise<void> {
    const inflater = this.#deps.openInflater(SPDY_DICTIONARY)
    try {
      for await (const frame of readFrames(bytesOf(this.#socket), inflater)) {
        if (frame.type === 'goaway') return
        await this.#take(frame)
      }
    } finally {
      inflater.close()
      for (const opening of this.#streams.values()) void opening.then(({ stream }) => stream?.close())
    }
  }

  async #take(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case 'open':
        return this.#open(frame.stream, frame.headers)
      case 'data':
        return this.#data(frame.stream, frame.bytes, frame.last)
      case 'reset': {
        const opening = this.#streams.get(frame.stream)
        this.#streams.delete(frame.stream)
        void opening?.then(({ stream }) => stream?.close())
        return
      }
      case 'ping':
        return this.#socket.send(pingFrame(frame.id))
      default:
        return
    }
  }

  async #open(number: number, headers: ReadonlyMap<string, string>): Promise<void> {
    const port = Number(headers.get('port'))
    const request = headers.get('requestid') ?? ''
    const type = headers.get('streamtype')
    const fits = Number.isInteger(port) && port >= 1 && port <= 65_535
    if (!fits || this.#streams.size >= STREAMS_MAX || (type !== 'error' && type !== 'data'))
      return this.#socket.send(resetFrame(number, 3))
    await this.#socket.send(this.#reply(number))
    if (type === 'error') this.#errors.set(request, number)
    else this.#streams.set(number, this.#connect(number, port, request))
  }

  /** The reader of frames does not wait for the guest. */
  async #connect(number: number, port: number, request: string): Promise<DataStream> {
    const { nodeName, ref } = this.#launcher
    const opened = await agentOf(this.#deps).dial.open(nodeName, { ...ref, type: 'port', port })
    const error = this.#errors.get(request)
    this.#errors.delete(request)
    void this.#serve(number, error, opened.ok ? opened.value : opened.failure.message)
    return { stream: opened.ok ? opened.value : undefined }
  }

  async #serve(number: number, error: number | undefined, opened: AgentStream | string): Promise<void> {
    const { send } = this.#socket
    const none = new Uint8Array()
    try {
      if (typeof opened === 'string') {
        if (error !== undefined) await send(dataFrame(error, Buffer.from(opened), true))
      } else {
        for await (const bytes of opened.readable) await send(dataFrame(number, bytes))
        if (error !== undefined) await send(dataFrame(error, none, true))
      }
      await send(dataFrame(number, none, true))
    } catch {
      await send(resetFrame(number, 5)).catch(() => undefined)
    } finally {
      this.#streams.delete(number)
    }
  }

  async #data(number: number, bytes: Uint8Array, last: boolean): Promise<void> {
    const { stream } = (await this.#streams.get(number)) ?? {}
    if (!stream) return
    if (bytes.length > 0) await stream.write(bytes).catch(() => stream.close())
    if (last) stream.close()
  }
}

async function* bytesOf(socket: WebSocketPeer): AsyncGenerator<Uint8Array> {
  for await (const { data } of socket.messages) yield data
}
