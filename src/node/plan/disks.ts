// Disks, CD-ROMs and LUNs of a machine: block nodes, controllers and front ends.
import { parseQuantity, toBigIntBytes } from '../../base/quantity.ts'
import type { DiskBacking, PlannedVolume } from './backing.ts'
import { diskNodes, topNode } from './disk-node.ts'
import { atLeast, type HostFacts } from './facts.ts'
import {
  blockdev,
  device,
  type FileStep,
  object,
  type Part,
  type PlanProblem,
  type Properties,
  problem,
  type QmpStep,
  type VmiDisk,
  type VmiSpec,
  type VmiVolume,
} from './part.ts'
import type { PciLayout } from './pci.ts'

/** SATA places of the controller that q35 has built in; each further controller has as many. */
const SATA_PORTS = 6

export type DiskBus = 'virtio' | 'scsi' | 'sata' | 'usb'

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

export interface DisksInput {
  readonly spec: VmiSpec
  readonly volumes: readonly PlannedVolume[]
  readonly facts: HostFacts
  readonly pci: PciLayout
  readonly folder: string
  readonly vcpus: number
}

export interface DisksPart extends Part {
  readonly disks: readonly PlannedDisk[]
  /** Controllers made, so that others can use them. */
  readonly usesUsb: boolean
}

