// Events are kept for an hour after they were last seen.
import type { KubeObject } from '../../base/object.ts'
import type { Core } from '../core.ts'
import { callFor, callSelf, isRaced } from '../internal.ts'
import { startWorker, type Worker } from './worker.ts'

const EVENT_LIFE_MS = 3_600_000
const EVENTS_EVERY_MS = 5 * 60_000

export function expireOldEvents(core: Core): Worker {
  const worker = startWorker(core, 'event expiry', async () => {
    await expireEvents(core)
    return EVENTS_EVERY_MS
  })
  worker.add('events')
  return worker
}

interface EventShape extends KubeObject {
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly series?: { readonly lastObservedTime?: string | null }
}

/** Deletes what is over. */
export async function expireEvents(core: Core): Promise<void> {
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
