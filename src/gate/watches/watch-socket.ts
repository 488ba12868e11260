// Many watches over one WebSocket (GET /v1-croft/watch), because browsers allow six HTTP/1.1 connections to a host and
// a page watches more kinds than that. Every watch passes the caller's own authorization when it begins; the socket
// ends after a while, so that no watch outlives a session for long.
//
// The page says {"open": ID, "path": "/apis/GROUP/VERSION[/namespaces/NS]/PLURAL", "resourceVersion", "fieldSelector"?,
// "labelSelector"?} and {"close": ID}. The server says {"id", "event": {"type", "object"}} and, when a watch is over,
// {"id", "end": Status | null}.
import { ApiError, refuse, statusOf } from '../../base/errors.ts'
import { isObject, type JsonObject, parseJson, printJson } from '../../base/json.ts'
import type { Client } from '../../client/client.ts'
import type { UpgradeAnswer, WebSocketPeer } from '../../host/host.ts'
import { findKind } from '../../kinds/index.ts'
import type { AnyKind, Kind } from '../../kinds/kind.ts'
import { type Ask, type GateDeps, requireKnown, userClient } from '../ask.ts'

export const WATCH_PATH = '/v1-croft/watch'
/** More than any page has; fewer than would burden the server. */
const WATCHES_MAX = 100
const MESSAGE_MAX_BYTES = 4_096
/** As long as a watch over HTTP that the interface asks for. A little chance keeps many pages from coming back at once. */
const LIFE_MS = 300_000
const LIFE_SPREAD_MS = 60_000
/** "Go on with what you have": the page opens the next one and its watches continue. */
const RENEW = 4000

/** The server asks for the page's origin before a cookie counts here. */
export function openWatches(deps: GateDeps, ask: Ask): UpgradeAnswer {
  requireKnown(ask.user)
  const client = userClient(deps, ask.user)
  return { protocol: undefined, talk: (socket) => converse(deps, client, socket) }
}

async function converse({ host }: GateDeps, client: Client, socket: WebSocketPeer): Promise<void> {
  const open = new Map<number, AbortController>()
  const life = new AbortController()
  const lifeMs = LIFE_MS + host.random.float() * LIFE_SPREAD_MS
  void host.clock.sleep(lifeMs, life.signal).then(
    () => socket.close(RENEW, 'renew'),
    () => undefined,
  )
  void socket.closed.then(() => life.abort())
  try {
    for await (const { data } of socket.messages) {
      const wish = readWish(data)
      if (wish.is === 'close') {
        open.get(wish.id)?.abort()
        continue
      }
      if (open.has(wish.id) || open.size >= WATCHES_MAX) {
        await end(socket, wish.id, refuse.badRequest(`at most ${WATCHES_MAX} watches, each with its own id`))
        continue
      }
      const stop = new AbortController()
      open.set(wish.id, stop)
      void watch(client, socket, wish, stop.signal).finally(() => open.delete(wish.id))
    }
  } catch (error) {
    socket.close(1008, error instanceof ApiError ? error.message.slice(0, 120) : 'not understood')
  } finally {
    life.abort()
    for (const stop of open.values()) stop.abort()
  }
}

interface Open {
  readonly is: 'open'
  readonly id: number
  readonly kind: Kind
  readonly namespace: string | undefined
  readonly resourceVersion: string
  readonly fieldSelector: string | undefined
  readonly labelSelector: string | undefined
}
type WatchWish = Open | { readonly is: 'close'; readonly id: number }

const PATH = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)$/

const decoder = new TextDecoder()

/** Throws where the page does not speak as above. */
function readWish(data: Uint8Array): WatchWish {
  if (data.length > MESSAGE_MAX_BYTES) throw refuse.badRequest('message too long')
  const body = parseJson(decoder.decode(data))
  if (!isObject(body)) throw refuse.badRequest('not an object')
  if (typeof body['close'] === 'number') return { is: 'close', id: body['close'] }
  if (typeof body['open'] !== 'number') throw refuse.badRequest('neither open nor close')
  const [, group = '', version = '', namespace, plural = ''] = PATH.exec(word(body, 'path') ?? '') ?? []
  return {
    is: 'open',
    id: body['open'],
    kind: findKind(group, version, plural) ?? customKind(group, version, plural),
    namespace: namespace === undefined ? undefined : decodeURIComponent(namespace),
    resourceVersion: word(body, 'resourceVersion') ?? '0',
    fieldSelector: word(body, 'fieldSelector'),
    labelSelector: word(body, 'labelSelector'),
  }
}

/** Of a definition that somebody made: the API server knows it by its place. */
function customKind(group: string, version: string, plural: string): Kind {
  return { group, version, plural } as unknown as AnyKind
}

function word(body: JsonObject, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

async function watch(client: Client, socket: WebSocketPeer, wish: Open, signal: AbortSignal): Promise<void> {
  const { id, kind, namespace, resourceVersion, fieldSelector, labelSelector } = wish
  try {
    const events = client.watch(kind, {
      signal,
      resourceVersion,
      allowWatchBookmarks: true,
      ...(namespace === undefined ? {} : { namespace }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    })
    for await (const { type, object } of events) {
      if (signal.aborted) return
      await socket.send(printJson({ id, event: { type, object } }))
    }
    if (!signal.aborted) await end(socket, id)
  } catch (error) {
    if (!signal.aborted) await end(socket, id, error).catch(() => undefined)
  }
}

function end(socket: WebSocketPeer, id: number, error?: unknown): Promise<void> {
  return socket.send(printJson({ id, end: error === undefined ? null : statusOf(error) }))
}
