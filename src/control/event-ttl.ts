// Decides one Event: it goes an hour after it was last seen.
import { Event } from '../kinds/core/event.ts'
import type { Decider, Decision } from '../kinds/decide.ts'

/** Kubernetes' own. Milliseconds. */
export const EVENT_TTL_MS = 60 * 60_000

export function decideEventTtl(event: Event, now: number): Decision {
  const { namespace = '', name = '', uid = '', creationTimestamp = '' } = event.metadata
  const times = [event.lastTimestamp, event.eventTime, event.series?.lastObservedTime, creationTimestamp]
  const seenMs = Math.max(...times.map((time) => Date.parse(time ?? '')).filter((ms) => !Number.isNaN(ms)))
  const endMs = (Number.isFinite(seenMs) ? seenMs : now) + EVENT_TTL_MS
  if (now < endMs) return { actions: [], wakeAt: endMs }
  return { actions: [{ do: 'delete', target: { kind: Event, namespace, name, uid } }] }
}

export const eventTtl: Decider<typeof Event, Event> = {
  name: 'event-ttl',
  kind: Event,
  watches: [],
  gather: (event) => event,
  decide: decideEventTtl,
}
