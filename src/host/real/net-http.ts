// The HTTP server: HTTP/2, HTTP/1.1 and WebSocket upgrades on one port, over TLS or plain. It turns the two
// protocols of Node into the one HttpHandler and knows nothing of what is served.
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import {
  constants,
  createSecureServer,
  type Http2ServerRequest,
  type Http2Session,
  type SecureServerOptions,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { ok } from '../../base/result.ts'
import type { HttpHandler, HttpRequest, HttpResponse, Log, Net, Peer, TlsMaterial } from '../host.ts'
import { bind, closeServer } from './net-stream.ts'
import { acceptUpgrade, offeredProtocols } from './net-websocket.ts'

/** A browser or client-go puts every watch of a page or controller on one connection. */
const CONCURRENT_STREAMS = 2000
/** Uploads of images over HTTP/2 stall at the protocol's own default of 64 KiB. Bytes. */
const STREAM_WINDOW_BYTES = 1024 * 1024
const SESSION_WINDOW_BYTES = 16 * 1024 * 1024
/** Longer than the idle time of clients and proxies, so that they, not we, drop the connection. Milliseconds. */
const KEEP_ALIVE_MS = 120_000
/** A client that dribbles its headers is cut. Milliseconds. */
const HEADERS_TIMEOUT_MS = 30_000
/** Peers that vanished are noticed by TCP. Milliseconds. */
const TCP_KEEP_ALIVE_MS = 30_000

type AnyRequest = IncomingMessage | Http2ServerRequest
/** Http2ServerResponse offers the same methods as far as they are used here, but its types do not say so. */
type AnyResponse = ServerResponse

export function httpListener(log: Log): Net['listenHttp'] {
  return async (at, handler, tls) => {
    const server = tls === undefined ? plainServer() : secureServer(tls)
    const open = trackConnections(server)
    server.on('request', (request: AnyRequest, response: AnyResponse) => {
      serve(handler, request, response).catch((error: unknown) => {
        log.error('answering a request failed', { method: request.method, path: pathOf(request), error })
        fail(response)
      })
    })
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => undefined) // A client that goes away during the upgrade is no news.
      upgrade(handler, request, socket, head).catch((error: unknown) => {
        log.error('a WebSocket conversation failed', { path: pathOf(request), error })
        socket.destroy()
      })
    })
    const bound = await bind(server, at)
    if (!bound.ok) return bound
    return ok({
      address: bound.value,
      setTls(material) {
        if ('setSecureContext' in server) server.setSecureContext(secureOptions(material))
      },
      close(graceMs) {
        const closed = closeServer(server, () => open.sockets, graceMs)
        open.finishIdle()
        return closed
      },
    })
  }
}

function plainServer() {
  return createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0, // Uploads may take hours.
    noDelay: true,
  })
}

function secureServer(tls: TlsMaterial) {
  const server = createSecureServer({
    ...secureOptions(tls),
    allowHTTP1: true,
    settings: { maxConcurrentStreams: CONCURRENT_STREAMS, initialWindowSize: STREAM_WINDOW_BYTES },
    maxSessionInvalidFrames: 100,
  })
  server.on('session', (session) => session.setLocalWindowSize(SESSION_WINDOW_BYTES))
  Object.assign(server, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: 0,
  })
  return server
}

function secureOptions(tls: TlsMaterial): SecureServerOptions {
  return {
    cert: tls.certificatePem,
    key: tls.keyPem,
    minVersion: 'TLSv1.2',
    // Asked for, never demanded: whose certificate it is and what it is good for decides the API server.
    requestCert: true,
    rejectUnauthorized: false,
    ...(tls.clientCaPem === undefined ? {} : { ca: tls.clientCaPem }),
  }
}

interface OpenConnections {
  readonly sockets: ReadonlySet<Socket>
  finishIdle(): void
}

/** Node's own bookkeeping covers HTTP/1.1 without TLS only; a graceful end needs all. */
function trackConnections(server: Server): OpenConnections {
  const sockets = new Set<Socket>()
  const sessions = new Set<Http2Session>()
  const busy = new Set<Socket>()
  let finishing = false
  const secure = 'setSecureContext' in server
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    sockets.add(socket)
    socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS)
    socket.setNoDelay(true)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('session', (session: Http2Session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => undefined) // The streams of the session tell their own requests.
  })
  server.on('request', ({ httpVersionMajor, socket }: AnyRequest, response: AnyResponse) => {
    if (httpVersionMajor !== 1) return
    busy.add(socket)
    response.once('close', () => {
      busy.delete(socket)
      if (finishing) socket.destroySoon()
    })
  })
  server.on('upgrade', ({ socket }: IncomingMessage) => {
    busy.add(socket)
    socket.once('close', () => busy.delete(socket))
  })
  return {
    sockets,
    finishIdle() {
      finishing = true
      // HTTP/2 sessions say goodbye themselves and end with their last stream.
      for (const session of sessions) session.close()
      for (const socket of sockets) if (!busy.has(socket) && !isHttp2(socket)) socket.destroy()
    },
  }
}

