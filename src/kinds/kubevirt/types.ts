// Names for the parts of a machine that rules, deciders and the agent speak about.
import type { Infer } from '../build.ts'
import type { accessCredential } from './access-credentials.ts'
import type { cpu } from './domain/cpu.ts'
import type { devices } from './domain/devices.ts'
import type { disk } from './domain/disks.ts'
import type { domainSpec } from './domain/domain.ts'
import type { firmware } from './domain/firmware.ts'
import type { networkInterface } from './domain/interfaces.ts'
import type { resourceRequirements } from './domain/memory.ts'
import type { virtualMachineInstanceSpec } from './instance-spec.ts'
import type {
  virtualMachineInstanceNetworkInterface,
  virtualMachineInstanceStatus,
  volumeStatus,
} from './instance-status.ts'
import type { dataVolumeTemplateSpec, virtualMachineSpec } from './machine-spec.ts'
import type { virtualMachineStateChangeRequest, virtualMachineStatus } from './machine-status.ts'
import type { network } from './networks.ts'
import type { probe } from './probes.ts'
import type { volume } from './volumes.ts'

export type MachineSpec = Infer<typeof virtualMachineSpec>
export type MachineStatus = Infer<typeof virtualMachineStatus>
export type StateChangeRequest = Infer<typeof virtualMachineStateChangeRequest>
export type DataVolumeTemplate = Infer<typeof dataVolumeTemplateSpec>
/** Spec of a VirtualMachineInstance, and `spec.template.spec` of a VirtualMachine. */
export type InstanceSpec = Infer<typeof virtualMachineInstanceSpec>
export type InstanceStatus = Infer<typeof virtualMachineInstanceStatus>
export type InterfaceStatus = Infer<typeof virtualMachineInstanceNetworkInterface>
export type VolumeStatus = Infer<typeof volumeStatus>
export type Domain = Infer<typeof domainSpec>
export type Devices = Infer<typeof devices>
export type Cpu = Infer<typeof cpu>
export type Resources = Infer<typeof resourceRequirements>
export type Firmware = Infer<typeof firmware>
export type Disk = Infer<typeof disk>
export type Volume = Infer<typeof volume>
export type Interface = Infer<typeof networkInterface>
export type Network = Infer<typeof network>
export type Probe = Infer<typeof probe>
export type AccessCredential = Infer<typeof accessCredential>
