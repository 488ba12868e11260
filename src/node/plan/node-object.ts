// The Node object of a host: labels, capacity, conditions. Pure: from facts to fields.

import type { ConditionWish } from './conditions.ts'
import type { CpuModel, HostFacts } from './facts.ts'
import { versionText } from './facts.ts'

const MIB = 1024 * 1024
/** Pods of one node, as the kubelet's default. */
const PODS_MAX = 110
/** KubeVirt offers this many handles of each of its devices. */
const DEVICES = '1000'
/** Models that KubeVirt does not offer because they are too old to be wanted. */
const OBSOLETE =
  /^(486|pentium|pentium2|pentium3|pentiumpro|coreduo|n270|core2duo|Conroe|athlon|phenom|qemu32|qemu64|kvm32|kvm64|Opteron_G1|Opteron_G2)(-v\d+)?$/
/** Not models of a processor but ways to choose one. */
const NOT_A_MODEL = new Set(['host', 'max', 'base'])

export interface HostReport {
  readonly nodeName: string
  readonly address: string
  readonly cpus: number
  readonly memoryBytes: number
  readonly diskBytes: number
  readonly diskFreeBytes: number
  readonly machineId: string
  readonly systemUuid: string
  readonly bootId: string
  readonly kernel: string
  readonly osImage: string
  readonly version: string
  readonly vendor: string
  readonly devices: { readonly tun: boolean; readonly vhostNet: boolean }
}

export function nodeLabels(report: HostReport, facts: HostFacts): Readonly<Record<string, string>> {
  const kvm = facts.accelerator.kind === 'kvm'
  const models = usableModels(facts.qemu.cpuModels)
  return {
    'kubernetes.io/hostname': report.nodeName,
    'kubernetes.io/arch': facts.arch,
    'kubernetes.io/os': 'linux',
    'beta.kubernetes.io/arch': facts.arch,
    'beta.kubernetes.io/os': 'linux',
    'kubevirt.io/schedulable': 'true',
    'croft.io/accelerator': kvm ? 'kvm' : 'tcg',
    ...(report.vendor === '' ? {} : { [`cpu-vendor.node.kubevirt.io/${report.vendor}`]: 'true' }),
    ...Object.fromEntries(models.map((name) => [`cpu-model.node.kubevirt.io/${name}`, 'true'])),
    ...Object.fromEntries(
      facts.qemu.machineTypes.map((type) => [`machine-type.node.kubevirt.io/${type}`, 'true']),
    ),
    ...(facts.missing ? {} : { 'machine-type.node.kubevirt.io/q35': 'true' }),
  }
}

function usableModels(models: readonly CpuModel[]): readonly string[] {
  return models
    .filter(
      ({ name, unavailableFeatures }) =>
        unavailableFeatures.length === 0 && !OBSOLETE.test(name) && !NOT_A_MODEL.has(name),
    )
    .map(({ name }) => name)
}

export function nodeResources(
  report: HostReport,
  facts: HostFacts,
): {
  readonly capacity: Readonly<Record<string, string>>
  readonly allocatable: Readonly<Record<string, string>>
} {
  const { cpus, memoryBytes, diskBytes, devices } = report
  const handles = {
    'devices.kubevirt.io/kvm': facts.accelerator.kind === 'kvm' ? DEVICES : '0',
    'devices.kubevirt.io/tun': devices.tun ? DEVICES : '0',
    'devices.kubevirt.io/vhost-net': devices.vhostNet ? DEVICES : '0',
  }
  return {
    capacity: {
      cpu: String(cpus),
      memory: kibibytes(memoryBytes),
      'ephemeral-storage': kibibytes(diskBytes),
      pods: String(PODS_MAX),
      ...handles,
    },
    allocatable: {
      cpu: `${cpus * 1000 - reservedMilli(cpus)}m`,
      memory: kibibytes(memoryBytes - reservedMemory(memoryBytes)),
      // The kubelet's rule: a tenth stays free, so that a full disk is never full to the end.
      'ephemeral-storage': kibibytes(diskBytes * 0.9),
      pods: String(PODS_MAX),
      ...handles,
    },
  }
}

/** For Croft, its storage daemons and the system: a tenth of a processor, a fifth on big hosts. */
function reservedMilli(cpus: number): number {
  return cpus > 8 ? 200 : 100
}

/** The system's and Croft's own share: 5 %, at least 256 MiB, at most 2 GiB. */
function reservedMemory(bytes: number): number {
  return Math.min(2048 * MIB, Math.max(256 * MIB, bytes * 0.05))
}

function kibibytes(bytes: number): string {
  return `${Math.floor(Math.max(0, bytes) / 1024)}Ki`
}

/** Free space below which new machines would soon stand still; the kubelet's threshold. */
const DISK_PRESSURE_SHARE = 0.1

export function nodeConditions(report: HostReport, facts: HostFacts): readonly ConditionWish[] {
  const full = report.diskFreeBytes < report.diskBytes * DISK_PRESSURE_SHARE
  const kvm = facts.accelerator.kind === 'kvm'
  return [
    {
      type: 'MemoryPressure',
      status: 'False',
      reason: 'KubeletHasSufficientMemory',
      message: 'kubelet has sufficient memory available',
    },
    full
      ? {
          type: 'DiskPressure',
          status: 'True',
          reason: 'KubeletHasDiskPressure',
          message: "less than a tenth of the data folder's disk is free",
        }
      : {
          type: 'DiskPressure',
          status: 'False',
          reason: 'KubeletHasNoDiskPressure',
          message: 'kubelet has no disk pressure',
        },
    {
      type: 'PIDPressure',
      status: 'False',
      reason: 'KubeletHasSufficientPID',
      message: 'kubelet has sufficient PID available',
    },
    facts.missing
      ? { type: 'Ready', status: 'False', ...facts.missing }
      : { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
    {
      type: 'croft.io/HardwareVirtualization',
      status: kvm ? 'True' : 'False',
      reason: kvm ? 'KvmRuns' : 'Emulation',
      message: facts.accelerator.reason,
    },
  ]
}

/** How machines of this node reach others; `ready` false says what keeps new ones waiting. */
export function networkCondition(state: {
  readonly kind: 'bridge' | 'user'
  readonly ready: boolean
  readonly reason: string
  readonly message: string
}): ConditionWish {
  const { kind, ready, reason, message } = state
  return {
    type: 'croft.io/DefaultNetwork',
    status: ready && kind === 'bridge' ? 'True' : 'False',
    reason,
    message,
  }
}

export function nodeInfo(report: HostReport, facts: HostFacts): Readonly<Record<string, string>> {
  return {
    machineID: report.machineId,
    systemUUID: report.systemUuid,
    bootID: report.bootId,
    kernelVersion: report.kernel,
    osImage: report.osImage,
    containerRuntimeVersion: `qemu://${versionText(facts.qemu.version)}`,
    kubeletVersion: report.version,
    kubeProxyVersion: report.version,
    operatingSystem: 'linux',
    architecture: facts.arch,
  }
}
