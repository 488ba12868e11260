// What a machine's folder remembers of it (state.json), so that a crash of Croft in the middle of a start goes on or is
// rolled back, and a running QEMU is found again.
import { isObject, parseJson } from '../../base/json.ts'
import { failed, type Result } from '../../base/result.ts'
import type { Files, ProcessIdentity } from '../../host/host.ts'
import type { DiskBacking } from '../plan/backing.ts'
import type { MachinePlan } from '../plan/machine-plan.ts'
import type { NicAttachment } from '../plan/nic.ts'

/**
 * `started`: QEMU runs and is known, the guest may not have run yet. `running`: the guest was let go. `ended`: see
 * `end`. A start that was cut off before has no state at all.
 */
export type MachineStep = 'started' | 'running' | 'ended'

export type EndReason =
  /** The guest shut itself down, also on our asking. */
  | 'shutdown'
  /** QEMU ended on its own, or could not go on. */
  | 'crashed'
  | 'panicked'
  /** Killed by us after its grace period. */
  | 'killed'
  /** QEMU could not be started. */
  | 'start-failed'
  /** What a disk stood on went away under it. */
  | 'volume-lost'
  /** The host was restarted under it. */
  | 'host-restarted'

export interface MachineEnd {
  readonly reason: EndReason
  readonly message: string
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface MachineOwner {
  readonly namespace: string
  /** Of the VirtualMachineInstance. */
  readonly name: string
  readonly uid: string
  readonly podName: string
  readonly podUid: string
}

/** A Longhorn volume as it is reached now; the machine is never continued on one that lost what it acknowledged. */
export interface StandingVolume {
  /** Name of the volume in the VMI. */
  readonly name: string
  readonly longhornVolume: string
  readonly backing: DiskBacking
  /** What other machines may do with it meanwhile; absent: nothing. */
  readonly sharing?: VolumeSharing
}

/** `read`: this machine only reads it, as others then may. `write`: its user says that all of its machines take care. */
export type VolumeSharing = 'read' | 'write'

export interface MachineState {
  readonly version: 1
  readonly owner: MachineOwner
  readonly step: MachineStep
  readonly plan: MachinePlan
  readonly networks: readonly NicAttachment[]
  /** Absent in states of a version that did not keep it. */
  readonly volumes?: readonly StandingVolume[]
  readonly process?: ProcessIdentity
  readonly companions: readonly ProcessIdentity[]
  readonly accelerator: 'kvm' | 'tcg'
  /** When it was started. Milliseconds since 1970. */
  readonly startedAt: number
  readonly end?: MachineEnd
  /** Paused by its user; absent: as its plan says. */
  readonly userPaused?: boolean
  /** By its host, which alone had lost the server; it goes on when that answers again. */
  readonly fenced?: boolean
}

export function statePath(folder: string): string {
  return `${folder}/state.json`
}

export function writeState(files: Files, folder: string, state: MachineState): Promise<Result<void>> {
  return files.writeDurable(statePath(folder), JSON.stringify(state), 0o600)
}

/** Failures: `NotFound` when there is none, `StateDamaged`. */
export async function readState(files: Files, folder: string): Promise<Result<MachineState>> {
  const text = await files.readText(statePath(folder))
  if (!text.ok) return text
  try {
    const value = parseJson(text.value)
    if (isObject(value) && value['version'] === 1)
      return { ok: true, value: value as unknown as MachineState }
  } catch {
    // Told below.
  }
  return failed({
    reason: 'StateDamaged',
    message: `${statePath(folder)} cannot be read as a machine's state`,
    retry: 'never',
  })
}
