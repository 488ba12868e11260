// What the agent knows of one machine at one moment, as data: the base of what it writes into the API.
import type { MachinePlan } from './machine-plan.ts'
import type { NicAttachment } from './nic.ts'

/** Why a machine is not started yet; it goes on by itself once that is gone. */
export interface MachineWait {
  readonly reason: string
  readonly message: string
}

export interface GuestInterface {
  readonly interfaceName: string
  readonly mac?: string
  readonly ips: readonly string[]
}

/** What the guest agent told last. */
export interface GuestView {
  readonly os: Readonly<Record<string, string>>
  readonly interfaces: readonly GuestInterface[]
}

/** Whether the keys and passwords that travel by the guest's agent are in the guest. */
export interface CredentialsView {
  readonly synchronized: boolean
  /** Why not. */
  readonly message: string
}

export type MachineView =
  | { readonly state: 'waiting'; readonly wait: MachineWait | undefined }
  | {
      readonly state: 'alive'
      /** QEMU's word: running, paused, io-error, prelaunch, ... or `unknown`. */
      readonly run: string
      readonly ioError?: string
      readonly plan: MachinePlan
      readonly networks: readonly NicAttachment[]
      readonly startedAt: number
      readonly guest?: GuestView
      readonly credentials?: CredentialsView
      readonly frozen: boolean
      readonly accelerator: 'kvm' | 'tcg'
    }
  | {
      readonly state: 'ended'
      readonly succeeded: boolean
      readonly reason: string
      readonly message: string
      readonly startedAt: number
      readonly endedAt: number
    }
