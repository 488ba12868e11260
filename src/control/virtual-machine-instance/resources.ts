// What a virt-launcher Pod asks of the scheduler: the guest's memory and what QEMU needs beside it, by KubeVirt
// 1.7's formula, so that quotas and capacity planning made for KubeVirt hold.
import { formatQuantity, parseQuantity, quantityOf, toBigIntBytes, toMilli } from '../../base/quantity.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'

const MIB = 1024n * 1024n
/** Launcher processes and QEMU's fixed part: 25+100+25+40+30 MiB. */
const FIXED_MIB = 220n
const PER_CPU_MIB = 8n
const IO_THREAD_MIB = 8n
const GRAPHICS_MIB = 32n
const TPM_MIB = 53n
const DEDICATED_MIB = 100n
/** Page tables: one byte in 512 of the guest's memory. */
const PAGE_TABLE_SHARE = 512n
/** CPU requested for each virtual CPU, in thousandths (KubeVirt's cpuAllocationRatio of 10). */
const MILLI_CPU_PER_CPU = 100n
const EPHEMERAL_STORAGE = '50M'

type Spec = NonNullable<VirtualMachineInstance['spec']>

/** Malformed amounts were refused at admission. */
function bytesOf(value: string | number): bigint {
  const quantity = parseQuantity(value)
  return quantity ? toBigIntBytes(quantity) : 0n
}

function bytesText(bytes: bigint): string {
  return formatQuantity(quantityOf(bytes, 'BinarySI'))
}

export interface PodResources {
  readonly requests: Readonly<Record<string, string>>
  readonly limits: Readonly<Record<string, string>>
}

export function cpuCount(spec: Spec): bigint {
  const { cores = 1, sockets = 1, threads = 1 } = spec.domain.cpu ?? {}
  const topology = BigInt(cores || 1) * BigInt(sockets || 1) * BigInt(threads || 1)
  if (spec.domain.cpu?.cores || spec.domain.cpu?.sockets || spec.domain.cpu?.threads) return topology
  const asked = spec.domain.resources?.limits?.['cpu'] ?? spec.domain.resources?.requests?.['cpu']
  const quantity = asked === undefined ? undefined : parseQuantity(asked)
  const milli = quantity ? toMilli(quantity) : 1000n
  return milli <= 1000n ? 1n : (milli + 999n) / 1000n
}

/** Bytes of memory that the guest sees. */
export function guestMemoryBytes(spec: Spec): bigint {
  const { memory, resources } = spec.domain
  return bytesOf(memory?.guest ?? resources?.requests?.['memory'] ?? resources?.limits?.['memory'] ?? 0)
}

export function overheadBytes(spec: Spec): bigint {
  const { devices, cpu, resources } = spec.domain
  const asked = bytesOf(resources?.requests?.['memory'] ?? 0) || guestMemoryBytes(spec)
  const graphics = devices?.autoattachGraphicsDevice === false ? 0n : GRAPHICS_MIB
  const guaranteed = cpu?.dedicatedCpuPlacement ? DEDICATED_MIB : 0n
  const tpm = devices?.tpm ? TPM_MIB : 0n
  const fixed = FIXED_MIB + PER_CPU_MIB * cpuCount(spec) + IO_THREAD_MIB + graphics + guaranteed + tpm
  return asked / PAGE_TABLE_SHARE + fixed * MIB
}

export function podResources(spec: Spec): PodResources {
  const { resources, cpu } = spec.domain
  const overhead = overheadBytes(spec)
  const asked = bytesOf(resources?.requests?.['memory'] ?? 0) || guestMemoryBytes(spec)
  const cpus = cpuCount(spec)
  const requestedCpu = resources?.requests?.['cpu']
  const limits = resources?.limits ?? {}
  return {
    requests: {
      ...(resources?.requests as Readonly<Record<string, string>> | undefined),
      cpu: cpu?.dedicatedCpuPlacement
        ? String(cpus)
        : requestedCpu === undefined
          ? `${cpus * MILLI_CPU_PER_CPU}m`
          : String(requestedCpu),
      memory: bytesText(asked + overhead),
      'ephemeral-storage': EPHEMERAL_STORAGE,
    },
    limits: {
      ...(limits as Readonly<Record<string, string>>),
      ...(limits['memory'] === undefined ? {} : { memory: bytesText(bytesOf(limits['memory']) + overhead) }),
    },
  }
}
