// What is written into a VirtualMachine when it is saved: its architecture, machine type and the identity that its
// firmware shows. All of them are single fields that no list of the user's is touched by; an update that leaves them
// out keeps them, so that applying the same manifest again changes nothing.
import { deepEqual } from '../../../base/equality.ts'
import type { Json } from '../../../base/json.ts'
import { isObject } from '../../../base/json.ts'
import type { KubeObject } from '../../../base/object.ts'
import type { Mutator, RuleLook } from '../../kind.ts'
import { validate } from '../../validate.ts'
import { virtualMachineSpec } from '../machine-spec.ts'
import { DEFAULT_MACHINE_TYPES } from '../rules/firmware.ts'
import type { InstanceSpec, MachineSpec } from '../types.ts'
import { firmwareIdentity } from './firmware-identity.ts'
import { defaultsInForce } from './lookup.ts'

/** Holds a machine until its instance and the disks that go with it are gone. KubeVirt's own word. */
export const MACHINE_FINALIZER = 'kubevirt.io/virtualMachineControllerFinalize'

export const machineMutator: Mutator = (next, previous, look) => guarded(completeSpec(next, previous, look))

/** From the first save on: a write of its own later would leave a gap in which a deletion is not held. */
function guarded(machine: KubeObject): KubeObject {
  const { finalizers = [], deletionTimestamp } = machine.metadata
  if (deletionTimestamp || finalizers.includes(MACHINE_FINALIZER)) return machine
  return { ...machine, metadata: { ...machine.metadata, finalizers: [...finalizers, MACHINE_FINALIZER] } }
}

const completeSpec: Mutator = (next, previous, look) => {
  // Most writes touch only the status; they cost nothing here.
  if (previous && deepEqual(next['spec'], previous['spec'])) return next
  // An object of another shape is refused by its schema afterwards; it is not for a default to repair.
  if (!isObject(next['spec']) || validate(next['spec'] as Json, virtualMachineSpec).length > 0) return next
  const spec = next['spec'] as unknown as MachineSpec
  const run = spec.template.spec
  if (!run) return next
  const old = previous && (previous['spec'] as MachineSpec | undefined)?.template.spec
  const filled = fill(run, old, next, look)
  if (filled === run) return next
  return { ...next, spec: { ...spec, template: { ...spec.template, spec: filled } } }
}

function fill(
  run: InstanceSpec,
  old: InstanceSpec | undefined,
  object: KubeObject,
  look: RuleLook,
): InstanceSpec {
  const { machine, firmware } = run.domain
  if (run.architecture && machine?.type && firmware?.uuid && firmware.serial) return run
  const architecture = run.architecture || old?.architecture || defaultsInForce(look).architecture
  const type = machine?.type || old?.domain.machine?.type || DEFAULT_MACHINE_TYPES[architecture] || ''
  const kept = old?.domain.firmware
  const made = kept?.uuid && kept.serial ? undefined : firmwareIdentity(seed(object, look))
  const uuid = firmware?.uuid || kept?.uuid || made?.uuid || ''
  const serial = firmware?.serial || kept?.serial || made?.serial || ''
  return {
    ...run,
    architecture,
    domain: {
      ...run.domain,
      machine: { ...machine, type },
      firmware: { ...firmware, uuid, serial },
    },
  }
}

/** One machine, one identity: a machine of the same name made later has another. */
function seed(object: KubeObject, look: RuleLook): string {
  const { namespace = '', name = '', uid } = object.metadata
  return `firmware/${namespace}/${name}/${uid ?? look.now}`
}
