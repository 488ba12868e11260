// The VirtualMachineInstance decider as the loop runs it.
import { DataVolume } from '../../kinds/cdi/data-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../../kinds/core/pod.ts'
import type { Decider, Look } from '../../kinds/decide.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { controllerOf } from '../owner.ts'
import { decideInstance, type SeenInstance } from './decide.ts'

const BY_CLAIM = 'instance-claim'

interface ClaimName {
  readonly name: string
  readonly isDataVolume: boolean
}

function claimsOf(vmi: VirtualMachineInstance): readonly ClaimName[] {
  return (vmi.spec?.volumes ?? []).flatMap((volume): readonly ClaimName[] => {
    const claimName = volume.persistentVolumeClaim?.claimName
    if (claimName) return [{ name: claimName, isDataVolume: false }]
    return volume.dataVolume ? [{ name: volume.dataVolume.name, isDataVolume: true }] : []
  })
}

function instancesOf(
  object: { readonly metadata: { readonly namespace?: string; readonly name?: string } },
  look: Look,
): readonly string[] {
  const { namespace, name } = object.metadata
  return look
    .byIndex(VirtualMachineInstance, BY_CLAIM, `${namespace}/${name}`)
    .map((vmi) => `${namespace}/${vmi.metadata.name}`)
}

/** Usually a Pod is bound a moment after it was made, and nobody waits for the steps before. */
const STATUS_SETTLE_MS = 40

export const virtualMachineInstanceDecider: Decider<typeof VirtualMachineInstance, SeenInstance> = {
  name: 'virtual-machine-instance',
  step: 4,
  statusSettleMs: STATUS_SETTLE_MS,
  kind: VirtualMachineInstance,
  watches: [
    {
      kind: Pod,
      keys: (object) => {
        const owner = controllerOf(object)
        return owner?.kind === VirtualMachineInstance.kind
          ? [`${object.metadata.namespace}/${owner.name}`]
          : []
      },
    },
    { kind: PersistentVolumeClaim, keys: instancesOf },
    { kind: DataVolume, keys: instancesOf },
  ],
  indexes: [
    {
      kind: VirtualMachineInstance,
      name: BY_CLAIM,
      values: (object) =>
        claimsOf(object as VirtualMachineInstance).map(({ name }) => `${object.metadata.namespace}/${name}`),
    },
  ],
  gather: (vmi, look) => {
    const { namespace, uid } = vmi.metadata
    return {
      vmi,
      pods: look.ownedBy(Pod, uid!),
      disks: claimsOf(vmi).map(({ name, isDataVolume }) => ({
        claimName: name,
        claim: look.get(PersistentVolumeClaim, namespace, name),
        dataVolume: look.get(DataVolume, namespace, name),
        expectsDataVolume: isDataVolume,
      })),
    }
  },
  decide: decideInstance,
}
