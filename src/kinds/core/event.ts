// Events of the core group: what happened to an object. events.k8s.io shows the same events in another form.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { column, nameColumn, since } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { eventBody } from './event-body.ts'
import { checkEvent } from './event-rules.ts'

type EventObject = KubeObject & Infer<typeof eventBody>
const WIDE = { wide: true } as const

function firstSeen(event: EventObject, now: number): string {
  return since(event.firstTimestamp || event.eventTime, now)
}

function lastSeen(event: EventObject, now: number): string {
  if (event.series) return since(event.series.lastObservedTime, now)
  return event.lastTimestamp ? since(event.lastTimestamp, now) : firstSeen(event, now)
}

function objectText({ involvedObject }: EventObject): string {
  const kind = (involvedObject?.kind ?? '').toLowerCase()
  return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind
}

function sourceText(event: EventObject): string {
  const component = event.source?.component || event.reportingComponent || ''
  const host = event.source?.host || event.reportingInstance || ''
  return [component, host].filter((part) => part !== '').join(', ')
}

export const Event = defineKind({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  scope: 'Namespaced',
  doc: 'Something that happened to an object.',
  body: () => eventBody,
  rules: [checkEvent],
  selectableFields: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  columns: [
    column<EventObject>('Last Seen', 'Time since it happened last.', lastSeen),
    column<EventObject>('Type', 'Normal or Warning.', (event) => event.type ?? ''),
    column<EventObject>('Reason', 'The reason in one word.', (event) => event.reason ?? ''),
    column<EventObject>('Object', 'What it is about.', objectText),
    column<EventObject>(
      'Subobject',
      'Part of the object.',
      (event) => event.involvedObject?.fieldPath ?? '',
      WIDE,
    ),
    column<EventObject>('Source', 'Who told it.', sourceText, WIDE),
    column<EventObject>('Message', 'What happened.', (event) => (event.message ?? '').trim()),
    column<EventObject>('First Seen', 'Time since it happened first.', firstSeen, WIDE),
    column<EventObject>(
      'Count',
      'How often it happened.',
      (event) => event.series?.count ?? (event.count || 1),
      {
        type: 'integer',
        wide: true,
      },
    ),
    { ...nameColumn, priority: 1 },
  ],
})
export type Event = KindOf<typeof Event>
