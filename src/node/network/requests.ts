// What the default network cannot give, with the reason and what to do instead; nothing is left out in silence. Pure.
import type { Failure } from '../../base/result.ts'
import type { NicRequest } from '../ports.ts'

/** Undefined for a request that the default network serves. */
export function refusal({ network, binding, name }: NicRequest): Failure | undefined {
  if (network !== 'pod')
    return {
      reason: 'NetworkUnsupported',
      message: `network ${network.multus} is a NetworkAttachmentDefinition, and VLAN networks are not supported yet: use the pod network (networks: [{name: ${name}, pod: {}}]) with masquerade`,
      retry: 'later',
    }
  if (binding === 'other')
    return {
      reason: 'InterfaceBindingUnsupported',
      message: 'this way of binding is not supported on the pod network: use masquerade: {}',
      retry: 'later',
    }
  return undefined
}
