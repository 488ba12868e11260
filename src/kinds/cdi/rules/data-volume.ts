// Rules over a whole DataVolume: its spec never changes, its claim must not be somebody else's, and copying needs
// the right to read the source.
import { deepEqual } from '../../../base/equality.ts'
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import { claimRef } from '../../foreign.ts'
import type { Rule, RuleLook } from '../../kind.ts'
import { invalid } from '../../kubevirt/rules/causes.ts'
import { type DataVolumeSpec, dataVolumeSpecCauses } from './data-volume-spec.ts'

const ADOPT = 'cdi.kubevirt.io/allowClaimAdoption'
const POPULATED_FOR = 'cdi.kubevirt.io/storage.populatedFor'

export const dataVolumeRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const spec = next['spec'] as DataVolumeSpec
  if (previous) {
    const { checkpoints, finalCheckpoint, ...old } = previous['spec'] as DataVolumeSpec
    const { checkpoints: more, finalCheckpoint: last, ...now } = spec
    return deepEqual(old, now)
      ? {}
      : {
          causes: [
            invalid(
              'DataVolume.Spec',
              `Cannot update DataVolume Spec of ${next.metadata.name ?? ''}: make a new one`,
            ),
          ],
        }
  }
  return {
    causes: [
      ...dataVolumeSpecCauses(spec, 'spec'),
      ...claimCauses(next, look),
      ...sourceCauses(spec, next, look),
    ],
  }
}

function claimCauses(volume: KubeObject, look: RuleLook): readonly Cause[] {
  const { namespace, name = '' } = volume.metadata
  const claim = name === '' ? undefined : look.get(claimRef, namespace, name)
  if (!claim) return []
  const notes = claim.metadata.annotations ?? {}
  const adopt = (volume.metadata.annotations?.[ADOPT] ?? notes[ADOPT]) === 'true'
  const own = claim.metadata.ownerReferences?.some(
    ({ kind, name: owner }) => kind === 'DataVolume' && owner === name,
  )
  return adopt || own || notes[POPULATED_FOR] === name
    ? []
    : [invalid('DataVolume.Name', `Destination PVC ${namespace ?? ''}/${name} already exists`)]
}

/** Reading another namespace's disk takes that namespace's permission. */
function sourceCauses(spec: DataVolumeSpec, volume: KubeObject, look: RuleLook): readonly Cause[] {
  const from = spec.source?.pvc ?? spec.source?.snapshot
  if (!from || from.namespace === volume.metadata.namespace) return []
  if (
    look.mayDo(
      'create',
      { ...claimRef, group: 'cdi.kubevirt.io', plural: 'datavolumes/source' },
      from.namespace,
      '',
    ) ||
    look.mayDo('create', { ...claimRef, plural: 'pods' }, from.namespace, '')
  )
    return []
  return [
    invalid(
      'spec.source.PVC.namespace',
      `User ${look.user.username} has insufficient permissions in clone source namespace ${from.namespace}`,
    ),
  ]
}
