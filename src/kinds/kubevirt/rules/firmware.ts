// Machine type and firmware: what the guest is started with.
import type { Cause } from '../../../base/errors.ts'
import type { Domain, InstanceSpec } from '../types.ts'
import { invalid, notSupported, present, required } from './causes.ts'
import { imagePathCauses } from './volumes.ts'

export const ARCHITECTURES: readonly string[] = ['amd64', 'arm64', 's390x']
/** Machine types a machine may ask for; the resolved, versioned one is recorded in the status. */
const MACHINE_TYPES: Readonly<Record<string, readonly string[]>> = {
  amd64: ['q35*', 'pc-q35*'],
  arm64: ['virt*'],
  s390x: ['s390-ccw-virtio*'],
}
export const DEFAULT_MACHINE_TYPES: Readonly<Record<string, string>> = {
  amd64: 'q35',
  arm64: 'virt',
  s390x: 's390-ccw-virtio',
}
const UUID = /^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/
const SMBIOS_SERIAL_MAX = 256

export function firmwareCauses(spec: InstanceSpec, at: string): readonly Cause[] {
  const domain = spec.domain
  return [
    ...machineTypeCauses(spec, `${at}.domain.machine.type`),
    ...identityCauses(domain, `${at}.domain.firmware`),
    ...bootloaderCauses(domain, `${at}.domain`),
    ...kernelBootCauses(domain, `${at}.domain.firmware.kernelBoot`),
    ...acpiCauses(spec, `${at}.domain.firmware.acpi`),
  ]
}

/** Whether `pattern`, which may end in `*`, allows `type`. */
function allows(pattern: string, type: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
}

function machineTypeCauses(spec: InstanceSpec, field: string): readonly Cause[] {
  const type = spec.domain.machine?.type
  const allowed = MACHINE_TYPES[spec.architecture || 'amd64'] ?? []
  if (!type || allowed.some((pattern) => allows(pattern, type))) return []
  return [notSupported(field, `${field} is not supported: ${type} (allowed values: [${allowed.join(' ')}])`)]
}

function identityCauses({ firmware }: Domain, field: string): readonly Cause[] {
  const causes: Cause[] = []
  if (firmware?.uuid && !UUID.test(firmware.uuid))
    causes.push(invalid(`${field}.uuid`, `${field}.uuid '${firmware.uuid}' is not a UUID.`))
  const serial = firmware?.serial ?? ''
  if (serial.length > SMBIOS_SERIAL_MAX)
    causes.push(
      invalid(
        `${field}.serial`,
        `${field}.serial must be less than or equal to ${SMBIOS_SERIAL_MAX} in length`,
      ),
    )
  if (!/^[A-Za-z0-9_.+-]*$/.test(serial))
    causes.push(
      invalid(
        `${field}.serial`,
        `${field}.serial must be made up of the following characters [A-Za-z0-9_.+-]`,
      ),
    )
  return causes
}

function bootloaderCauses(domain: Domain, at: string): readonly Cause[] {
  const { bios, efi } = domain.firmware?.bootloader ?? {}
  if (bios && efi)
    return [
      invalid(
        `${at}.firmware.bootloader.efi`,
        `${at}.firmware.bootloader has both EFI and BIOS configured, but they are mutually exclusive.`,
      ),
    ]
  const smm = domain.features?.smm
  // secureBoot is on unless it is turned off.
  if (efi && efi.secureBoot !== false && !(smm && smm.enabled !== false))
    return [
      invalid(
        `${at}.features`,
        `${at} has EFI SecureBoot enabled. SecureBoot requires SMM, which is currently disabled: set ${at}.features.smm.enabled to true, or ${at}.firmware.bootloader.efi.secureBoot to false.`,
      ),
    ]
  return []
}

function kernelBootCauses({ firmware }: Domain, field: string): readonly Cause[] {
  const boot = firmware?.kernelBoot
  if (!boot) return []
  const { container, kernelArgs } = boot
  if (!container)
    return kernelArgs
      ? [invalid(`${field}.kernelArgs`, 'kernel arguments cannot be provided without an external kernel')]
      : []
  const causes: Cause[] = []
  if (!container.image)
    causes.push(
      required(`${field}.container.image`, `${field}.container.image must be defined with an image`),
    )
  if (!container.kernelPath && !container.initrdPath)
    causes.push(
      required(
        `${field}.container`,
        `${field}.container must have at least one of the following: kernelPath, initrdPath`,
      ),
    )
  for (const name of ['kernelPath', 'initrdPath'] as const)
    if (container[name]) causes.push(...imagePathCauses(container[name], `${field}.container.${name}`))
  return causes
}

function acpiCauses(spec: InstanceSpec, field: string): readonly Cause[] {
  const acpi = spec.domain.firmware?.acpi
  return present(acpi, ['slicNameRef', 'msdmNameRef']).flatMap((name) => {
    const wanted = acpi?.[name]
    const volume = spec.volumes?.find((item) => item.name === wanted)
    if (!volume) return [invalid(field, `${field} (${wanted}) does not have a matching Volume`)]
    return volume.secret
      ? []
      : [invalid(field, `${field} (${wanted}) refers to Volume of unsupported type; it must be a secret`)]
  })
}
