// Disks, CD-ROMs and LUNs of a machine: block nodes, controllers and front ends.
import { parseQuantity, toBigIntBytes } from '../../base/quantity.ts'
import type { DiskBacking } from './backing.ts'
import { frontEnd, usbAttach } from './disk-front.ts'
import { diskNodes, TLS_CLIENT, topNode } from './disk-node.ts'
import { type DiskBus, type DisksInput, deviceId, isReadOnly, SATA_PORTS, type Slotted } from './disk-slot.ts'
import { ioThreads } from './io-threads.ts'
import {
  blockdev,
  device,
  type FileStep,
  type Part,
  type PlanProblem,
  problem,
  type VmiDisk,
  type VmiSpec,
  type VmiVolume,
} from './part.ts'

/** A disk as it stands in the machine. */
export interface PlannedDisk {
  readonly name: string
  /** As in `status.volumeStatus`, for instance `vda`. Absent for an empty drive. */
  readonly target: string
  readonly bus: DiskBus
  readonly kind: 'disk' | 'cdrom' | 'lun'
  /** Id of the front end in QEMU. */
  readonly deviceId: string
  /** Node behind the front end; absent for an empty drive. */
  readonly node?: string
  readonly backing?: DiskBacking
}

export interface DisksPart extends Part {
  readonly disks: readonly PlannedDisk[]
  /** Controllers made, so that others can use them. */
  readonly usesUsb: boolean
}

export function planDisks(input: DisksInput): DisksPart {
  const { spec } = input
  const files: FileStep[] = []
  const problems: PlanProblem[] = []
  const disks = effectiveDisks(spec)
  const backings = new Map<string, DiskBacking>()
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const found = volumeBacking(volume, index, input)
    if ('problem' in found) problems.push(found.problem)
    else {
      backings.set(volume.name, found.backing)
      files.push(...found.files)
    }
  }
  const volumeNames = new Set((spec.volumes ?? []).map((volume) => volume.name))
  const slotted = slot(disks, backings, volumeNames, problems)
  const threads = ioThreads(spec, slotted, input)
  const boot = bootIndexes(disks)
  const controllers = planControllers(slotted, input)
  const fronts = slotted.map((one) => frontEnd(one, { ...input, boot, threads }))
  return {
    argv: [
      ...threads.argv,
      ...controllers.argv,
      ...certificates(slotted),
      ...slotted.flatMap(nodeArguments),
      ...fronts.flatMap((front) => front.argv),
    ],
    files,
    problems: [...problems, ...threads.problems, ...fronts.flatMap((front) => front.problems)],
    notes: fronts.flatMap((front) => front.notes),
    // The bridge shows itself to the guest only when told that its unit is complete.
    qmp: slotted.filter((one) => one.bus === 'usb').map(usbAttach),
    disks: slotted.map((one) => ({
      name: one.disk.name,
      target: one.target,
      bus: one.bus,
      kind: one.kind,
      deviceId: deviceId(one.disk.name),
      ...(one.backing ? { node: topNode(one.disk.name), backing: one.backing } : {}),
    })),
    usesUsb: slotted.some((one) => one.bus === 'usb'),
  }
}

/** A volume without a disk gets a plain one, so that none is silently left out. */
function effectiveDisks(spec: VmiSpec): readonly VmiDisk[] {
  const disks = spec.domain.devices.disks ?? []
  const named = new Set(disks.map((disk) => disk.name))
  const shared = new Set((spec.domain.devices.filesystems ?? []).map((filesystem) => filesystem.name))
  const added = (spec.volumes ?? [])
    .filter(({ name, memoryDump }) => !named.has(name) && !shared.has(name) && memoryDump === undefined)
    .map(({ name }): VmiDisk => ({ name, disk: {} }))
  return [...disks, ...added]
}

type Found =
  | { readonly backing: DiskBacking; readonly files: readonly FileStep[] }
  | { readonly problem: PlanProblem }

function volumeBacking(volume: VmiVolume, index: number, input: DisksInput): Found {
  const field = `spec.volumes[${index}]`
  const prepared = input.volumes.find((one) => one.name === volume.name)
  if (prepared) return { backing: prepared.backing, files: [] }
  const refuse = (what: string): Found => ({ problem: problem('VolumeSourceUnsupported', what, field) })
  if (volume.emptyDisk) {
    const quantity = parseQuantity(volume.emptyDisk.capacity)
    if (!quantity) return refuse(`volume ${volume.name}: capacity is no amount: write it like 10Gi`)
    const path = `${input.folder}/empty-${index}.qcow2`
    const bytes = Number(toBigIntBytes(quantity))
    // Sectors of 512 bytes are the smallest step that every bus can show.
    const sizeBytes = Math.ceil(bytes / 512) * 512
    return {
      backing: { kind: 'file', path, format: 'qcow2' },
      files: [{ do: 'qcow2', path, sizeBytes, keepExisting: true }],
    }
  }
  if (volume.containerDisk)
    return refuse(
      `volume ${volume.name}: container disks are not run: import the image as a VirtualMachineImage or DataVolume and use its volume`,
    )
  if (volume.hostDisk)
    return refuse(`volume ${volume.name}: disks in host files are not allowed: use a persistentVolumeClaim`)
  if (volume.downwardMetrics)
    return refuse(`volume ${volume.name}: downward metrics are not offered: remove the volume`)
  if (volume.ephemeral)
    return refuse(`volume ${volume.name}: ephemeral overlays are not supported yet: use the claim itself`)
  return {
    problem: problem(
      'VolumeNotPrepared',
      `volume ${volume.name} is not ready on this node; it is waited for`,
      field,
    ),
  }
}

