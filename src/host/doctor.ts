// What this machine lacks, why it is wanted and what to do: the checks behind `croft doctor`. Facts are gathered
// through the ports; what they mean is decided by a pure function, so that every verdict can be tested.
import type { Failure } from '../base/result.ts'
import type { Host } from './host.ts'

export interface WantedProgram {
  /** A program on PATH, or a file when it starts with a slash. */
  readonly program: string
  /** Debian's and Ubuntu's package. */
  readonly package: string
  readonly why: string
  /** Without it no machine runs at all; the others each take one ability away. */
  readonly essential: boolean
}

export const WANTED: readonly WantedProgram[] = [
  {
    program: 'qemu-system-x86_64',
    package: 'qemu-system-x86',
    why: 'runs the virtual machines',
    essential: true,
  },
  { program: 'qemu-img', package: 'qemu-utils', why: 'makes and converts disk images', essential: true },
  {
    program: 'qemu-storage-daemon',
    package: 'qemu-system-common',
    why: 'serves the replicas of a volume',
    essential: true,
  },
  { program: 'perl', package: 'perl-base', why: 'starts all other programs', essential: true },
  { program: 'openssl', package: 'openssl', why: 'makes the certificates', essential: true },
  { program: '/usr/share/OVMF/OVMF_CODE_4M.fd', package: 'ovmf', why: 'boots UEFI guests', essential: false },
  { program: 'ip', package: 'iproute2', why: 'lays the bridge of the default network', essential: false },
  {
    program: 'nft',
    package: 'nftables',
    why: "translates and filters the guests' addresses",
    essential: false,
  },
  {
    program: 'dnsmasq',
    package: 'dnsmasq-base',
    why: 'answers DHCP and DNS of the guests',
    essential: false,
  },
  { program: 'swtpm', package: 'swtpm', why: 'gives guests a TPM', essential: false },
  { program: 'xz', package: 'xz-utils', why: 'unpacks images that end in .xz', essential: false },
  { program: 'zstd', package: 'zstd', why: 'unpacks images that end in .zst', essential: false },
]

/** QEMU of Debian 12; older ones lack what the disks need. */
const QEMU_FLOOR = [7, 2] as const
/** A first image and a first disk. Bytes. */
const SPACE_WANTED_BYTES = 10 * 2 ** 30
/** Below this even the state database is in danger. Bytes. */
const SPACE_NEEDED_BYTES = 2 ** 30
/** Croft itself, QEMU and one guest of 512 MiB. Bytes. */
const MEMORY_WANTED_BYTES = 2 ** 30
const COMMAND_TIMEOUT_MS = 10_000

export interface HostFacts {
  /** Programs of WANTED that are not there. */
  readonly missing: readonly string[]
  /** What `qemu-system-x86_64 --version` says, when it is there. */
  readonly qemuVersion: string | undefined
  readonly hasApt: boolean
  readonly isRoot: boolean
  readonly cgroup: 'v2' | 'v1' | 'none'
  readonly systemd: boolean
  /** /dev/kvm is there; whether it really runs guests only a guest can tell. */
  readonly kvm: boolean
  readonly memoryBytes: number
  readonly dataFolder: string
  /** Free space of the data folder's disk; undefined when it cannot be told. */
  readonly freeBytes: number | undefined
  /** Why nothing can be written there, when that is so. */
  readonly writeFailure: Failure | undefined
  readonly address: { readonly host: string; readonly port: number }
  /** Why the address cannot be listened on, when that is so. */
  readonly listenFailure: Failure | undefined
}

export interface Check {
  readonly name: string
  /** `bad`: croft cannot do its work. `poor`: it can, with less. */
  readonly verdict: 'good' | 'poor' | 'bad'
  readonly message: string
  /** What to do, as a sentence or a command; absent when all is good. */
  readonly fix?: string
}

export interface DoctorOptions {
  readonly dataFolder: string
  readonly address: { readonly host: string; readonly port: number }
}

// --- facts ---

