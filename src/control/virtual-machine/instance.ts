// The instance that a VirtualMachine starts: its template, with what must stay the same over every start made from
// the machine's UID, so that nothing has to be remembered: firmware UUID and MAC addresses.

import { derivedMac } from '../../base/derived-name.ts'
import { printJson } from '../../base/json.ts'
import { sha256Hex } from '../../base/sha256.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import { uuidFrom } from '../../kinds/kubevirt/defaults/firmware-identity.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { controllerRef } from '../owner.ts'

export const INSTANCE_FINALIZER = 'foregroundDeleteVirtualMachine'
export const VM_GENERATION = 'kubevirt.io/vm-generation'
/** Fingerprint of the template that an instance was made from; a difference later means: restart required. */
export const TEMPLATE_HASH = 'croft.io/template-hash'

export function templateHash(vm: VirtualMachine): string {
  return sha256Hex(printJson(vm.spec.template?.spec ?? {})).slice(0, 16)
}

type Spec = NonNullable<VirtualMachineInstance['spec']>

function withIdentity(spec: Spec, vm: VirtualMachine): Spec {
  const uid = vm.metadata.uid!
  const { firmware, devices } = spec.domain
  const interfaces = devices?.interfaces?.map((nic) =>
    nic.macAddress ? nic : { ...nic, macAddress: derivedMac(`${uid}/${nic.name}`) },
  )
  return {
    ...spec,
    domain: {
      ...spec.domain,
      firmware: { ...firmware, uuid: firmware?.uuid ?? uuidFrom(uid) },
      devices: { ...devices, ...(interfaces ? { interfaces } : {}) },
    },
  }
}

/** `paused` asks for an instance that waits for unpause before its first instruction. */
export function instanceOf(vm: VirtualMachine, paused: boolean): VirtualMachineInstance {
  const template = vm.spec.template
  const spec = (template?.spec ?? { domain: {} }) as Spec
  return {
    apiVersion: apiVersionOf(VirtualMachineInstance),
    kind: VirtualMachineInstance.kind,
    metadata: {
      name: vm.metadata.name!,
      namespace: vm.metadata.namespace!,
      labels: { ...template?.metadata?.labels },
      annotations: {
        ...template?.metadata?.annotations,
        [VM_GENERATION]: String(vm.metadata.generation ?? 1),
        [TEMPLATE_HASH]: templateHash(vm),
      },
      ownerReferences: [controllerRef(VirtualMachine, vm)],
      finalizers: [INSTANCE_FINALIZER],
    },
    spec: { ...withIdentity(spec, vm), ...(paused ? { startStrategy: 'Paused' } : {}) },
  }
}
