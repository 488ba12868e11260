// WebSockets over the `ws` package, both ends: messages with back pressure, upgrades answered by the handler.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { failed, ok, type Result } from '../../base/result.ts'
import {
  type HttpResponse,
  type Net,
  StreamFailure,
  type UpgradeAnswer,
  type WebSocketMessage,
  type WebSocketPeer,
} from '../host.ts'
import { codedError, failureOf } from './failure.ts'
import { connectionOptions } from './net-request.ts'

/** Consoles and port-forwards send small messages; one larger than this is no honest client. Bytes. */
const MESSAGE_MAX_BYTES = 16 * 1024 * 1024
/** Above this much unread the other side is stopped. Bytes. */
const UNREAD_HIGH_BYTES = 1024 * 1024
/** Proxies cut connections that are silent for a minute. Milliseconds. */
const PING_EVERY_MS = 30_000
/** The longest refusal that is read to be shown. Bytes. */
const REFUSAL_MAX_BYTES = 8 * 1024

const server = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  maxPayload: MESSAGE_MAX_BYTES,
  handleProtocols: (_offered, request) => chosen.get(request) ?? false,
})
const chosen = new WeakMap<IncomingMessage, string>()
/** Kubernetes' own name `SPDY/3.1+portforward.k8s.io` is no token, so that `ws` would refuse it. */
const TOKENS = /^[\w!#$%&'*+.^`|~-]+$/
server.on('headers', (headers, request) => {
  const protocol = chosen.get(request)
  if (protocol !== undefined && !TOKENS.test(protocol)) headers.push(`Sec-WebSocket-Protocol: ${protocol}`)
})

/** Protocols the client offered, in its order. */
export function offeredProtocols(request: IncomingMessage): readonly string[] {
  const header = request.headers['sec-websocket-protocol'] ?? ''
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

export async function acceptUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  answer: Exclude<UpgradeAnswer, { readonly refuse: HttpResponse }>,
): Promise<void> {
  if (answer.protocol !== undefined) chosen.set(request, answer.protocol)
  if (!offeredProtocols(request).every((name) => TOKENS.test(name)))
    delete request.headers['sec-websocket-protocol']
  const peer = await new Promise<WebSocketPeer | undefined>((resolve) => {
    socket.once('close', () => resolve(undefined)) // ws refuses a malformed handshake by itself.
    server.handleUpgrade(request, socket, head, (opened) => resolve(peerOf(opened)))
  })
  if (peer === undefined) return
  try {
    await answer.talk(peer)
    peer.close(1000)
  } catch (error) {
    peer.close(1011, 'internal error')
    throw error
  }
}

export const openWebSocket: Net['openWebSocket'] = ({ protocols, ...request }) => {
  const doing = `connecting to ${request.url}`
  const { signal } = request
  return new Promise((resolve) => {
    const refuse = (error: unknown): void => resolve(failed(failureOf(error, doing)))
    let socket: WebSocket
    try {
      socket = new WebSocket(request.url, [...protocols], {
        ...connectionOptions(request),
        perMessageDeflate: false,
        maxPayload: MESSAGE_MAX_BYTES,
        handshakeTimeout: request.idleTimeoutMs,
      })
    } catch (error) {
      return refuse(error instanceof SyntaxError ? codedError('ERR_INVALID_URL', error.message) : error)
    }
    const onAbort = (): void => socket.terminate()
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    socket.on('error', (error) =>
      refuse(error.message.includes('timed out') ? codedError('ETIMEDOUT', '') : error),
    )
    socket.once('close', () => signal?.removeEventListener('abort', onAbort))
    socket.once('open', () => resolve(ok(peerOf(socket))))
    socket.once('unexpected-response', (_request, response) => {
      void refusalOf(response, doing).then((refusal) => {
        resolve(refusal)
        socket.terminate()
      })
    })
  })
}

async function refusalOf(response: IncomingMessage, doing: string): Promise<Result<never>> {
  let text = ''
  try {
    for await (const chunk of response) if (text.length < REFUSAL_MAX_BYTES) text += String(chunk)
  } catch {
    // A refusal that breaks off is shown as far as it came.
  }
  const status = response.statusCode ?? 0
  const retry = status >= 500 || status === 429 ? 'later' : 'never'
  return failed({ reason: 'UpgradeRefused', message: `${doing}: answered ${status} ${text}`.trim(), retry })
}

export function peerOf(socket: WebSocket): WebSocketPeer {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const ping = setInterval(() => socket.ping(), PING_EVERY_MS)
  ping.unref()
  socket.once('close', () => clearInterval(ping))
  socket.on('error', () => undefined) // A close follows always.
  return {
    protocol: socket.protocol,
    closed,
    messages: messagesOf(socket),
    send: (data) =>
      new Promise((resolve, reject) => {
        socket.send(data, (error) => {
          if (error) reject(new StreamFailure({ reason: 'Closed', message: error.message, retry: 'later' }))
          else resolve()
        })
      }),
    close(code = 1000, reason = '') {
      socket.close(code, reason.slice(0, 120)) // A close frame holds 123 bytes.
      socket.resume()
    },
  }
}

function messagesOf(socket: WebSocket): AsyncIterable<WebSocketMessage> {
  const unread: WebSocketMessage[] = []
  let unreadBytes = 0
  let ended = false
  let wake: () => void = () => undefined
  socket.on('message', (data, binary) => {
    const bytes = bytesOf(data)
    unread.push({ data: bytes, binary })
    unreadBytes += bytes.byteLength
    if (unreadBytes > UNREAD_HIGH_BYTES) socket.pause()
    wake()
  })
  socket.once('close', () => {
    ended = true
    wake()
  })
  async function* read(): AsyncGenerator<WebSocketMessage> {
    try {
      while (true) {
        const message = unread.shift()
        if (message !== undefined) {
          unreadBytes -= message.data.byteLength
          if (socket.isPaused && unreadBytes <= UNREAD_HIGH_BYTES / 2) socket.resume()
          yield message
        } else if (ended) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      socket.close()
    }
  }
  return read()
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data)
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data
}