function isHttp2(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.alpnProtocol === 'h2'
}

// --- requests ---

async function serve(handler: HttpHandler, request: AnyRequest, response: AnyResponse): Promise<void> {
  const gone = new AbortController()
  let served = false
  response.once('close', () => {
    if (!served) gone.abort()
  })
  response.on('error', () => undefined) // A close follows.
  request.on('error', () => undefined)
  const answer = await handler.handle(requestOf(request, gone.signal))
  if (gone.signal.aborted) return stopBody(answer.body)
  await send(answer, request, response)
  served = true
}

function requestOf(request: AnyRequest, signal: AbortSignal): HttpRequest {
  return {
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers: headersOf(request),
    peer: peerOf(request),
    body: request as AsyncIterable<Uint8Array>,
    signal,
  }
}

function headersOf(request: AnyRequest): Readonly<Record<string, string | undefined>> {
  const headers: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(':')) continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  if (request.httpVersionMajor === 2) headers['host'] ??= request.headers[':authority'] as string | undefined
  return headers
}

const peers = new WeakMap<object, Peer>()

function peerOf(request: AnyRequest): Peer {
  // Sockets of HTTP/2 stand behind proxies; the session is the identity of that connection.
  const connection: object = 'stream' in request ? (request.stream.session ?? request.socket) : request.socket
  const known = peers.get(connection)
  if (known !== undefined) return known
  const { socket } = request
  const certificate = 'getPeerX509Certificate' in socket ? socket.getPeerX509Certificate()?.raw : undefined
  const peer = {
    address: socket.remoteAddress ?? '',
    port: socket.remotePort ?? 0,
    ...(certificate === undefined ? {} : { certificate }),
  }
  peers.set(connection, peer)
  return peer
}

// --- responses ---

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection'])

function headersFor(answer: HttpResponse, http2: boolean): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(answer.headers)) {
    if (http2 && HOP_BY_HOP.has(name.toLowerCase())) continue
    headers[name] = typeof value === 'string' ? value : [...value]
  }
  return headers
}

async function send(answer: HttpResponse, request: AnyRequest, response: AnyResponse): Promise<void> {
  const headers = headersFor(answer, request.httpVersionMajor === 2)
  const { body } = answer
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    if (body !== undefined) headers['content-length'] ??= Buffer.byteLength(body)
    response.writeHead(answer.status, headers)
    response.end(body)
    return
  }
  response.writeHead(answer.status, headers)
  response.flushHeaders() // A watch without events must still show that it stands.
  await pour(body, response)
  response.end()
}

async function pour(body: AsyncIterable<Uint8Array | string>, response: AnyResponse): Promise<void> {
  const iterator = body[Symbol.asyncIterator]()
  let closed = false
  let wake: () => void = () => undefined
  response.once('close', () => {
    closed = true
    wake()
    // The producer may be waiting for its next event; this tells it, without waiting for it.
    void iterator.return?.()?.catch(() => undefined)
  })
  response.on('drain', () => wake())
  while (!closed) {
    const next = await iterator.next()
    if (next.done === true || closed) return
    const more = response.write(next.value)
    if (!more && !closed) await new Promise<void>((resolve) => (wake = resolve))
  }
}

function stopBody(body: HttpResponse['body']): void {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return
  void body[Symbol.asyncIterator]()
    .return?.()
    ?.catch(() => undefined)
}

/** The answer could not be made or broke off: say so where that is still possible, otherwise cut it short visibly. */
function fail(response: AnyResponse): void {
  if (response.headersSent) {
    cut(response)
    return
  }
  response.writeHead(500, { 'content-type': 'text/plain' })
  response.end('internal error\n')
}

function cut(response: AnyResponse): void {
  const { stream } = response as { readonly stream?: ServerHttp2Stream }
  if (stream === undefined) response.destroy()
  else stream.close(constants.NGHTTP2_INTERNAL_ERROR)
}

function pathOf(request: AnyRequest): string {
  return (request.url ?? '').replace(/\?.*$/, '') // Queries may carry tokens.
}

// --- upgrades ---

async function upgrade(
  handler: HttpHandler,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  // Another upgrade may be left out by the server (RFC 9110): it is answered as the plain request that it is, too.
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    return refuse(request, socket, await handler.handle(requestOf(request, gone.signal)))
  const answer = await handler.upgrade(requestOf(request, gone.signal), offeredProtocols(request))
  if ('refuse' in answer) return refuse(request, socket, answer.refuse)
  await acceptUpgrade(request, socket, head, answer)
}

async function refuse(request: IncomingMessage, socket: Duplex, answer: HttpResponse): Promise<void> {
  const response = new ServerResponse(request)
  response.assignSocket(socket as Socket)
  response.shouldKeepAlive = false
  response.once('finish', () => socket.end())
  await send(answer, request, response)
}
