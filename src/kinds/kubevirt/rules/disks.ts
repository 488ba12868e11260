// Disks and the volumes behind them: each disk has a volume, names and boot orders are unique, buses can do what is
// asked of them.
import type { Cause } from '../../../base/errors.ts'
import { checkDns1123Label } from '../../../base/names.ts'
import type { Disk, InstanceSpec } from '../types.ts'
import { duplicate, invalid, notFound, notSupported, present } from './causes.ts'

/** KubeVirt's bound on each of disks, volumes and interfaces. */
export const DEVICES_MAX = 256
const SERIAL_MAX = 256
const TARGETS = ['disk', 'cdrom', 'lun'] as const
const BUSES: readonly string[] = ['virtio', 'sata', 'scsi', 'usb']
const CACHES: readonly string[] = ['', 'none', 'writethrough', 'writeback']
const IO_MODES: readonly string[] = ['', 'native', 'threads']
const ERROR_POLICIES: readonly string[] = ['', 'stop', 'ignore', 'report', 'enospace']
const PCI_ADDRESS = /^([\da-fA-F]{4}):([\da-fA-F]{2}):([01][\da-fA-F])\.([0-7])$/
const BLOCK_SIZE_MIN = 512
const BLOCK_SIZE_MAX = 2 * 1024 * 1024

export function diskCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  const disks = spec.domain.devices?.disks ?? []
  const field = `${at}.domain.devices.disks`
  if (disks.length > DEVICES_MAX)
    return [invalid(field, `${field} list exceeds the ${DEVICES_MAX} element limit in length`)]
  return [
    ...sameNames(disks, field),
    ...disks.flatMap((disk, index) => oneDisk(disk, `${field}[${index}]`, spec)),
    ...bootOrderCauses(spec, at),
  ]
}

/** One cause for each entry whose name an earlier entry has; it names both. */
export function sameNames(items: readonly { readonly name?: string }[], field: string): readonly Cause[] {
  const first = new Map<string, number>()
  return items.flatMap(({ name = '' }, index) => {
    const earlier = first.get(name)
    if (earlier === undefined) {
      first.set(name, index)
      return []
    }
    return [
      duplicate(
        `${field}[${index}].name`,
        `${field}[${earlier}] and ${field}[${index}] must not have the same Name '${name}'.`,
      ),
    ]
  })
}

/** Names of disks, volumes and shares become parts of other names, so all are DNS labels. */
export function nameCauses(name: string, field: string): readonly Cause[] {
  const [wrong] = checkDns1123Label(name)
  return wrong === undefined
    ? []
    : [invalid(field, `${field} '${name}' does not conform to the kubernetes DNS_LABEL rules : ${wrong}`)]
}

/** What kind of device the disk is; a disk without any target is a plain disk. */
export function diskTargetOf(disk: Disk): 'disk' | 'cdrom' | 'lun' {
  return disk.cdrom ? 'cdrom' : disk.lun ? 'lun' : 'disk'
}

function oneDisk(disk: Disk, field: string, spec: InstanceSpec): readonly Cause[] {
  const targets = present(disk, TARGETS)
  const causes: Cause[] = [...nameCauses(disk.name, `${field}.name`)]
  if (targets.length > 1) causes.push(invalid(field, `${field} can only have a single target type defined`))
  const target = diskTargetOf(disk)
  const volume = spec.volumes?.find(({ name }) => name === disk.name)
  // A CD-ROM without volume is an empty tray.
  if (!volume && target !== 'cdrom')
    causes.push(notFound(`${field}.name`, `${field}.name '${disk.name}' not found: no volume has this name.`))
  if (target === 'lun' && volume && !volume.dataVolume && !volume.persistentVolumeClaim)
    causes.push(
      invalid(`${field}.lun`, `${field}.lun can only be mapped to a DataVolume or PersistentVolumeClaim.`),
    )
  return [...causes, ...busCauses(disk, field), ...tuningCauses(disk, field), ...blockSizeCauses(disk, field)]
}

function busCauses(disk: Disk, field: string): readonly Cause[] {
  const target = diskTargetOf(disk)
  const part = disk[target] ?? {}
  const bus = part.bus ?? ''
  const at = `${field}.${target}.bus`
  const causes: Cause[] = []
  if (bus === 'ide') causes.push(invalid(at, 'IDE bus is not supported; use sata, scsi or virtio.'))
  else if (bus !== '' && !BUSES.includes(bus))
    causes.push(
      notSupported(
        at,
        `${field} is set with an unrecognized bus ${bus}, must be one of: [${BUSES.join(' ')}]`,
      ),
    )
  else if (target === 'cdrom' && bus === 'virtio')
    causes.push(invalid(at, `Bus type ${bus} is invalid for CD-ROM device; use sata, scsi or usb.`))
  else if (target === 'lun' && bus !== '' && bus !== 'scsi' && bus !== 'sata')
    causes.push(invalid(at, `Bus type ${bus} is invalid for LUN device; use scsi or sata.`))
  if (target === 'disk' && bus === 'sata' && disk.disk?.readonly)
    causes.push(invalid(at, `${field}.disk: ${bus} hard-disks do not support read-only.`))
  const address = disk.disk?.pciAddress
  if (address) {
    if (bus !== 'virtio')
      causes.push(
        invalid(`${field}.disk.pciAddress`, 'setting a PCI address is only possible with bus type virtio.'),
      )
    else if (!PCI_ADDRESS.test(address))
      causes.push(
        invalid(
          `${field}.disk.pciAddress`,
          `disk ${disk.name} has malformed PCI address (${address}), expected 0000:81:01.0.`,
        ),
      )
  }
  if (disk.dedicatedIOThread && bus !== '' && bus !== 'virtio')
    causes.push(
      notSupported(`${field}.dedicatedIOThread`, `IOThreads are not supported for disks on a ${bus} bus`),
    )
  return causes
}

