// Caches of the API's objects, one a kind: list, then watch from the list's version, reconnect, relist after 410.
// In process the cache holds the same frozen objects as the API's events, so it costs references only.

import { assert } from '../base/assert.ts'
import type { WatchEvent } from '../base/call.ts'
import { ApiError } from '../base/errors.ts'
import { deepFreeze } from '../base/freeze.ts'
import type { KubeObject } from '../base/object.ts'
import type { Host } from '../host/host.ts'
import type { Index, Look } from '../kinds/decide.ts'
import type { AnyKind, Kind, KindOf } from '../kinds/kind.ts'
import { backoffMs, CONNECTION_BACKOFF } from './backoff.ts'
import { type CacheChange, KindCache } from './cache.ts'
import type { Client } from './client.ts'
import { refusalOf } from './wire.ts'

/** Which objects of a kind are cached; all of them when left out. */
export interface Selection {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export type InformerListener = (change: CacheChange, kind: AnyKind) => void

export interface Informers {
  /** Reads the caches. Asking for a kind that was never started is a bug of the asker, and throws. */
  readonly look: Look
  /** Begins to list and watch; once only, later calls with the same kind do nothing. */
  start(kind: AnyKind, selection?: Selection): void
  addIndex(index: Index): void
  /** Tells every change after the cache holds it, first of all what is there already. Returns the way out. */
  subscribe(kind: AnyKind, listener: InformerListener): () => void
  isSynced(kind: AnyKind): boolean
  /** Resolves when each of these kinds (all started ones when left out) was listed once, or the signal aborted. */
  synced(kinds?: readonly AnyKind[]): Promise<void>
  /** Takes in the answer to a write of ours, so that nobody decides on a cache older than that write. */
  absorb(kind: AnyKind, object: KubeObject): void
  /** Objects in all caches. */
  count(): number
}

export interface InformerOptions {
  /** Ends all watches. */
  readonly signal: AbortSignal
  /** Objects a page of the first list; left out the list comes whole, which in process costs nothing. */
  readonly pageSize?: number
}

interface Informer {
  readonly kind: AnyKind
  readonly selection: Selection
  readonly cache: KindCache
  readonly listeners: Set<InformerListener>
  synced: boolean
  readonly whenSynced: Promise<void>
  readonly markSynced: () => void
}

export function createInformers(client: Client, host: Host, options: InformerOptions): Informers {
  const informers = new Map<string, Informer>()

  const informerOf = (kind: AnyKind): Informer => {
    const informer = informers.get(idOf(kind))
    assert(informer !== undefined, `nobody watches ${idOf(kind)}: declare it among the watches`)
    return informer
  }

  return {
    look: lookOver((kind) => informerOf(kind).cache, host),
    start(kind, selection = {}) {
      if (informers.has(idOf(kind))) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const informer: Informer = {
        kind,
        selection,
        cache: new KindCache(),
        listeners: new Set(),
        synced: false,
        whenSynced: promise,
        markSynced: resolve,
      }
      informers.set(idOf(kind), informer)
      // Whoever waits for the first list must not wait for ever when all is over before it came.
      if (options.signal.aborted) resolve()
      else options.signal.addEventListener('abort', () => resolve(), { once: true })
      void follow({ client, host, options, informer })
    },
    addIndex(index) {
      informerOf(index.kind).cache.addIndex(index.name, index.values)
    },
    subscribe(kind, listener) {
      const informer = informerOf(kind)
      for (const object of informer.cache.list()) listener({ type: 'ADDED', object }, kind)
      informer.listeners.add(listener)
      return () => void informer.listeners.delete(listener)
    },
    isSynced: (kind) => informerOf(kind).synced,
    async synced(kinds) {
      const wanted = kinds === undefined ? [...informers.values()] : kinds.map(informerOf)
      await Promise.all(wanted.map((informer) => informer.whenSynced))
    },
    absorb(kind, object) {
      const informer = informers.get(idOf(kind))
      if (informer === undefined || !informer.synced) return
      const { namespace, name } = object.metadata
      // A selective cache cannot tell whether a new object belongs to it; the watch will say so.
      const selective = Object.keys(informer.selection).length > 0
      if (selective && informer.cache.get(namespace, name ?? '') === undefined) return
      tell(informer, informer.cache.absorb(deepFreeze(object), host.clock.monotonic()))
    },
    count: () => [...informers.values()].reduce((sum, informer) => sum + informer.cache.count, 0),
  }
}

/** Identity of a kind whatever its version. */
export function idOf(kind: AnyKind): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`
}

function lookOver(cacheOf: (kind: AnyKind) => KindCache, host: Host): Look {
  return {
    get<K extends Kind>(kind: K, namespace: string | undefined, name: string) {
      return cacheOf(kind).get(namespace, name) as KindOf<K> | undefined
    },
    list<K extends Kind>(kind: K, namespace?: string) {
      return cacheOf(kind).list(namespace) as readonly KindOf<K>[]
    },
    ownedBy<K extends Kind>(kind: K, uid: string) {
      return cacheOf(kind).ownedBy(uid) as readonly KindOf<K>[]
    },
    byIndex<K extends Kind>(kind: K, index: string, value: string) {
      const found = cacheOf(kind).byIndex(index, value)
      assert(found !== undefined, `no index ${index} was declared over ${idOf(kind)}`)
      return found as readonly KindOf<K>[]
    },
    ageMs(kind, namespace, name) {
      const arrived = cacheOf(kind).arrivedMs(namespace, name)
      return arrived === undefined ? undefined : host.clock.monotonic() - arrived
    },
  }
}

interface Following {
  readonly client: Client
  readonly host: Host
  readonly options: InformerOptions
  readonly informer: Informer
}

async function follow(following: Following): Promise<void> {
  const { host, options, informer } = following
  const { signal } = options
  let attempt = 0
  let mustList = true
  while (!signal.aborted) {
    const before = informer.cache.position
    try {
      if (mustList) await listAll(following)
      mustList = false
      await watchOn(following)
    } catch (error) {
      if (signal.aborted) return
      mustList = isExpired(error) || mustList
      if (!isExpired(error)) {
        host.log.warn('watch ended', { kind: idOf(informer.kind), why: textOf(error), attempt })
      }
    }
    // A watch that told something was a good one: come back at once. One that did not may be refused again.
    attempt = informer.cache.position === before ? attempt + 1 : 0
    host.meter.count('croft_watch_ends_total', 1, { kind: idOf(informer.kind) })
    const delayMs = attempt === 0 ? 0 : backoffMs(CONNECTION_BACKOFF, attempt - 1, host.random)
    await host.clock.sleep(delayMs, signal).catch(() => undefined)
  }
}

async function listAll({ client, host, options, informer }: Following): Promise<void> {
  const { kind, selection, cache } = informer
  const objects: KubeObject[] = []
  let continueToken: string | undefined
  let version = ''
  do {
    const page = await client.list(kind, {
      ...selection,
      signal: options.signal,
      ...(options.pageSize === undefined ? {} : { limit: options.pageSize }),
      ...(continueToken === undefined ? {} : { continueToken }),
    })
    for (const object of page.items) objects.push(deepFreeze(object))
    version = page.resourceVersion
    continueToken = page.continueToken
  } while (continueToken !== undefined)
  if (options.signal.aborted) return
  for (const change of cache.replace(objects, version, host.clock.monotonic())) tell(informer, change)
  if (!informer.synced) {
    informer.synced = true
    informer.markSynced()
  }
}

async function watchOn({ client, host, options, informer }: Following): Promise<void> {
  const { kind, selection, cache } = informer
  const events = client.watch(kind, {
    ...selection,
    resourceVersion: cache.position,
    allowWatchBookmarks: true,
    signal: options.signal,
  })
  for await (const event of events) {
    if (options.signal.aborted) return
    take(informer, event as WatchEvent, host.clock.monotonic())
  }
}

function take(informer: Informer, event: WatchEvent, nowMs: number): void {
  const { cache } = informer
  if (event.type === 'ERROR') throw refusalOf(Number(event.object['code'] ?? 500), event.object)
  const object = deepFreeze(event.object)
  if (event.type === 'BOOKMARK') cache.advance(object.metadata.resourceVersion ?? '')
  else tell(informer, event.type === 'DELETED' ? cache.remove(object) : cache.put(object, nowMs))
}

function tell(informer: Informer, change: CacheChange | undefined): void {
  if (change === undefined) return
  for (const listener of informer.listeners) listener(change, informer.kind)
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 410 || error.reason === 'Expired')
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
