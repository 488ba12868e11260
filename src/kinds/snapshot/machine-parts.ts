// Pieces of KubeVirt's snapshot kinds.
import { s } from '../build.ts'

export const machineRef = s.object(
  {
    apiGroup: s.string('Group of the kind: kubevirt.io.', { nullable: true }),
    kind: s.string('Kind: VirtualMachine.'),
    name: s.string('Name.'),
  },
  'A machine of the same namespace.',
  { required: ['kind', 'name'] },
)

export const machineCondition = s.object(
  {
    lastProbeTime: s.time('When it was last looked at.'),
    lastTransitionTime: s.time('When the status last changed.'),
    message: s.string('One sentence for people.'),
    reason: s.string('Why.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('Ready, Progressing or Failure.'),
  },
  'One thing that holds, or does not.',
  { required: ['status', 'type'] },
)

export const machineError = s.object(
  { message: s.string('What went wrong.'), time: s.time('When.') },
  'What went wrong last.',
)
