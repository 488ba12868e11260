// What the plan must know of the host and its QEMU; gathered once by machine/host-facts.ts.

export interface QemuVersion {
  readonly major: number
  readonly minor: number
  readonly micro: number
}

export interface Accelerator {
  readonly kind: 'kvm' | 'tcg'
  /** Why it is this one, for the Node's condition and for people. */
  readonly reason: string
}

/** A firmware image and the template of its variable store. */
export interface FirmwarePair {
  readonly code: string
  readonly vars: string
}

export interface RunAs {
  readonly uid: number
  readonly gid: number
  /** Supplementary groups, for instance the one that owns /dev/kvm. */
  readonly groups: readonly number[]
}

/**
 * User and group of machines and of what serves them, where Croft runs as root: nobody's, outside the numbers that
 * distributions give away.
 */
export const MACHINE_USER: RunAs = { uid: 64107, gid: 64107, groups: [] }

export interface CpuModel {
  readonly name: string
  /** Features the host lacks for this model; empty means usable. */
  readonly unavailableFeatures: readonly string[]
}

export interface HostFacts {
  /** Why no machine can run here at all, with what to do; the rest of the facts is then empty. */
  readonly missing?: { readonly reason: 'QemuMissing' | 'QemuUnusable'; readonly message: string }
  readonly arch: 'amd64' | 'arm64'
  readonly qemu: {
    readonly binary: string
    readonly version: QemuVersion
    /** All of the q35 family, versioned. */
    readonly machineTypes: readonly string[]
    /** What `q35` stands for, for instance `pc-q35-7.2`. */
    readonly defaultMachineType: string
    readonly cpuModels: readonly CpuModel[]
  }
  readonly accelerator: Accelerator
  readonly firmware: { readonly uefi?: FirmwarePair; readonly secureBoot?: FirmwarePair }
  /** Absolute path of swtpm. */
  readonly swtpm?: string
  /** Absent: machines run as the user that Croft runs as. */
  readonly runAs?: RunAs
}

export function atLeast(version: QemuVersion, major: number, minor = 0): boolean {
  return version.major > major || (version.major === major && version.minor >= minor)
}

export function versionText({ major, minor, micro }: QemuVersion): string {
  return `${major}.${minor}.${micro}`
}