function slot(
  disks: readonly VmiDisk[],
  backings: ReadonlyMap<string, DiskBacking>,
  volumeNames: ReadonlySet<string>,
  problems: PlanProblem[],
): readonly Slotted[] {
  const counts = { vd: 0, sd: 0 }
  const perBus = new Map<DiskBus, number>()
  return disks.flatMap((disk, index): readonly Slotted[] => {
    const kind = disk.cdrom ? 'cdrom' : disk.lun ? 'lun' : 'disk'
    const bus = (disk.cdrom?.bus ?? disk.lun?.bus ?? disk.disk?.bus ?? 'sata') || 'sata'
    const field = `spec.domain.devices.disks[${index}]`
    if (!isBus(bus) || (kind === 'cdrom' && bus === 'virtio')) {
      problems.push(
        problem(
          'DiskBusUnsupported',
          `disk ${disk.name}: a ${kind} cannot be on bus ${bus}: use ${kind === 'cdrom' ? 'sata, scsi or usb' : 'virtio, scsi, sata or usb'}`,
          field,
        ),
      )
      return []
    }
    const backing = backings.get(disk.name)
    if (!backing && (kind !== 'cdrom' || volumeNames.has(disk.name))) {
      // A volume that failed has told its own problem already.
      if (!volumeNames.has(disk.name))
        problems.push(
          problem(
            'DiskWithoutVolume',
            `disk ${disk.name} has no volume of that name: add it to spec.volumes`,
            field,
          ),
        )
      return []
    }
    const prefix = bus === 'virtio' ? 'vd' : 'sd'
    const target = `${prefix}${letters(counts[prefix]++)}`
    const onBus = perBus.get(bus) ?? 0
    perBus.set(bus, onBus + 1)
    return [{ disk, kind, bus, target, index: onBus, backing }]
  })
}

function isBus(bus: string): bus is DiskBus {
  return bus === 'virtio' || bus === 'scsi' || bus === 'sata' || bus === 'usb'
}

/** 0 is `a`, 25 `z`, 26 `aa`, as the kernel counts. */
export function letters(index: number): string {
  const last = String.fromCharCode(97 + (index % 26))
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last
}

/** What connections to replicas on other hosts prove themselves with; one object for all disks. */
function certificates(slotted: readonly Slotted[]): readonly string[] {
  const folders = slotted.flatMap(({ backing }) =>
    (backing?.kind === 'nbd' ? backing.children : []).flatMap(({ server }) =>
      'tlsFolder' in server && server.tlsFolder !== undefined ? [server.tlsFolder] : [],
    ),
  )
  const [dir] = folders
  if (dir === undefined) return []
  return ['-object', `tls-creds-x509,id=${TLS_CLIENT},endpoint=client,dir=${dir},verify-peer=on`]
}

function nodeArguments(one: Slotted): readonly string[] {
  if (!one.backing) return []
  const { cache, io, shareable } = one.disk
  return diskNodes(one.disk.name, one.backing, {
    readOnly: isReadOnly(one),
    cache: cache === 'none' || cache === 'writethrough' || cache === 'writeback' ? cache : undefined,
    io,
    shareable: shareable === true,
  }).flatMap(blockdev)
}

/**
 * Boot order over all disks and interfaces. Where nothing has one, the disks follow each other in their own order
 * and no interface boots, which is what firmware would do.
 */
function bootIndexes(disks: readonly VmiDisk[]): (disk: VmiDisk, spec: VmiSpec) => number | undefined {
  return (disk, spec) => {
    if (hasBootOrder(spec)) return disk.bootOrder
    return disks.indexOf(disk) + 1
  }
}

export function hasBootOrder(spec: VmiSpec): boolean {
  const { disks, interfaces } = spec.domain.devices
  return (
    (disks ?? []).some((disk) => disk.bootOrder !== undefined) ||
    (interfaces ?? []).some((one) => one.bootOrder !== undefined)
  )
}

// --- controllers ---

interface Controllers {
  readonly argv: readonly string[]
}

function planControllers(slotted: readonly Slotted[], { spec, pci }: DisksInput): Controllers {
  const { disableHotplug } = spec.domain.devices
  const argv: string[] = []
  // Always there unless hot-plug is off: disks that are added later come on this controller.
  if (!disableHotplug || slotted.some((one) => one.bus === 'scsi'))
    argv.push(...device('virtio-scsi-pci', { id: 'scsi0', ...pci.express() }))
  const sata = slotted.filter((one) => one.bus === 'sata').length
  for (let index = 1; index * SATA_PORTS < sata; index += 1)
    argv.push(...device('ich9-ahci', { id: `ahci${index}`, ...pci.conventional() }))
  return { argv }
}