function tuningCauses(disk: Disk, field: string): readonly Cause[] {
  const causes: Cause[] = []
  if (disk.bootOrder !== undefined && disk.bootOrder < 1)
    causes.push(invalid(`${field}.bootOrder`, `${field} must have a boot order > 0, if supplied`))
  if (disk.cache !== undefined && !CACHES.includes(disk.cache))
    causes.push(
      notSupported(
        `${field}.cache`,
        `${field}.cache has invalid value ${disk.cache}; supported are none, writethrough, writeback`,
      ),
    )
  if (disk.io !== undefined && !IO_MODES.includes(disk.io))
    causes.push(
      notSupported(
        `${field}.io`,
        `Disk IO mode for ${field} is not supported. Supported modes are: native, threads.`,
      ),
    )
  if (disk.errorPolicy !== undefined && !ERROR_POLICIES.includes(disk.errorPolicy))
    causes.push(
      notSupported(
        `${field}.errorPolicy`,
        `${field}.errorPolicy has invalid value ${disk.errorPolicy}; supported are stop, ignore, report, enospace`,
      ),
    )
  const serial = disk.serial ?? ''
  if (serial.length > SERIAL_MAX)
    causes.push(
      invalid(
        `${field}.serial`,
        `${field}.serial must be less than or equal to ${SERIAL_MAX} in length, if specified`,
      ),
    )
  if (!/^[A-Za-z0-9_.+-]*$/.test(serial))
    causes.push(
      invalid(
        `${field}.serial`,
        `${field}.serial must be made up of the following characters [A-Za-z0-9_.+-], if specified`,
      ),
    )
  return causes
}

function blockSizeCauses(disk: Disk, field: string): readonly Cause[] {
  const { custom, matchVolume } = disk.blockSize ?? {}
  const at = `${field}.blockSize`
  if (!custom) return []
  const causes: Cause[] = []
  if (matchVolume && matchVolume.enabled !== false)
    causes.push(invalid(at, "Block size matching can't be enabled together with a custom value"))
  const { logical = 0, physical = 0, discardGranularity } = custom
  for (const [name, size] of [
    ['logical', logical],
    ['physical', physical],
  ] as const) {
    const where = `${at}.custom.${name}`
    if (size < BLOCK_SIZE_MIN)
      causes.push(
        invalid(
          where,
          `Provided size of ${size} is less than the supported minimum size of ${BLOCK_SIZE_MIN}`,
        ),
      )
    else if (size > BLOCK_SIZE_MAX)
      causes.push(
        invalid(
          where,
          `Provided size of ${size} is greater than the supported maximum size of ${BLOCK_SIZE_MAX}`,
        ),
      )
    else if ((size & (size - 1)) !== 0)
      causes.push(invalid(where, `Provided size of ${size} is not a power of 2`))
  }
  if (logical > physical)
    causes.push(
      invalid(
        `${at}.custom.logical`,
        `Logical size ${logical} must be the same or less than the physical size of ${physical}`,
      ),
    )
  if (logical !== BLOCK_SIZE_MIN && disk[diskTargetOf(disk)]?.bus === 'sata')
    causes.push(invalid(`${at}.custom.logical`, `Logical size must be ${BLOCK_SIZE_MIN} on the sata bus`))
  if (discardGranularity !== undefined && logical > 0 && discardGranularity % logical !== 0)
    causes.push(
      invalid(
        `${at}.custom.discardGranularity`,
        `Discard granularity ${discardGranularity} must be a multiple of the logical size of ${logical}`,
      ),
    )
  return causes
}

/** Disks and interfaces share one order. */
function bootOrderCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  const { disks = [], interfaces = [] } = spec.domain.devices ?? {}
  const places = [
    ...disks.map((item, index) => ({ order: item.bootOrder, field: `${at}.domain.devices.disks[${index}]` })),
    ...interfaces.map((item, index) => ({
      order: item.bootOrder,
      field: `${at}.domain.devices.interfaces[${index}]`,
    })),
  ]
  const taken = new Map<number, string>()
  return places.flatMap(({ order, field }) => {
    if (order === undefined || order < 1) return []
    const earlier = taken.get(order)
    if (earlier === undefined) {
      taken.set(order, field)
      return []
    }
    return [
      invalid(
        `${field}.bootOrder`,
        `Boot order for ${field}.bootOrder already set for a different device: ${earlier} has boot order ${order} too.`,
      ),
    ]
  })
}
