// Devices beside disks and interfaces.
import type { Cause } from '../../../base/errors.ts'
import type { Domain, InstanceSpec } from '../types.ts'
import { invalid, notFound, notSupported, present, required } from './causes.ts'
import { nameCauses, sameNames } from './disks.ts'

const VIDEO_TYPES: readonly string[] = ['vga', 'cirrus', 'virtio', 'ramfb', 'bochs']
const PANIC_MODELS: readonly string[] = ['hyperv', 'isa', 'pvpanic']
const WATCHDOG_ACTIONS: readonly string[] = ['', 'poweroff', 'reset', 'shutdown']
const IO_THREAD_POLICIES: readonly string[] = ['', 'shared', 'auto', 'supplementalPool']
const LAUNCH_SECURITY = ['sev', 'snp', 'tdx'] as const

export function deviceCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  const field = `${at}.domain.devices`
  const { domain } = spec
  return [
    ...inputCauses(domain, field),
    ...soundCauses(domain, field),
    ...graphicsCauses(domain, field),
    ...watchdogCauses(domain, field),
    ...filesystemCauses(spec, field),
    ...passthroughCauses(domain, field),
    ...ioThreadCauses(domain, `${at}.domain`),
    ...launchSecurityCauses(domain, `${at}.domain`),
  ]
}

function inputCauses({ devices }: Domain, field: string): readonly Cause[] {
  return (devices?.inputs ?? []).flatMap((input, index) => {
    const at = `${field}.inputs[${index}]`
    const causes: Cause[] = []
    if (!['', 'virtio', 'usb'].includes(input.bus ?? ''))
      causes.push(invalid(`${at}.bus`, 'Input device can have only virtio or usb bus.'))
    if (input.type !== 'tablet') causes.push(invalid(`${at}.type`, 'Input device can have only tablet type.'))
    return causes
  })
}

function soundCauses({ devices }: Domain, field: string): readonly Cause[] {
  const sound = devices?.sound
  if (!sound) return []
  if (!sound.name) return [required(`${field}.sound`, 'Sound device requires a name field.')]
  return ['', 'ich9', 'ac97'].includes(sound.model ?? '')
    ? []
    : [invalid(`${field}.sound`, 'Sound device type is not supported. Options: ich9 or ac97')]
}

function graphicsCauses({ devices }: Domain, field: string): readonly Cause[] {
  const causes: Cause[] = []
  const type = devices?.video?.type
  if (type && !VIDEO_TYPES.includes(type))
    causes.push(
      notSupported(
        `${field}.video.type`,
        `Video model ${type} is not supported; use ${VIDEO_TYPES.join(', ')}.`,
      ),
    )
  if (devices?.video && devices.autoattachGraphicsDevice === false)
    causes.push(invalid(`${field}.video`, 'Video model is set but autoattachGraphicsDevice is false.'))
  devices?.panicDevices?.forEach((device, index) => {
    if (device.model !== undefined && device.model !== '' && !PANIC_MODELS.includes(device.model))
      causes.push(
        notSupported(
          `${field}.panicDevices[${index}].model`,
          `Panic device model ${device.model} is not supported; use ${PANIC_MODELS.join(', ')}.`,
        ),
      )
  })
  return causes
}

function watchdogCauses({ devices }: Domain, field: string): readonly Cause[] {
  const watchdog = devices?.watchdog
  if (!watchdog) return []
  const causes: Cause[] = [...nameCauses(watchdog.name, `${field}.watchdog.name`)]
  for (const model of ['i6300esb', 'diag288'] as const) {
    const action = watchdog[model]?.action ?? ''
    if (!WATCHDOG_ACTIONS.includes(action))
      causes.push(
        notSupported(
          `${field}.watchdog.${model}.action`,
          `Watchdog action ${action} is not supported; use reset, poweroff or shutdown.`,
        ),
      )
  }
  return causes
}

function filesystemCauses(spec: InstanceSpec, field: string): readonly Cause[] {
  const filesystems = spec.domain.devices?.filesystems ?? []
  return [
    ...sameNames(filesystems, `${field}.filesystems`),
    ...filesystems.flatMap(({ name }, index) =>
      spec.volumes?.some((volume) => volume.name === name)
        ? []
        : [
            notFound(
              `${field}.filesystems[${index}].name`,
              `${field}.filesystems[${index}].name '${name}' not found: no volume has this name.`,
            ),
          ],
    ),
  ]
}

function passthroughCauses({ devices }: Domain, field: string): readonly Cause[] {
  return (['gpus', 'hostDevices'] as const).flatMap((list) => {
    const items = devices?.[list] ?? []
    return [
      ...sameNames(items, `${field}.${list}`),
      ...items.flatMap((item, index) =>
        item.deviceName || ('claimName' in item && item.claimName)
          ? []
          : [
              required(
                `${field}.${list}[${index}].deviceName`,
                `${field}.${list}[${index}] must name a device.`,
              ),
            ],
      ),
    ]
  })
}

function ioThreadCauses(domain: Domain, at: string): readonly Cause[] {
  const policy = domain.ioThreadsPolicy ?? ''
  if (!IO_THREAD_POLICIES.includes(policy))
    return [
      invalid(
        `${at}.ioThreadsPolicy`,
        `Invalid IOThreadsPolicy (${policy}); use shared, auto or supplementalPool`,
      ),
    ]
  const count = domain.ioThreads?.supplementalPoolThreadCount
  if (policy === 'supplementalPool' && (count === undefined || count < 1))
    return [
      invalid(
        `${at}.ioThreads.count`,
        'the number of iothreads needs to be set and positive for the dedicated policy',
      ),
    ]
  return []
}

function launchSecurityCauses(domain: Domain, at: string): readonly Cause[] {
  const kinds = present(domain.launchSecurity, LAUNCH_SECURITY)
  if (kinds.length > 1)
    return [invalid(`${at}.launchSecurity`, `only one of ${LAUNCH_SECURITY.join(', ')} can be set`)]
  if (kinds.length === 0) return []
  const efi = domain.firmware?.bootloader?.efi
  if (efi?.secureBoot !== false)
    return [
      invalid(
        `${at}.launchSecurity`,
        `${String(kinds[0])} requires EFI firmware with secureBoot set to false`,
      ),
    ]
  return []
}
