// The front ends of disks: the devices that a guest sees, one way for each bus.
import { topNode } from './disk-node.ts'
import { type DisksInput, deviceId, isReadOnly, SATA_PORTS, type Slotted } from './disk-slot.ts'
import type { Threads } from './io-threads.ts'
import {
  device,
  type PlanProblem,
  type Properties,
  problem,
  type QmpStep,
  type VmiDisk,
  type VmiSpec,
} from './part.ts'

export interface FrontInput extends DisksInput {
  readonly boot: (disk: VmiDisk, spec: VmiSpec) => number | undefined
  readonly threads: Threads
}

export interface Front {
  readonly argv: readonly string[]
  readonly problems: readonly PlanProblem[]
  readonly notes: readonly string[]
}

export function frontEnd(one: Slotted, input: FrontInput): Front {
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

export function usbAttach({ index }: Slotted): QmpStep {
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
