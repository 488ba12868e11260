// The VirtualMachine decider as the loop runs it: what wakes it and what it looks at.
import { DataVolume } from '../../kinds/cdi/data-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Decider, Look } from '../../kinds/decide.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { controllerOf, isControlledBy } from '../owner.ts'
import { decideVirtualMachine, type SeenVirtualMachine } from './decide.ts'
import { claimTemplates, mountedClaims, REMOVED_CLAIMS } from './disks.ts'

const BY_CLAIM = 'machine-claim'
/** On its way up an object changes eight times in a tenth of a second; people see one change. */
const STATUS_SETTLE_MS = 60

/** Every claim that the machine mounts, makes, or names for removal. */
function claimNames(vm: VirtualMachine): readonly string[] {
  const removed = (vm.metadata.annotations?.[REMOVED_CLAIMS] ?? '').split(',').map((name) => name.trim())
  const made = claimTemplates(vm).map((template) => template.metadata.name ?? '')
  const templates = (vm.spec.dataVolumeTemplates ?? []).map((template) => template.metadata?.name ?? '')
  return [...new Set([...mountedClaims(vm), ...removed, ...made, ...templates])].filter((name) => name !== '')
}

function machinesOfClaim(
  object: { readonly metadata: { readonly namespace?: string; readonly name?: string } },
  look: Look,
): readonly string[] {
  const { namespace, name } = object.metadata
  return look
    .byIndex(VirtualMachine, BY_CLAIM, `${namespace}/${name}`)
    .map((vm) => `${namespace}/${vm.metadata.name}`)
}

export const virtualMachineDecider: Decider<typeof VirtualMachine, SeenVirtualMachine> = {
  name: 'virtual-machine',
  step: 1,
  kind: VirtualMachine,
  statusSettleMs: STATUS_SETTLE_MS,
  watches: [
    // The instance has the machine's name whether or not it is the machine's.
    { kind: VirtualMachineInstance, keys: ({ metadata }) => [`${metadata.namespace}/${metadata.name}`] },
    {
      kind: DataVolume,
      keys: (object) => {
        const owner = controllerOf(object)
        return owner?.kind === VirtualMachine.kind ? [`${object.metadata.namespace}/${owner.name}`] : []
      },
    },
    { kind: PersistentVolumeClaim, keys: machinesOfClaim },
  ],
  indexes: [
    {
      kind: VirtualMachine,
      name: BY_CLAIM,
      values: (object) =>
        claimNames(object as VirtualMachine).map((name) => `${object.metadata.namespace}/${name}`),
    },
  ],
  gather: (vm, look) => {
    const { namespace, name, uid } = vm.metadata
    const vmi = look.get(VirtualMachineInstance, namespace, name!)
    return {
      vm,
      vmi,
      ownsInstance: vmi !== undefined && isControlledBy(vmi, uid),
      dataVolumes: look.ownedBy(DataVolume, uid!),
      claims: claimNames(vm).flatMap((claim) => look.get(PersistentVolumeClaim, namespace, claim) ?? []),
    }
  },
  decide: decideVirtualMachine,
}
