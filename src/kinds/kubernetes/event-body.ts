// Fields of an Event of events.k8s.io.
import { s } from '../build.ts'
import { eventSource } from '../core/event-body.ts'
import { objectReference } from '../core/references.ts'

export const eventSeries = s.object(
  {
    count: s.write(s.integer()),
    lastObservedTime: s.write(s.microTime()),
  },
  undefined,
  { required: ['lastObservedTime'] },
)

export const eventBody = s.object({
  eventTime: s.write(s.microTime('When the event was first told.')),
  series: s.doc(eventSeries, 'Repeats of the event.'),
  reportingController: s.string('Controller that told it.'),
  reportingInstance: s.string('Instance of that controller.'),
  action: s.string('What was done or failed.'),
  reason: s.string('The reason in one CamelCase word.'),
  regarding: s.write(s.doc(objectReference, 'What the event is about.')),
  related: s.doc(objectReference, 'A second object that is concerned.'),
  note: s.string('What happened, for a person.'),
  type: s.string('Normal or Warning.'),
  deprecatedSource: s.write(s.doc(eventSource, 'The source of an event of the core group.')),
  deprecatedFirstTimestamp: s.write(s.time('First time of an event of the core group.')),
  deprecatedLastTimestamp: s.write(s.time('Last time of an event of the core group.')),
  deprecatedCount: s.integer('Count of an event of the core group.'),
})
