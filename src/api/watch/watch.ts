// Watching a resource: the present state where it is asked for, then every change in order, each once.
import type { CallOptions } from '../../base/call.ts'
import { refuse } from '../../base/errors.ts'
import { CompactedError, type StoreEvent } from '../../store/store.ts'
import type { Core, Work } from '../core.ts'
import { invalidOptions, readRevision, waitForRevision } from '../resource/read.ts'
import { readSelection, type Selection } from '../resource/selection.ts'
import { keyFor, prefixFor, type Served } from '../served.ts'
import {
  itemOfBookmark,
  itemOfEntry,
  itemOfError,
  itemOfEvent,
  itemOfLeaving,
  type WatchItem,
} from './item.ts'
import { WatchQueue } from './queue.ts'

/** Watches without a wish last this long to twice this long, so that clients do not come back all at once. */
const WATCH_MIN_MS = 30 * 60_000
const BOOKMARK_EVERY_MS = 60_000
/** A last bookmark this long before the end lets the client resume where it was. */
const LAST_BOOKMARK_MS = 2_000

export interface WatchStream {
  /** All that is waiting, at least one; undefined when the watch is over. */
  next(): Promise<readonly WatchItem[] | undefined>
  close(): void
}

/** Refusals that are known before the first event are thrown. */
export async function startWatch(work: Work): Promise<WatchStream> {
  const { call, core, served } = work
  const { options } = call
  checkWatchOptions(options)
  const selection = readSelection(served, options)
  const wanted = readRevision(options.resourceVersion, true)
  if (wanted !== undefined && wanted > 0) await waitForRevision(work, wanted)
  const queue = new WatchQueue()
  const onEvent = (event: StoreEvent) => {
    const item = itemFor(core, served, selection, event)
    if (item) queue.push(item)
  }
  const live = options.sendInitialEvents === false || (wanted !== undefined && wanted > 0)
  const initial = options.sendInitialEvents === true || !live
  const start = initial ? presentState(work, selection) : undefined
  const after = start ? start.revision : (wanted ?? core.store.revision())
  let stopEvents: () => void = () => {}
  try {
    stopEvents = core.store.watch(watchPrefix(served, call.namespace, selection), after, onEvent)
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error
    queue.push(itemOfError(refuse.gone(`too old resource version: ${after} (${error.oldest})`)))
    queue.end()
  }
  const stopTimers = startTimers(core, served, options, queue)
  const close = () => {
    stopEvents()
    stopTimers()
    queue.end()
  }
  call.signal?.addEventListener('abort', close, { once: true })
  if (call.signal?.aborted) close()
  const first = start ? firstItems(start, options, served) : undefined
  return { next: () => nextItems(first, queue, close), close }
}

/** Initial items are handed out in slices, so that a big collection neither blocks nor counts as backlog. */
const INITIAL_SLICE = 200

async function nextItems(
  first: Iterator<WatchItem> | undefined,
  queue: WatchQueue,
  close: () => void,
): Promise<readonly WatchItem[] | undefined> {
  const slice: WatchItem[] = []
  while (first && !queue.ended && slice.length < INITIAL_SLICE) {
    const item = first.next()
    if (item.done) break
    slice.push(item.value)
  }
  if (slice.length > 0) return slice
  const items = await queue.takeAll()
  if (items === undefined) close()
  return items
}

interface PresentState {
  readonly items: Iterable<WatchItem>
  readonly revision: number
}

function presentState({ core, served, call }: Work, selection: Selection): PresentState {
  const page = core.store.range(watchPrefix(served, call.namespace, selection))
  function* items(): Iterable<WatchItem> {
    for (const entry of page.entries)
      if (selection.all || selection.matches(core.parsed.get(served, entry)))
        yield itemOfEntry(core, served, entry)
  }
  return { items: items(), revision: page.revision }
}

function* firstItems(start: PresentState, options: CallOptions, served: Served): Iterator<WatchItem> {
  yield* start.items
  if (options.sendInitialEvents) yield itemOfBookmark(served, start.revision, true)
}

/** Of one named object only its own key is of interest, and what begins with it. */
function watchPrefix(served: Served, namespace: string | undefined, selection: Selection): string {
  const { onlyName } = selection
  if (onlyName === undefined || (served.namespaced && !namespace)) return prefixFor(served, namespace)
  return keyFor(served, namespace, onlyName)
}

function itemFor(core: Core, served: Served, selection: Selection, event: StoreEvent): WatchItem | undefined {
  const shared = core.share.of(served, event)
  if (event.type === 'delete') {
    if (!event.previous) return undefined
    return selection.all || selection.matches(shared.object()) ? itemOfEvent('DELETED', shared) : undefined
  }
  if (selection.all) return itemOfEvent(event.previous ? 'MODIFIED' : 'ADDED', shared)
  const selected = selection.matches(shared.object())
  const previous = shared.previous()
  const wasSelected = previous !== undefined && selection.matches(previous)
  if (selected) return itemOfEvent(wasSelected ? 'MODIFIED' : 'ADDED', shared)
  return wasSelected ? itemOfLeaving(shared) : undefined
}

function startTimers(core: Core, served: Served, options: CallOptions, queue: WatchQueue): () => void {
  const { clock, random, store } = core
  const lastsMs =
    options.timeoutSeconds && options.timeoutSeconds > 0
      ? options.timeoutSeconds * 1000
      : WATCH_MIN_MS * (1 + random.float())
  const cancels = new Set<() => void>()
  const bookmark = () => {
    if (options.allowWatchBookmarks) queue.push(itemOfBookmark(served, store.revision(), false))
  }
  cancels.add(clock.after(lastsMs, () => queue.end()))
  if (lastsMs > 2 * LAST_BOOKMARK_MS) cancels.add(clock.after(lastsMs - LAST_BOOKMARK_MS, bookmark))
  let cancelRegular: () => void = () => {}
  const regular = () => {
    bookmark()
    cancelRegular = clock.after(BOOKMARK_EVERY_MS, regular)
  }
  cancelRegular = clock.after(BOOKMARK_EVERY_MS * (0.75 + random.float() / 2), regular)
  return () => {
    cancelRegular()
    for (const cancel of cancels) cancel()
  }
}

function checkWatchOptions(options: CallOptions): void {
  const { sendInitialEvents, resourceVersionMatch: match = '' } = options
  if (sendInitialEvents === undefined) {
    if (match !== '')
      throw invalidOptions(
        'resourceVersionMatch',
        'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      )
    return
  }
  if (match !== 'NotOlderThan')
    throw invalidOptions(
      'resourceVersionMatch',
      'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    )
  if (sendInitialEvents && options.allowWatchBookmarks !== true)
    throw invalidOptions(
      'sendInitialEvents',
      'Forbidden: sendInitialEvents requires allowWatchBookmarks to be true',
    )
}
