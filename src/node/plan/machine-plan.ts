// From a VirtualMachineInstance, its prepared volumes and networks and the facts of the host to QEMU's command line
// and all that must be done around it. Pure: the same input gives the same machine.
import { SOCKET_PATH_MAX } from '../../base/limits.ts'
import { sha256Hex } from '../../base/sha256.ts'
import type { PlannedVolume } from './backing.ts'
import { planClock } from './clock.ts'
import { type CpuTopology, cpuTopology, planCpu } from './cpu.ts'
import { type MachineSockets, planDevices } from './devices.ts'
import { hasBootOrder, type PlannedDisk, planDisks } from './disks.ts'
import type { HostFacts } from './facts.ts'
import { planFirmware, planTpm } from './firmware.ts'
import { guestMemoryBytes, planMemory } from './memory.ts'
import type { NicAttachment } from './nic.ts'
import { type PlannedNic, planNics } from './nics.ts'
import {
  type Companion,
  escaped,
  type FileStep,
  joinParts,
  type Part,
  type PlanProblem,
  problem,
  type QmpStep,
  type VmiSpec,
} from './part.ts'
import { pciLayout, sparePorts } from './pci.ts'

export interface MachineInput {
  readonly vmi: {
    readonly namespace: string
    readonly name: string
    readonly uid: string
    readonly annotations: Readonly<Record<string, string>>
    readonly spec: VmiSpec
  }
  readonly volumes: readonly PlannedVolume[]
  readonly networks: readonly NicAttachment[]
  readonly facts: HostFacts
  /** The folder of this incarnation of the machine. */
  readonly folder: string
  /** Where its sockets are: the folder itself, or a short one elsewhere. */
  readonly socketFolder: string
  /** Survives the incarnation: persistent firmware variables and TPM state. */
  readonly stateFolder: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** Versioned type that this machine was started with before, to be kept. */
  readonly recordedMachineType?: string
}

export interface MachinePlan {
  /** QEMU and its arguments, without what the runner puts before it (user, cgroup, network namespace). */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly files: readonly FileStep[]
  readonly companions: readonly Companion[]
  /** Before the guest runs its first instruction. */
  readonly qmpSteps: readonly QmpStep[]
  /** The user asked for a machine that stays paused. */
  readonly startPaused: boolean
  readonly sockets: MachineSockets
  readonly uuid: string
  readonly machineType: string
  readonly cpu: CpuTopology
  readonly memoryBytes: number
  readonly disks: readonly PlannedDisk[]
  readonly nics: readonly PlannedNic[]
  /** Root ports free for hot-plug. */
  readonly spareBuses: readonly string[]
  readonly netns?: string
  readonly notes: readonly string[]
}

export type PlanAnswer =
  | { readonly ok: true; readonly plan: MachinePlan }
  | { readonly ok: false; readonly problems: readonly PlanProblem[] }

export function planMachine(input: MachineInput): PlanAnswer {
  const { vmi, facts, folder, stateFolder, socketFolder } = input
  if (facts.missing) return { ok: false, problems: [facts.missing] }
  const { spec } = vmi
  const { domain } = spec
  const type = machineType(input)
  const sockets = socketsOf(spec, socketFolder)
  const pci = pciLayout()
  const cpu = cpuTopology(domain)
  const memoryBytes = guestMemoryBytes(domain) ?? 0
  const uuid = machineUuid(vmi)
  const firmwareInput = { domain, uuid, facts, folder, stateFolder }
  // Interfaces come first, so that adding a disk does not rename them in the guest.
  const nics = planNics({ spec, networks: input.networks, facts, pci })
  const disks = planDisks({ spec, volumes: input.volumes, facts, pci, folder, vcpus: cpu.vcpus })
  const devices = planDevices({
    spec,
    annotations: vmi.annotations,
    sockets,
    folder,
    pci,
    usesUsb: disks.usesUsb,
  })
  const ports = pci.finish((used) => sparePorts(memoryBytes, used, domain.devices.disableHotplug !== true))
  const base = joinParts([
    planCpu(domain, facts),
    planMemory(domain),
    planFirmware(firmwareInput),
    planClock(domain, facts, input.now),
  ])
  // USB disks hang on the controller that the small devices bring along, so those stand before the disks.
  const rest = joinParts([planTpm(firmwareInput, socketFolder), ...devices, nics, disks])
  const whole = joinParts([
    base,
    { ...rest, argv: [...ports.argv, ...rest.argv], problems: [...rest.problems, ...ports.problems] },
  ])
  const problems = [...type.problems, ...whole.problems, ...pathProblems(sockets)]
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    plan: {
      argv: [facts.qemu.binary, ...fixedArguments(input, type.name, whole), ...whole.argv],
      env: whole.env,
      files: whole.files,
      companions: whole.companions,
      qmpSteps: whole.qmp,
      startPaused: spec.startStrategy === 'Paused',
      sockets,
      uuid,
      machineType: type.name,
      cpu,
      memoryBytes,
      disks: disks.disks,
      nics: nics.nics,
      spareBuses: ports.spareBuses,
      ...(nics.netns === undefined ? {} : { netns: nics.netns }),
      notes: whole.notes,
    },
  }
}

