// Events of events.k8s.io: the newer view of the events of the core group. One event is stored once, in the core
// form; `toCoreEvent` and `fromCoreEvent` turn the views into each other.
import type { KubeObject } from '../../base/object.ts'
import { Event } from '../core/event.ts'
import { defineKind } from '../define.ts'
import { eventBody } from './event-body.ts'

const NAMES: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

export const EventV1 = defineKind({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  doc: 'Something that happened to an object.',
  body: () => eventBody,
  selectableFields: [
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'reason',
    'type',
  ],
  columns: Event.columns.map((column) => ({
    ...column,
    value: (object, now) =>
      typeof column.value === 'function' ? column.value(toCoreEvent(object), now) : column.value,
  })),
})

function renamed(object: KubeObject, apiVersion: string, names: ReadonlyMap<string, string>): KubeObject {
  const fields = Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value])
  return { ...Object.fromEntries(fields), apiVersion, kind: 'Event', metadata: object.metadata }
}

/** The core form of an event of events.k8s.io. */
export function toCoreEvent(object: KubeObject): KubeObject {
  return renamed(object, 'v1', new Map(NAMES.map(([core, events]) => [events, core])))
}

/** The events.k8s.io form of a core event. */
export function fromCoreEvent(object: KubeObject): KubeObject {
  return renamed(object, 'events.k8s.io/v1', new Map(NAMES))
}