export async function gatherFacts(host: Host, { dataFolder, address }: DoctorOptions): Promise<HostFacts> {
  const { files } = host
  const exists = async (path: string): Promise<boolean> => (await files.stat(path)).ok
  const folder = await nearestFolder(host, dataFolder)
  const [missing, qemuVersion, space, writeFailure, listenFailure] = await Promise.all([
    missingPrograms(host),
    qemuVersionOf(host),
    files.space(folder),
    tryWriting(host, folder),
    tryListening(host, address),
  ])
  return {
    missing,
    qemuVersion,
    hasApt: (await host.exec.find('apt-get')) !== undefined,
    isRoot: /^Uid:\s+\d+\s+0\s/m.test(await textOf(host, '/proc/self/status')),
    cgroup: (await exists('/sys/fs/cgroup/cgroup.controllers'))
      ? 'v2'
      : (await exists('/sys/fs/cgroup/memory'))
        ? 'v1'
        : 'none',
    systemd: await exists('/run/systemd/system'),
    kvm: await exists('/dev/kvm'),
    memoryBytes:
      1024 * Number(/^MemAvailable:\s+(\d+) kB/m.exec(await textOf(host, '/proc/meminfo'))?.[1] ?? 0),
    dataFolder,
    freeBytes: space.ok ? space.value.freeBytes : undefined,
    writeFailure,
    address,
    listenFailure,
  }
}

async function missingPrograms({ exec, files }: Host): Promise<readonly string[]> {
  const found = await Promise.all(
    WANTED.map(async ({ program }) =>
      program.startsWith('/') ? (await files.stat(program)).ok : (await exec.find(program)) !== undefined,
    ),
  )
  return WANTED.filter((_, index) => !found[index]).map(({ program }) => program)
}

async function qemuVersionOf({ exec }: Host): Promise<string | undefined> {
  const said = await exec.run(['qemu-system-x86_64', '--version'], { timeoutMs: COMMAND_TIMEOUT_MS })
  return said.ok ? /version (\d+\.\d+(\.\d+)?)/.exec(said.value.stdout)?.[1] : undefined
}

async function textOf({ files }: Host, path: string): Promise<string> {
  const read = await files.readText(path)
  return read.ok ? read.value : ''
}

/** The folder itself, or what is there of the way to it. */
async function nearestFolder(host: Host, path: string): Promise<string> {
  if (path === '/' || path === '' || (await host.files.stat(path)).ok) return path === '' ? '/' : path
  return nearestFolder(host, path.slice(0, path.lastIndexOf('/')))
}

async function tryWriting({ files, random }: Host, folder: string): Promise<Failure | undefined> {
  const path = `${folder}/.croft-doctor-${random.uuid()}`
  const written = await files.writeDurable(path, 'x')
  await files.remove(path)
  return written.ok ? undefined : written.failure
}

async function tryListening({ net }: Host, address: HostFacts['address']): Promise<Failure | undefined> {
  const listening = await net.listenStream(address, (stream) => stream.close())
  if (!listening.ok) return listening.failure
  await listening.value.close(0)
  return undefined
}

// --- verdicts ---

export function diagnose(facts: HostFacts): readonly Check[] {
  return [
    ...WANTED.map((wanted) => programCheck(wanted, facts)),
    ...versionCheck(facts),
    kvmCheck(facts),
    rootCheck(facts),
    cgroupCheck(facts),
    systemdCheck(facts),
    memoryCheck(facts),
    folderCheck(facts),
    spaceCheck(facts),
    addressCheck(facts),
  ]
}

/** One command that brings all that is missing, or undefined when nothing is. */
export function installCommand(facts: HostFacts): string | undefined {
  const packages = WANTED.filter(({ program }) => facts.missing.includes(program)).map(
    (wanted) => wanted.package,
  )
  if (packages.length === 0) return undefined
  const names = [...new Set(packages)].join(' ')
  if (!facts.hasApt) return `install with this system's package manager (Debian's names): ${names}`
  return `${facts.isRoot ? '' : 'sudo '}apt-get install -y --no-install-recommends ${names}`
}

function programCheck(wanted: WantedProgram, facts: HostFacts): Check {
  const { program, why, essential } = wanted
  if (!facts.missing.includes(program)) return { name: program, verdict: 'good', message: why }
  const only = { ...facts, missing: [program] }
  return {
    name: program,
    verdict: essential ? 'bad' : 'poor',
    message: `missing; it ${why}`,
    fix: installCommand(only) ?? '',
  }
}

