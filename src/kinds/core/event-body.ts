// Fields of an Event of the core group.
import { s } from '../build.ts'
import { objectReference } from './references.ts'

export const eventSource = s.object({
  component: s.string(),
  host: s.string(),
})

export const eventSeries = s.object({
  count: s.integer(),
  lastObservedTime: s.microTime(),
})

export const eventBody = s.object({
  involvedObject: s.write(s.doc(objectReference, 'What the event is about.')),
  reason: s.string('The reason in one CamelCase word.'),
  message: s.string('What happened, for a person.'),
  source: s.write(s.doc(eventSource, 'Who told it.')),
  firstTimestamp: s.write(s.time('When it happened first.')),
  lastTimestamp: s.write(s.time('When it happened last.')),
  count: s.integer('How often it happened.'),
  type: s.string('Normal or Warning.'),
  eventTime: s.write(s.microTime('When the event was first told.')),
  series: s.doc(eventSeries, 'Repeats of the event.'),
  action: s.string('What was done or failed.'),
  related: s.doc(objectReference, 'A second object that is concerned.'),
  reportingComponent: s.write(s.string('Controller that told it.')),
  reportingInstance: s.write(s.string('Instance of that controller.')),
})
