// Folders with what outlives single runs of a machine (firmware variables, TPM): named after the VirtualMachine, or
// the instance where there is none. They go with it. Looked at as a whole, so that one deleted while its machine stood
// still, or while we were away, is found as well.
import type { Client } from '../client/client.ts'
import type { Host } from '../host/host.ts'
import type { Look } from '../kinds/decide.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { machineStatesFolder } from './folders.ts'

export interface MachineStates {
  readonly host: Host
  readonly client: Client
  /** Knows the instances of this node. */
  readonly look: Look
  readonly dataFolder: string
}

/** Removes folders whose machine is gone or going and has no instance here any more. Gives the names removed. */
export async function sweepMachineStates(states: MachineStates): Promise<readonly string[]> {
  const { host, client, look } = states
  const folder = machineStatesFolder(states)
  // First the folders, then the machines: one made in between belongs to a machine that the list has.
  const listed = await host.files.list(folder)
  if (!listed.ok || listed.value.length === 0) return []
  const kept = new Set<string>()
  const { items } = await client.list(VirtualMachine)
  for (const { metadata } of items) if (!metadata.deletionTimestamp) kept.add(metadata.uid ?? '')
  for (const { metadata } of look.list(VirtualMachineInstance)) {
    kept.add(metadata.uid ?? '')
    for (const owner of metadata.ownerReferences ?? []) kept.add(owner.uid)
  }
  const gone = listed.value.filter((name) => !kept.has(name))
  for (const name of gone) {
    const removed = await host.files.remove(`${folder}/${name}`)
    if (!removed.ok)
      host.log.warn('the state of a deleted machine was not removed', { name, why: removed.failure.message })
  }
  return gone
}
