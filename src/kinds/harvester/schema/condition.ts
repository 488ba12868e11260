// The condition form of Harvester's kinds.
import { s } from '../../build.ts'

export const harvesterCondition = s.object(
  {
    type: s.string('What the condition is about, for instance Imported.'),
    status: s.string('True, False or Unknown.'),
    reason: s.string('One word for programs.'),
    message: s.string('One sentence for people.'),
    lastTransitionTime: s.string('When the status last changed.'),
    lastUpdateTime: s.string('When the condition was last written.'),
  },
  'One thing that holds, or does not.',
  { required: ['type', 'status'] },
)
