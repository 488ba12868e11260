// Small parts of the machine workflow: from objects of the API to what a start needs, and back.
import { parseQuantity, toBigIntBytes, toMilli } from '../base/quantity.ts'
import type { Pod } from '../kinds/core/pod.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { CgroupLimits } from './machine/cgroup.ts'
import type { Machine } from './machine/machine.ts'
import type { MachineOwner } from './machine/state.ts'
import type { HostFacts } from './plan/facts.ts'
import type { CredentialsView, GuestView, MachineView } from './plan/machine-view.ts'

/** What emulation needs beside the guest's memory; KVM needs none of it. Bytes. */
const EMULATION_EXTRA_BYTES = 512 * 1024 * 1024

export interface GuestSeen {
  readonly guest: GuestView | undefined
  readonly frozen: boolean
  readonly credentials: CredentialsView | undefined
}

/** What is told of a machine in the API. */
export function viewOf(machine: Machine, { guest, frozen, credentials }: GuestSeen): MachineView {
  const { life, startedAt } = machine
  if (life.state === 'ended') {
    const { reason, message, at } = life.end
    return {
      state: 'ended',
      succeeded: reason === 'shutdown',
      reason: END_REASONS[reason] ?? reason,
      message,
      startedAt,
      endedAt: at,
    }
  }
  return {
    state: 'alive',
    run: runOf(machine),
    ...(machine.ioError === undefined ? {} : { ioError: machine.ioError }),
    plan: machine.plan,
    networks: machine.networks,
    startedAt,
    ...(guest ? { guest } : {}),
    ...(credentials ? { credentials } : {}),
    frozen: frozen,
    accelerator: machine.accelerator,
  }
}

/** A moment's standstill while its storage changes is no pause that anybody asked for. */
function runOf({ life, userPaused }: Machine): string {
  if (life.state !== 'alive') return 'unknown'
  return life.run === 'paused' && !userPaused ? 'running' : life.run
}

const END_REASONS: Readonly<Record<string, string>> = {
  shutdown: 'Shutdown',
  crashed: 'Crashed',
  panicked: 'GuestPanicked',
  killed: 'Killed',
  'start-failed': 'StartFailed',
  'volume-lost': 'VolumeLost',
  'host-restarted': 'HostRestarted',
}

export function vmiRef(pod: Pod): { readonly name: string; readonly uid: string } | undefined {
  return pod.metadata.ownerReferences?.find(
    (one) => one.controller && one.kind === VirtualMachineInstance.kind,
  )
}

export function ownerOf(vmi: VirtualMachineInstance, pod: Pod): MachineOwner {
  const { namespace = '', name = '', uid = '' } = vmi.metadata
  return { namespace, name, uid, podName: pod.metadata.name ?? '', podUid: pod.metadata.uid ?? '' }
}

/** Limits of the Pod's container, as a container runtime would set them. */
export function limitsOf(pod: Pod, facts: HostFacts): CgroupLimits {
  const resources = pod.spec?.containers?.[0]?.resources
  const memory = parseQuantity(resources?.limits?.['memory'] ?? '')
  const cpu = parseQuantity(resources?.limits?.['cpu'] ?? '')
  const request = parseQuantity(resources?.requests?.['cpu'] ?? '')
  const extra = facts.accelerator.kind === 'tcg' ? EMULATION_EXTRA_BYTES : 0
  return {
    ...(memory ? { memoryBytes: Number(toBigIntBytes(memory)) + extra } : {}),
    ...(cpu ? { cpuMilli: Number(toMilli(cpu)) } : {}),
    ...(request ? { cpuRequestMilli: Number(toMilli(request)) } : {}),
  }
}
