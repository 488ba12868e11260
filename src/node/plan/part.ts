// The pieces that a machine plan is put together from, and the few words that QEMU's command line is written with.
import type { Infer } from '../../kinds/build.ts'
import type { virtualMachineInstanceSpec } from '../../kinds/kubevirt/instance-spec.ts'

export type VmiSpec = Infer<typeof virtualMachineInstanceSpec>
export type Domain = VmiSpec['domain']
export type Devices = Domain['devices']
export type VmiDisk = NonNullable<Devices['disks']>[number]
export type VmiInterface = NonNullable<Devices['interfaces']>[number]
export type VmiVolume = NonNullable<VmiSpec['volumes']>[number]

export type ProblemReason =
  | 'QemuMissing'
  | 'QemuUnusable'
  | 'FeatureNeedsNewerQemu'
  | 'FirmwareMissing'
  | 'TpmMissing'
  | 'MachineTypeUnknown'
  | 'CpuModelUnknown'
  | 'CpuFeatureUnavailable'
  | 'TooManyCpus'
  | 'TooManyDevices'
  | 'MemoryMissing'
  | 'MemoryInvalid'
  | 'VolumeNotPrepared'
  | 'VolumeSourceUnsupported'
  | 'DiskWithoutVolume'
  | 'DiskBusUnsupported'
  | 'DeviceUnsupported'
  | 'InterfaceNotPrepared'
  | 'InterfaceModelUnsupported'
  | 'PciAddressUnsupported'
  | 'SocketPathTooLong'

/** A refusal: the machine as described cannot be started here. The message ends with what to do. */
export interface PlanProblem {
  readonly reason: ProblemReason
  readonly message: string
  /** Path of the field in the VirtualMachineInstance. */
  readonly field?: string
}

/** A file that must exist before QEMU starts; carried out in order. */
export type FileStep =
  | { readonly do: 'folder'; readonly path: string; readonly mode: number }
  | { readonly do: 'copy'; readonly from: string; readonly to: string; readonly keepExisting: boolean }
  | {
      readonly do: 'qcow2'
      readonly path: string
      readonly sizeBytes: number
      readonly keepExisting: boolean
    }
  | { readonly do: 'write'; readonly path: string; readonly content: Uint8Array }

/** A program that must run beside QEMU and be started before it. */
export interface Companion {
  readonly name: 'swtpm'
  readonly argv: readonly string[]
  /** Its being there tells that the program is ready. */
  readonly socket: string
}

export interface QmpStep {
  readonly execute: string
  readonly arguments?: Readonly<Record<string, unknown>>
}

/** What one planner contributes. */
export interface Part {
  readonly argv: readonly string[]
  /** Suffixes of the -machine argument, for instance `smm=on`. */
  readonly machine?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly files?: readonly FileStep[]
  readonly companions?: readonly Companion[]
  /** After the start, while the guest has not run yet. */
  readonly qmp?: readonly QmpStep[]
  /** What is other than asked for though the machine can run, for an event. */
  readonly notes?: readonly string[]
  readonly problems?: readonly PlanProblem[]
}

export const NOTHING: Part = { argv: [] }

export function problem(reason: ProblemReason, message: string, field?: string): PlanProblem {
  return field === undefined ? { reason, message } : { reason, message, field }
}

export type Properties = Readonly<Record<string, unknown>>

/** `-device` in its JSON form, which needs no escaping. */
export function device(driver: string, properties: Properties): readonly string[] {
  return ['-device', JSON.stringify({ driver, ...properties })]
}

export function blockdev(properties: Properties): readonly string[] {
  return ['-blockdev', JSON.stringify(properties)]
}

export function object(type: string, id: string, properties: Properties = {}): readonly string[] {
  return ['-object', JSON.stringify({ 'qom-type': type, id, ...properties })]
}

/** A value inside an option list such as -smbios: QEMU doubles commas. */
export function escaped(value: string): string {
  return value.replaceAll(',', ',,')
}

export function joinParts(parts: readonly Part[]): Required<Part> {
  return {
    argv: parts.flatMap((part) => part.argv),
    machine: parts.flatMap((part) => part.machine ?? []),
    env: Object.assign({}, ...parts.map((part) => part.env ?? {})) as Record<string, string>,
    files: parts.flatMap((part) => part.files ?? []),
    companions: parts.flatMap((part) => part.companions ?? []),
    qmp: parts.flatMap((part) => part.qmp ?? []),
    notes: parts.flatMap((part) => part.notes ?? []),
    problems: parts.flatMap((part) => part.problems ?? []),
  }
}
