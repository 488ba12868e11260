// Firmware: BIOS or UEFI, Secure Boot, variable store, SMBIOS identity, TPM.
import type { HostFacts } from './facts.ts'
import {
  blockdev,
  type Domain,
  device,
  escaped,
  type Part,
  type PlanProblem,
  type ProblemReason,
  problem,
} from './part.ts'

export interface FirmwareInput {
  readonly domain: Domain
  readonly uuid: string
  readonly facts: HostFacts
  readonly folder: string
  /** Survives this run of the machine: variables and TPM state that are asked to persist. */
  readonly stateFolder: string
}

export function usesEfi(domain: Domain): boolean {
  return domain.firmware?.bootloader?.efi !== undefined
}

export function planFirmware(input: FirmwareInput): Part {
  const { domain, uuid } = input
  const boot = usesEfi(domain) ? efi(input) : bios(domain)
  const problems = [...(boot.problems ?? []), ...unsupported(domain)]
  return { ...boot, argv: [...boot.argv, '-uuid', uuid, ...smbios(domain, uuid)], problems }
}

function bios(domain: Domain): Part {
  // SeaBIOS writes to the serial port when QEMU tells it that there is no screen.
  return { argv: [], machine: domain.firmware?.bootloader?.bios?.useSerial ? ['graphics=off'] : [] }
}

function efi({ domain, facts, folder, stateFolder }: FirmwareInput): Part {
  const { secureBoot = true, persistent = false } = domain.firmware?.bootloader?.efi ?? {}
  const pair = secureBoot ? facts.firmware.secureBoot : facts.firmware.uefi
  if (!pair)
    return refusal(
      'FirmwareMissing',
      `no UEFI firmware${secureBoot ? ' with Secure Boot' : ''} is installed on this node: apt-get install ovmf`,
      'spec.domain.firmware.bootloader.efi',
    )
  const home = persistent ? stateFolder : folder
  const vars = `${home}/nvram.fd`
  return {
    argv: [
      ...blockdev({
        driver: 'file',
        'node-name': 'pflash-code',
        filename: pair.code,
        'read-only': true,
        'auto-read-only': false,
      }),
      ...blockdev({ driver: 'file', 'node-name': 'pflash-vars', filename: vars, 'read-only': false }),
      ...(secureBoot ? ['-global', 'driver=cfi.pflash01,property=secure,value=on'] : []),
    ],
    machine: ['pflash0=pflash-code', 'pflash1=pflash-vars', ...(secureBoot ? ['smm=on'] : [])],
    files: [
      ...(persistent ? [{ do: 'folder' as const, path: home, mode: 0o700 }] : []),
      // The variables of this machine are never overwritten: boot entries and keys live there.
      { do: 'copy', from: pair.vars, to: vars, keepExisting: true },
    ],
  }
}

/** What a guest reads as its hardware; manufacturer and family are those that KubeVirt's guests know. */
function smbios({ firmware, chassis }: Domain, uuid: string): readonly string[] {
  const system = Object.entries({
    manufacturer: 'KubeVirt',
    product: 'None',
    serial: firmware?.serial,
    uuid,
    family: 'KubeVirt',
  })
  const box = Object.entries({ ...chassis })
  return [...smbiosArgument(1, system), ...(box.length > 0 ? smbiosArgument(3, box) : [])]
}

function smbiosArgument(
  type: number,
  entries: readonly (readonly [string, string | undefined])[],
): readonly string[] {
  const words = entries.flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [`${key}=${escaped(value)}`],
  )
  return ['-smbios', [`type=${type}`, ...words].join(',')]
}

function unsupported({ firmware, launchSecurity }: Domain): readonly PlanProblem[] {
  const found: PlanProblem[] = []
  if (firmware?.kernelBoot)
    found.push(
      problem(
        'DeviceUnsupported',
        'a kernel from a container image cannot be booted: boot from a disk',
        'spec.domain.firmware.kernelBoot',
      ),
    )
  if (firmware?.acpi)
    found.push(
      problem(
        'DeviceUnsupported',
        'ACPI tables from secrets are not supported yet: remove firmware.acpi',
        'spec.domain.firmware.acpi',
      ),
    )
  if (launchSecurity)
    found.push(
      problem(
        'DeviceUnsupported',
        'encrypted guests (SEV, TDX) are not supported yet: remove launchSecurity',
        'spec.domain.launchSecurity',
      ),
    )
  return found
}

export function planTpm({ domain, facts, folder, stateFolder }: FirmwareInput, socketFolder: string): Part {
  const tpm = domain.devices.tpm
  if (!tpm || tpm.enabled === false) return { argv: [] }
  if (!facts.swtpm)
    return refusal(
      'TpmMissing',
      'swtpm, which emulates the TPM, is not installed on this node: apt-get install swtpm',
      'spec.domain.devices.tpm',
    )
  const home = tpm.persistent ? stateFolder : folder
  const state = `${home}/tpm`
  const socket = `${socketFolder}/swtpm.sock`
  return {
    files: [
      { do: 'folder', path: home, mode: 0o700 },
      { do: 'folder', path: state, mode: 0o700 },
    ],
    companions: [
      {
        name: 'swtpm',
        socket,
        argv: [
          facts.swtpm,
          'socket',
          '--tpm2',
          '--tpmstate',
          `dir=${state}`,
          '--ctrl',
          `type=unixio,path=${socket}`,
        ],
      },
    ],
    argv: [
      '-chardev',
      `socket,id=tpm0,path=${escaped(socket)}`,
      '-tpmdev',
      'emulator,id=tpmdev0,chardev=tpm0',
      ...device(tpm.persistent ? 'tpm-crb' : 'tpm-tis', { id: 'ua-tpm', tpmdev: 'tpmdev0' }),
    ],
  }
}

function refusal(reason: ProblemReason, message: string, field: string): Part {
  return { argv: [], problems: [problem(reason, message, field)] }
}
