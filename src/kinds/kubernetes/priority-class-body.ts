// Fields of a PriorityClass.
import { s } from '../build.ts'

export const priorityClassBody = s.object({
  value: s.write(s.integer('The priority; higher is more important.')),
  globalDefault: s.boolean('Priority of Pods that name no class.'),
  description: s.string('When to use this class.'),
  preemptionPolicy: s.keep(
    s.oneOf(['Never', 'PreemptLowerPriority'], 'Whether Pods of lower priority may be displaced.', {
      default: 'PreemptLowerPriority',
    }),
  ),
})
