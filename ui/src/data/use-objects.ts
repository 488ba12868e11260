// The one way in which pages get objects: shared feeds, kept for a moment after the last page has left.
import { useCallback, useSyncExternalStore } from 'react'
import type { KubeObject } from '../../../src/base/object.ts'
import { type Place, pathOf } from './kinds.ts'
import { forgetRights } from './rights.ts'
import { type FeedState, WatchFeed } from './watch-feed.ts'
import { closeLine } from './watch-line.ts'

/** Going back to a page within this finds it as it was. */
const KEEP_MS = 30_000

export interface Selection {
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined
  readonly name?: string
  readonly fieldSelector?: string
  /** Nothing is asked for: the user may not read it, or nobody wants it yet. */
  readonly skip?: boolean
}

const NOTHING: FeedState = { objects: new Map(), liveness: 'loading', failure: undefined }
const nothing = (): FeedState => NOTHING
const notSubscribed = () => () => undefined

const feeds = new Map<string, WatchFeed>()

function feedOf(key: string): WatchFeed {
  const found = feeds.get(key)
  if (found) return found
  const [path = '', query = ''] = key.split('?')
  const feed = new WatchFeed(path, Object.fromEntries(new URLSearchParams(query)))
  feeds.set(key, feed)
  return feed
}

function leave(key: string, feed: WatchFeed): void {
  setTimeout(() => {
    if (feed.isWatched || feeds.get(key) !== feed) return
    feeds.delete(key)
    feed.close()
  }, KEEP_MS)
}

export interface Objects<T extends KubeObject> extends FeedState<T> {
  readonly list: readonly T[]
  retry(): void
}

const lists = new WeakMap<FeedState, readonly KubeObject[]>()

/** All objects of a kind that the selection names, as they are now, and again at each change. */
export function useObjects<T extends KubeObject>(place: Place<T>, selection: Selection = {}): Objects<T> {
  const { namespace, name, fieldSelector, skip = false } = selection
  const fields = [
    ...(name === undefined ? [] : [`metadata.name=${name}`]),
    ...(fieldSelector ? [fieldSelector] : []),
  ]
  const query = fields.length === 0 ? '' : `?${new URLSearchParams({ fieldSelector: fields.join(',') })}`
  const key = `${pathOf(place, namespace)}${query}`
  const subscribe = useCallback(
    (listener: () => void) => {
      const feed = feedOf(key)
      const stop = feed.subscribe(listener)
      return () => {
        stop()
        leave(key, feed)
      }
    },
    [key],
  )
  const state = useSyncExternalStore(
    skip ? notSubscribed : subscribe,
    skip ? nothing : () => feedOf(key).state,
  )
  return { ...(state as FeedState<T>), list: listOf(state) as readonly T[], retry: () => feedOf(key).retry() }
}

function listOf(state: FeedState): readonly KubeObject[] {
  let list = lists.get(state)
  if (!list) {
    list = [...state.objects.values()]
    lists.set(state, list)
  }
  return list
}

/** Everything that was read for one user is forgotten before the next one comes. */
export function forgetAll(): void {
  for (const feed of feeds.values()) feed.close()
  feeds.clear()
  closeLine()
  forgetRights()
}

/** Feeds that wait for a new login go on at once. */
export function retryAll(): void {
  for (const feed of feeds.values()) feed.retry()
}
