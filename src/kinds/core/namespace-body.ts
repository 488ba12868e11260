// Wanted and observed state of a Namespace.
import { s } from '../build.ts'

export const namespaceSpec = s.object(
  {
    finalizers: s.list(s.string(), 'Must be empty before the namespace goes.'),
  },
  'Wanted state of a Namespace.',
)

export const namespaceCondition = s.object({
  type: s.write(s.string()),
  status: s.write(s.string()),
  lastTransitionTime: s.time(),
  reason: s.string(),
  message: s.string(),
})

export const namespaceStatus = s.object(
  {
    phase: s.oneOf(['Active', 'Terminating'], 'Active or Terminating.'),
    conditions: s.keyedList(namespaceCondition, ['type'], 'What holds up the deletion.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
  },
  'Observed state of a Namespace.',
)
