// A machine of this node as the sampler needs it.
import type { Machine } from '../node/machine/machine.ts'
import { deviceId } from '../node/plan/disk-slot.ts'
import type { SampledMachine } from '../observe/sample-machine.ts'

/** Undefined while it has no process. */
export function sampledMachine(machine: Machine): SampledMachine | undefined {
  const { owner, plan, process } = machine
  if (!process) return undefined
  const volumes = new Map(machine.volumes.map(({ name, longhornVolume }) => [name, longhornVolume]))
  return {
    uid: owner.uid,
    namespace: owner.namespace,
    name: owner.name,
    podName: owner.podName,
    process,
    memoryBytes: plan.memoryBytes,
    disks: plan.disks.map(({ name }) => {
      const volume = volumes.get(name)
      return { name, device: deviceId(name), ...(volume === undefined ? {} : { volume }) }
    }),
    nics: machine.networks.flatMap(({ name, link }) =>
      link.kind === 'tap' ? [{ name, ifname: link.ifname }] : [],
    ),
    ownNetwork: plan.netns !== undefined,
    balloon: plan.qmpSteps.some(({ arguments: args }) => args?.['path'] === '/machine/peripheral/balloon0'),
    query: (command, args, timeoutMs) => machine.execute(command, args, timeoutMs),
  }
}
