// The condition form of Longhorn's kinds: as everywhere, but its times are plain strings that may be empty.
import { s } from '../../build.ts'

export const condition = s.object(
  {
    type: s.string('What the condition is about, for instance Ready or Scheduled.'),
    status: s.string('True, False or Unknown.'),
    reason: s.string('One word for programs.'),
    message: s.string('One sentence for people.'),
    lastProbeTime: s.string('When the condition was last looked at.'),
    lastTransitionTime: s.string('When the status last changed.'),
  },
  'One thing that holds, or does not.',
)
