// Rules over a VirtualMachineInstance: whole when it is made, and left alone by people afterwards.
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import type { Rule } from '../../kind.ts'
import { isTrusted } from '../trusted.ts'
import type { InstanceSpec } from '../types.ts'
import { invalid } from './causes.ts'
import { instanceSpecCauses } from './instance-spec.ts'

/** Labels by which Croft finds its way; only it may write them. */
export const RESERVED_LABELS: readonly string[] = [
  'kubevirt.io/created-by',
  'kubevirt.io/migrationJobUID',
  'kubevirt.io/nodeName',
  'kubevirt.io/migrationTargetNodeName',
  'kubevirt.io/schedulable',
  'kubevirt.io/install-strategy',
]

export const instanceRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const trusted = isTrusted(look.user)
  if (!previous)
    return {
      causes: [
        ...instanceSpecCauses(next['spec'] as InstanceSpec, 'spec'),
        ...(trusted ? [] : labelCauses(next.metadata.labels, undefined)),
      ],
    }
  if (trusted) return {}
  if (!deepEqual(next['spec'], previous['spec']))
    return {
      causes: [
        invalid('spec', 'update of VMI object is restricted: change the VirtualMachine and restart it'),
      ],
    }
  return { causes: labelCauses(next.metadata.labels, previous.metadata.labels) }
}

type Labels = Readonly<Record<string, string>> | undefined

function labelCauses(labels: Labels, before: Labels): readonly Cause[] {
  const touched = RESERVED_LABELS.filter((label) => labels?.[label] !== before?.[label])
  if (touched.length === 0) return []
  return [
    invalid(
      'metadata.labels',
      `${before ? 'modification' : 'creation'} of the following reserved kubevirt.io/ labels on a VMI object is prohibited: ${touched.join(', ')}`,
    ),
  ]
}