function fixedArguments(
  { vmi, facts }: MachineInput,
  type: string,
  whole: Required<Part>,
): readonly string[] {
  const { spec } = vmi
  const { acpi } = spec.domain.features ?? {}
  const smm = spec.domain.features?.smm
  const machine = [
    type,
    'vmport=off',
    'dump-guest-core=off',
    ...(acpi?.enabled === false ? ['acpi=off'] : []),
    ...(smm && !whole.machine.includes('smm=on') ? [`smm=${smm.enabled === false ? 'off' : 'on'}`] : []),
    ...whole.machine,
  ]
  return [
    '-name',
    `guest=${escaped(`${vmi.namespace}_${vmi.name}`)},process=${escaped(processName(vmi.name))},debug-threads=on`,
    '-no-user-config',
    '-nodefaults',
    '-S',
    // The guest's end leaves QEMU in a state that can be read, so that it is known even when nobody was listening.
    '-action',
    'shutdown=pause,panic=pause,reboot=reset',
    '-sandbox',
    'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny',
    '-msg',
    'timestamp=on',
    '-machine',
    machine.join(','),
    '-accel',
    accelerator(facts, vmi.spec),
    '-boot',
    bootArgument(spec),
  ]
}

/**
 * The UUID that the guest sees: the one of its firmware, else one made from its name, so that it is the same at the
 * next start.
 */
export function machineUuid(vmi: {
  readonly namespace: string
  readonly name: string
  readonly spec: VmiSpec
}): string {
  const given = vmi.spec.domain.firmware?.uuid
  if (given) return given
  const hex = sha256Hex(`${vmi.namespace}/${vmi.name}`)
  const variant = ((Number.parseInt(hex.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(18, 20),
    hex.slice(20, 32),
  ].join('-')
}

/** The kernel keeps 15 characters of a process name. */
function processName(name: string): string {
  return `vm:${name}`.slice(0, 15)
}

/** Translated code of a small guest needs little room; a bigger guest gets more, so that it is not thrown away. */
function accelerator(facts: HostFacts, spec: VmiSpec): string {
  if (facts.accelerator.kind === 'kvm') return 'kvm'
  const bytes = guestMemoryBytes(spec.domain) ?? 0
  return `tcg,thread=multi,tb-size=${bytes > 512 * 1024 * 1024 ? 256 : 64}`
}

/** A machine that starts paused shows its boot menu for 10 s, as KubeVirt does. */
function bootArgument(spec: VmiSpec): string {
  const menu = spec.startStrategy === 'Paused' ? ['menu=on', 'splash-time=10000'] : ['menu=off']
  return [...menu, `strict=${hasBootOrder(spec) ? 'on' : 'off'}`].join(',')
}

function machineType({ vmi, facts, recordedMachineType }: MachineInput): {
  readonly name: string
  readonly problems: readonly PlanProblem[]
} {
  const asked = recordedMachineType ?? (vmi.spec.domain.machine?.type || 'q35')
  if (asked === 'q35' || asked === 'pc-q35') return { name: facts.qemu.defaultMachineType, problems: [] }
  if (facts.qemu.machineTypes.includes(asked)) return { name: asked, problems: [] }
  const text = `machine type ${asked} is not known to this node's QEMU: use q35, or one of ${facts.qemu.machineTypes.join(', ')}`
  return { name: asked, problems: [problem('MachineTypeUnknown', text, 'spec.domain.machine.type')] }
}

function socketsOf({ domain }: VmiSpec, folder: string): MachineSockets {
  const { autoattachSerialConsole, autoattachGraphicsDevice } = domain.devices
  return {
    qmp: `${folder}/qmp.sock`,
    rescue: `${folder}/rescue.sock`,
    agent: `${folder}/agent.sock`,
    ...(autoattachSerialConsole === false ? {} : { serial: `${folder}/serial.sock` }),
    ...(autoattachGraphicsDevice === false ? {} : { vnc: `${folder}/vnc.sock` }),
  }
}

function pathProblems(sockets: MachineSockets): readonly PlanProblem[] {
  return Object.values(sockets)
    .filter((path: string) => new TextEncoder().encode(path).length > SOCKET_PATH_MAX)
    .slice(0, 1)
    .map((path: string) =>
      problem(
        'SocketPathTooLong',
        `socket path ${path} is longer than ${SOCKET_PATH_MAX} bytes: choose a shorter data folder`,
      ),
    )
}
