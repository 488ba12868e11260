// What the guest finds before its operating system: firmware, machine type, chassis, launch security.
import { s } from '../../build.ts'

export const acpi = s.object(
  {
    msdmNameRef: s.string('Volume with the MSDM table.'),
    slicNameRef: s.string('Volume with the SLIC table.'),
  },
  'Tables from Secrets that the guest finds in its firmware.',
)

export const bios = s.object(
  {
    useSerial: s.boolean("Shows the firmware's words on the serial console."),
  },
  'Starts with SeaBIOS.',
)

export const efi = s.object(
  {
    persistent: s.boolean('Keeps what the guest writes into its firmware variables.'),
    secureBoot: s.boolean('Starts signed code only; on unless it is turned off, and needs features.smm.'),
  },
  'Starts with UEFI.',
)

export const bootloader = s.object(
  {
    bios: s.doc(bios, 'SeaBIOS; so it is when nothing is said.'),
    efi: s.doc(efi, 'UEFI.'),
  },
  'Which firmware starts the guest.',
)

export const kernelBootContainer = s.object(
  {
    image: s.string('Name of the image.'),
    imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never'], 'When the image is fetched again.'),
    imagePullSecret: s.string('Secret for fetching the image.'),
    initrdPath: s.string('Path of the initial RAM disk in the image.'),
    kernelPath: s.string('Path of the kernel in the image.'),
  },
  'Image that holds a kernel and an initial RAM disk.',
  { required: ['image'] },
)

export const kernelBoot = s.object(
  {
    container: s.doc(kernelBootContainer, 'Image with the kernel.'),
    kernelArgs: s.string('Command line of the kernel.'),
  },
  'Starts a kernel without a bootloader.',
)

export const firmware = s.object(
  {
    acpi: s.doc(acpi, 'Additional ACPI tables.'),
    bootloader: s.doc(bootloader, 'BIOS or UEFI.'),
    kernelBoot: s.doc(kernelBoot, 'Starts a kernel directly.'),
    serial: s.string('Serial number of the system; made once and kept.'),
    uuid: s.string('UUID of the system; made once and kept.'),
  },
  'What starts the guest, and the identity it shows.',
)

export const machine = s.object(
  {
    type: s.string('For instance q35; the exact version in use is in the status.'),
  },
  'The virtual mainboard.',
)

export const chassis = s.object(
  {
    asset: s.string('Asset tag.'),
    manufacturer: s.string('Name of the maker.'),
    serial: s.string('Serial number of the case.'),
    sku: s.string('Stock number.'),
    version: s.string('Version of the case.'),
  },
  'What the guest reads about its case.',
)

export const sevAttestation = s.object({}, 'Stops before start until the launch is attested.')

export const sevPolicy = s.object(
  {
    encryptedState: s.boolean('Encrypts the registers too (SEV-ES).'),
  },
  'What SEV guards.',
)

export const sev = s.object(
  {
    attestation: s.doc(sevAttestation, 'Waits for attestation.'),
    dhCert: s.string("Certificate of the guest's owner, in base64."),
    policy: s.doc(sevPolicy, 'What is guarded.'),
    session: s.string("Session of the guest's owner, in base64."),
  },
  "Encrypts the guest's memory with AMD SEV.",
)

export const sevsnp = s.object({}, "Encrypts and guards the guest's memory with AMD SEV-SNP.")

export const tdx = s.object({}, "Encrypts and guards the guest's memory with Intel TDX.")

export const launchSecurity = s.object(
  {
    sev: s.doc(sev, 'AMD SEV.'),
    snp: s.doc(sevsnp, 'AMD SEV-SNP.'),
    tdx: s.doc(tdx, 'Intel TDX.'),
  },
  "Hides the guest's memory from the host.",
)
