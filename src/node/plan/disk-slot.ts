// A disk with its place: what the planners of nodes, threads and front ends share.
import type { DiskBacking, PlannedVolume } from './backing.ts'
import type { HostFacts } from './facts.ts'
import type { VmiDisk, VmiSpec } from './part.ts'
import type { PciLayout } from './pci.ts'

/** Places of the SATA controller that q35 has built in; each further controller has as many. */
export const SATA_PORTS = 6

export type DiskBus = 'virtio' | 'scsi' | 'sata' | 'usb'

export interface DisksInput {
  readonly spec: VmiSpec
  readonly volumes: readonly PlannedVolume[]
  readonly facts: HostFacts
  readonly pci: PciLayout
  readonly folder: string
  readonly vcpus: number
}

/** A disk of the spec with its kind, its bus and its number on it. */
export interface Slotted {
  readonly disk: VmiDisk
  readonly kind: 'disk' | 'cdrom' | 'lun'
  readonly bus: DiskBus
  readonly target: string
  readonly index: number
  readonly backing: DiskBacking | undefined
}

/** KubeVirt's alias of a disk device. */
export function deviceId(disk: string): string {
  return `ua-${disk}`
}

export function isReadOnly({ disk, backing }: Slotted): boolean {
  return asksReadOnly(disk) || (backing?.kind === 'file' && backing.readOnly === true)
}

/** Whether the guest cannot write it by what its user says. */
export function asksReadOnly({ cdrom, disk, lun }: VmiDisk): boolean {
  return cdrom !== undefined || disk?.readonly === true || lun?.readonly === true
}