interface Slotted {
  readonly disk: VmiDisk
  readonly kind: PlannedDisk['kind']
  readonly bus: DiskBus
  readonly target: string
  readonly index: number
  readonly backing: DiskBacking | undefined
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
  const fronts = slotted.map((one) => frontEnd(one, { ...input, boot, threads, controllers }))
  return {
    argv: [
      ...threads.argv,
      ...controllers.argv,
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

/** KubeVirt's alias of a disk device. */
export function deviceId(disk: string): string {
  return `ua-${disk}`
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

function isReadOnly({ disk, kind, backing }: Slotted): boolean {
  const asked = kind === 'cdrom' || disk.disk?.readonly === true || disk.lun?.readonly === true
  return asked || (backing?.kind === 'file' && backing.readOnly === true)
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

// --- I/O threads ---

interface Threads extends Part {
  readonly of: (one: Slotted) => Properties
  readonly problems: readonly PlanProblem[]
}

function ioThreads(spec: VmiSpec, slotted: readonly Slotted[], { facts, vcpus }: DisksInput): Threads {
  const policy = spec.domain.ioThreadsPolicy
  const virtio = slotted.filter((one) => one.bus === 'virtio')
  if (policy === 'supplementalPool') return pooledThreads(spec, virtio, facts)
  const own = virtio.filter((one) => one.disk.dedicatedIOThread)
  const others = virtio.filter((one) => !one.disk.dedicatedIOThread)
  // KubeVirt: `shared` is one thread for all others; `auto` spreads them over at most two threads a processor.
  const pool =
    policy === 'shared'
      ? Math.min(1, others.length)
      : policy === 'auto'
        ? Math.min(others.length, Math.max(1, 2 * vcpus - own.length))
        : 0
  const byDisk = new Map<Slotted, string>()
  for (const [index, one] of own.entries()) byDisk.set(one, `io${pool + index}`)
  if (pool > 0) for (const [index, one] of others.entries()) byDisk.set(one, `io${index % pool}`)
  const ids = [...Array(pool + own.length).keys()].map((index) => `io${index}`)
  return {
    argv: ids.flatMap((id) => object('iothread', id)),
    problems: [],
    of: (one) => {
      const thread = byDisk.get(one)
      return thread === undefined ? {} : { iothread: thread }
    },
  }
}

function pooledThreads(spec: VmiSpec, virtio: readonly Slotted[], facts: HostFacts): Threads {
  const count = Number(spec.domain.ioThreads?.supplementalPoolThreadCount ?? 1)
  if (!atLeast(facts.qemu.version, 9)) {
    const text =
      'a pool of I/O threads needs QEMU 9.0 or newer: use ioThreadsPolicy auto, or install a newer QEMU (Debian 13, or the backports of Debian 12)'
    return {
      argv: [],
      problems: [problem('FeatureNeedsNewerQemu', text, 'spec.domain.ioThreadsPolicy')],
      of: () => ({}),
    }
  }
  const ids = [...Array(count).keys()].map((index) => `io${index}`)
  const mapping = ids.map((id) => ({ iothread: id }))
  return {
    argv: ids.flatMap((id) => object('iothread', id)),
    problems: [],
    of: (one) => (virtio.includes(one) ? { 'iothread-vq-mapping': mapping } : {}),
  }
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

// --- front ends ---

interface FrontInput extends DisksInput {
  readonly boot: (disk: VmiDisk, spec: VmiSpec) => number | undefined
  readonly threads: Threads
  readonly controllers: Controllers
}

interface Front {
  readonly argv: readonly string[]
  readonly problems: readonly PlanProblem[]
  readonly notes: readonly string[]
}

function frontEnd(one: Slotted, input: FrontInput): Front {
  const { disk, kind, bus, backing } = one
  const bootindex = input.boot(disk, input.spec)
  const common: Properties = {
    id: deviceId(disk.name),
    ...(backing ? { drive: topNode(disk.name) } : {}),
    ...(bootindex === undefined ? {} : { bootindex }),
    ...(disk.serial ? { serial: disk.serial } : {}),
    ...(disk.shareable ? { 'share-rw': true } : {}),
    ...(backing ? errorPolicy(disk, isReadOnly(one)) : {}),
    ...blockSizes(disk),
    ...(kind === 'cdrom' ? {} : { 'write-cache': disk.cache === 'writethrough' ? 'off' : 'on' }),
  }
  const notes: string[] = []
  if (kind === 'lun')
    notes.push(
      `disk ${disk.name} is shown as an emulated SCSI disk: raw SCSI commands do not reach a replicated volume`,
    )
  if (bus === 'virtio') return virtioFront(one, common, input)
  if (bus === 'scsi') return { argv: scsiFront(one, common), problems: [], notes }
  if (bus === 'usb') return { argv: usbFront(one, common), problems: [], notes }
  const problems =
    kind === 'disk' && isReadOnly(one)
      ? [
          problem(
            'DiskBusUnsupported',
            `disk ${disk.name}: hard disks on sata cannot be read-only: use bus virtio or scsi, or a cdrom`,
          ),
        ]
      : []
  const controller = Math.floor(one.index / SATA_PORTS)
  const port = one.index % SATA_PORTS
  const at = { bus: controller === 0 ? `ide.${port}` : `ahci${controller}.${port}`, unit: 0 }
  return { argv: device(kind === 'cdrom' ? 'ide-cd' : 'ide-hd', { ...common, ...at }), problems, notes }
}

function virtioFront(one: Slotted, common: Properties, input: FrontInput): Front {
  const { disk, backing } = one
  const { spec, pci, vcpus } = input
  const transitional = spec.domain.devices.useVirtioTransitional === true
  const address = disk.disk?.pciAddress
  const place = address
    ? pci.at(address, 'spec.domain.devices.disks')
    : transitional
      ? pci.conventional()
      : pci.express()
  const problems = 'reason' in place ? [place] : []
  const quorum = backing?.kind === 'nbd' && backing.children.length > 1
  const properties = {
    ...common,
    ...('reason' in place ? {} : place),
    ...(spec.domain.devices.blockMultiQueue ? { 'num-queues': vcpus } : {}),
    // Quorum would swallow discards without freeing anything; the guest must not be told otherwise.
    ...(quorum ? { discard: false } : {}),
    ...input.threads.of(one),
  }
  return {
    argv: device(transitional ? 'virtio-blk-pci-transitional' : 'virtio-blk-pci', properties),
    problems,
    notes: [],
  }
}

function scsiFront(one: Slotted, common: Properties): readonly string[] {
  const { disk, kind, backing } = one
  const quorum = backing?.kind === 'nbd' && backing.children.length > 1
  const driver =
    kind === 'cdrom' ? 'scsi-cd' : kind === 'lun' && backing?.kind === 'block' ? 'scsi-block' : 'scsi-hd'
  const at = { bus: 'scsi0.0', channel: 0, 'scsi-id': 0, lun: one.index }
  if (driver === 'scsi-block') {
    const { id, drive, bootindex, 'share-rw': shared, werror, rerror } = common
    return device(driver, dropUndefined({ id, drive, bootindex, 'share-rw': shared, werror, rerror, ...at }))
  }
  return device(driver, {
    ...common,
    ...at,
    device_id: disk.serial || deviceId(disk.name),
    ...(quorum && driver === 'scsi-hd' ? { max_unmap_size: 0 } : {}),
  })
}

function usbFront(one: Slotted, common: Properties): readonly string[] {
  const bridge = `usb-${one.index}`
  const driver = one.kind === 'cdrom' ? 'scsi-cd' : 'scsi-hd'
  return [
    ...device('usb-bot', { id: bridge, bus: 'xhci.0' }),
    ...device(driver, { ...common, bus: `${bridge}.0`, 'scsi-id': 0, lun: 0 }),
  ]
}

function usbAttach({ index }: Slotted): QmpStep {
  return {
    execute: 'qom-set',
    arguments: { path: `/machine/peripheral/usb-${index}`, property: 'attached', value: true },
  }
}

function errorPolicy(disk: VmiDisk, readOnly: boolean): Properties {
  const policy = disk.errorPolicy ?? 'stop'
  const write = policy === 'enospace' ? 'enospc' : policy
  const read = policy === 'enospace' ? 'stop' : policy
  return readOnly ? { rerror: read } : { werror: write, rerror: read }
}

function blockSizes({ blockSize }: VmiDisk): Properties {
  const custom = blockSize?.custom
  if (!custom) return {}
  return dropUndefined({
    logical_block_size: custom.logical,
    physical_block_size: custom.physical,
    discard_granularity: custom.discardGranularity,
  })
}

function dropUndefined(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined))
}
