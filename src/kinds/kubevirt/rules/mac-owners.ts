// A MAC address is given once in a network. Stopped machines count: they may be started at any time.
import type { Cause } from '../../../base/errors.ts'
import type { KubeObject } from '../../../base/object.ts'
import { machineRef } from '../../foreign.ts'
import type { Rule, RuleLook } from '../../kind.ts'
import type { InstanceSpec, MachineSpec } from '../types.ts'
import { duplicate } from './causes.ts'
import { normalMac } from './mac.ts'
import { networkIdentity } from './networks.ts'

interface Wanted {
  readonly index: number
  readonly network: string
  readonly mac: string
}

/** Every address that a machine asks for by itself, with its network. */
export function macsOf(run: InstanceSpec | undefined, namespace: string): readonly Wanted[] {
  return (run?.domain?.devices?.interfaces ?? []).flatMap((nic, index) => {
    const mac = nic.macAddress ? normalMac(nic.macAddress) : undefined
    const network = run?.networks?.find(({ name }) => name === nic.name)
    const identity = network && networkIdentity(network, namespace)
    return mac && identity ? [{ index, mac, network: identity }] : []
  })
}

export const machineMacRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const wanted = fresh(next, previous)
  if (wanted.length === 0) return {}
  return { causes: wanted.flatMap((one) => takenCauses(one, next, look)) }
}

/** Only what changes is looked up, so that an old clash does not stand in the way of every later edit. */
function fresh(next: KubeObject, previous: KubeObject | undefined): readonly Wanted[] {
  const namespace = next.metadata.namespace ?? ''
  const before = new Set(runOf(previous, namespace).map(({ mac, network }) => `${network} ${mac}`))
  return runOf(next, namespace).filter(({ mac, network }) => !before.has(`${network} ${mac}`))
}

function runOf(machine: KubeObject | undefined, namespace: string): readonly Wanted[] {
  return macsOf((machine?.['spec'] as MachineSpec | undefined)?.template?.spec, namespace)
}

function takenCauses(wanted: Wanted, machine: KubeObject, look: RuleLook): readonly Cause[] {
  const { namespace, name } = machine.metadata
  const owner = look.list(machineRef).find((other) => {
    const { namespace: theirs = '', name: called } = other.metadata
    if (theirs === namespace && called === name) return false
    return runOf(other, theirs).some(({ mac, network }) => mac === wanted.mac && network === wanted.network)
  })
  if (!owner) return []
  const { namespace: theirs = '', name: called = '' } = owner.metadata
  // Names of other tenants' machines are not given away.
  const who = look.mayDo('get', machineRef, theirs, called)
    ? `VirtualMachine ${theirs}/${called}`
    : 'another VirtualMachine'
  return [
    duplicate(
      `spec.template.spec.domain.devices.interfaces[${wanted.index}].macAddress`,
      `MAC address ${wanted.mac} is already used on network ${wanted.network} by ${who}`,
    ),
  ]
}
