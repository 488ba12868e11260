// What is kept for a while only: events for an hour, and history for watchers for some minutes.
import { WATCH_HISTORY_MIN_EVENTS, WATCH_HISTORY_MS } from '../../base/limits.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Core } from '../core.ts'
import { callFor, callSelf, isRaced } from '../internal.ts'
import { startWorker, type Worker } from './worker.ts'

const EVENT_LIFE_MS = 3_600_000
const EVENTS_EVERY_MS = 5 * 60_000
const HISTORY_EVERY_MS = 30_000

export function expire(core: Core): Worker {
  /** Revisions as they were, oldest first. */
  const marks: { readonly at: number; readonly revision: number }[] = []
  const worker = startWorker(core, 'expiry', async (what) => {
    if (what === 'events') {
      await expireEvents(core)
      return EVENTS_EVERY_MS
    }
    const { clock, store } = core
    marks.push({ at: clock.monotonic(), revision: store.revision() })
    const upTo = historyEnd(marks, clock.monotonic(), store.revision())
    if (upTo > store.compacted()) await store.compact(upTo)
    return HISTORY_EVERY_MS
  })
  worker.add('events')
  worker.add('history')
  return worker
}

/** The last revision that watchers need no more; removes the marks that led to it. */
export function historyEnd(
  marks: { readonly at: number; readonly revision: number }[],
  now: number,
  latest: number,
): number {
  let end = 0
  for (;;) {
    const [oldest] = marks
    if (!oldest || now - oldest.at < WATCH_HISTORY_MS) break
    if (latest - oldest.revision < WATCH_HISTORY_MIN_EVENTS) break
    end = oldest.revision
    marks.shift()
  }
  return end
}

interface EventShape extends KubeObject {
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly series?: { readonly lastObservedTime?: string | null }
}

async function expireEvents(core: Core): Promise<void> {
  const served = core.served.find('', 'v1', 'events')
  if (!served) return
  for (const entry of core.store.range(served.prefix).entries) {
    const event = core.parsed.get(served, entry) as EventShape
    if (core.clock.now() - lastSeen(event) < EVENT_LIFE_MS) continue
    const { namespace, name } = event.metadata
    await callSelf(core, callFor('delete', { served, namespace, name }, {})).catch((error: unknown) => {
      if (!isRaced(error)) throw error
    })
  }
}

/** Milliseconds since 1970; the latest that the event tells of itself. */
function lastSeen({ lastTimestamp, eventTime, series, metadata }: EventShape): number {
  const times = [lastTimestamp, eventTime, series?.lastObservedTime, metadata.creationTimestamp]
  return Math.max(...times.map((time) => (time ? Date.parse(time) : 0)))
}
