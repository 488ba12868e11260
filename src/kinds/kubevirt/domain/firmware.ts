// What the guest finds before its operating system: firmware, machine type, chassis, launch security.
import { s } from '../../build.ts'

export const acpi = s.object({
  msdmNameRef: s.string(),
  slicNameRef: s.string(),
})

export const bios = s.object({
  useSerial: s.boolean(),
})

export const efi = s.object({
  persistent: s.boolean(),
  secureBoot: s.boolean(),
})

export const bootloader = s.object({
  bios: bios,
  efi: efi,
})

export const kernelBootContainer = s.object(
  {
    image: s.string(),
    imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never']),
    imagePullSecret: s.string(),
    initrdPath: s.string(),
    kernelPath: s.string(),
  },
  undefined,
  { required: ['image'] },
)

export const kernelBoot = s.object({
  container: kernelBootContainer,
  kernelArgs: s.string(),
})

export const firmware = s.object({
  acpi: acpi,
  bootloader: bootloader,
  kernelBoot: kernelBoot,
  serial: s.string(),
  uuid: s.string(),
})

export const machine = s.object({
  type: s.string(),
})

export const chassis = s.object({
  asset: s.string(),
  manufacturer: s.string(),
  serial: s.string(),
  sku: s.string(),
  version: s.string(),
})

export const sevAttestation = s.object({})

export const sevPolicy = s.object({
  encryptedState: s.boolean(),
})

export const sev = s.object({
  attestation: sevAttestation,
  dhCert: s.string(),
  policy: sevPolicy,
  session: s.string(),
})

export const sevsnp = s.object({})

export const tdx = s.object({})

export const launchSecurity = s.object({
  sev: sev,
  snp: sevsnp,
  tdx: tdx,
})