function versionCheck({ qemuVersion }: HostFacts): readonly Check[] {
  if (qemuVersion === undefined) return []
  const [major = 0, minor = 0] = qemuVersion.split('.').map(Number)
  const old = major < QEMU_FLOOR[0] || (major === QEMU_FLOOR[0] && minor < QEMU_FLOOR[1])
  const name = 'QEMU version'
  if (!old) return [{ name, verdict: 'good', message: qemuVersion }]
  return [
    {
      name,
      verdict: 'bad',
      message: `${qemuVersion} is too old; ${QEMU_FLOOR.join('.')} is the oldest that works`,
      fix: 'upgrade to Debian 12, Ubuntu 24.04 or newer',
    },
  ]
}

function kvmCheck({ kvm }: HostFacts): Check {
  if (kvm) return { name: 'KVM', verdict: 'good', message: '/dev/kvm is there' }
  return {
    name: 'KVM',
    verdict: 'poor',
    message: 'no /dev/kvm: guests are emulated, five to twenty times slower',
    fix: 'switch on virtualisation (VT-x, AMD-V) in the firmware, or nested virtualisation in the outer host, then: modprobe kvm-intel || modprobe kvm-amd',
  }
}

function rootCheck({ isRoot }: HostFacts): Check {
  if (isRoot) return { name: 'root', verdict: 'good', message: 'runs as root' }
  return {
    name: 'root',
    verdict: 'poor',
    message:
      "not root: guests reach out through QEMU's own network, nothing reaches in, and they share one user",
    fix: 'start croft as root for bridges and one unprivileged user a guest',
  }
}

function cgroupCheck({ cgroup, isRoot }: HostFacts): Check {
  if (cgroup !== 'none') return { name: 'cgroups', verdict: 'good', message: cgroup }
  return {
    name: 'cgroups',
    verdict: isRoot ? 'poor' : 'good',
    message: 'none: guests run without limits of their own',
    fix: 'mount -t cgroup2 none /sys/fs/cgroup',
  }
}

function systemdCheck({ systemd }: HostFacts): Check {
  if (systemd)
    return { name: 'systemd', verdict: 'good', message: 'runs here; "croft install" starts croft at boot' }
  return {
    name: 'systemd',
    verdict: 'poor',
    message: 'does not run here: after a reboot nobody starts croft',
    fix: 'have your own init run "croft up" at boot',
  }
}

function memoryCheck({ memoryBytes }: HostFacts): Check {
  const message = `${sizeText(memoryBytes)} available`
  if (memoryBytes >= MEMORY_WANTED_BYTES) return { name: 'memory', verdict: 'good', message }
  return { name: 'memory', verdict: 'poor', message, fix: 'free memory before you start guests' }
}

function folderCheck({ dataFolder, writeFailure }: HostFacts): Check {
  if (writeFailure === undefined)
    return { name: 'data folder', verdict: 'good', message: `${dataFolder} is writable` }
  return {
    name: 'data folder',
    verdict: 'bad',
    message: `${dataFolder} cannot be written: ${writeFailure.message}`,
    fix: 'start croft as root, or choose another folder with --data',
  }
}

function spaceCheck({ dataFolder, freeBytes }: HostFacts): Check {
  const name = 'disk space'
  if (freeBytes === undefined)
    return { name, verdict: 'poor', message: `cannot be told for ${dataFolder}`, fix: 'check the disk' }
  const message = `${sizeText(freeBytes)} free for ${dataFolder}`
  if (freeBytes >= SPACE_WANTED_BYTES) return { name, verdict: 'good', message }
  return {
    name,
    verdict: freeBytes < SPACE_NEEDED_BYTES ? 'bad' : 'poor',
    message,
    fix: 'free some space, or choose a folder on a larger disk with --data',
  }
}

function addressCheck({ address, listenFailure }: HostFacts): Check {
  const name = 'address'
  const text = `${address.host}:${address.port}`
  if (listenFailure === undefined) return { name, verdict: 'good', message: `${text} is free` }
  if (listenFailure.reason === 'AddressInUse')
    return {
      name,
      verdict: 'bad',
      message: `${text} is in use`,
      fix: `if that is not croft itself: stop the other program (ss -ltnp sport = :${address.port}), or choose another with --listen`,
    }
  return { name, verdict: 'bad', message: listenFailure.message, fix: 'choose another with --listen' }
}

function sizeText(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`
}
