// What may be asked of the guest's processors.
import type { Cause } from '../../../base/errors.ts'
import { parseQuantity, toMilli } from '../../../base/quantity.ts'
import type { Domain } from '../types.ts'
import { invalid, notSupported } from './causes.ts'

/** Largest number of virtual processors of one guest; KubeVirt lowers hot-plug bounds to the same number. */
export const VCPUS_MAX = 512
const FEATURE_POLICIES: readonly string[] = ['', 'force', 'require', 'optional', 'disable', 'forbid']

export interface CpuTopology {
  readonly sockets: number
  readonly cores: number
  readonly threads: number
}

/**
 * The topology the guest gets: what is written, missing parts 1; with nothing written one socket for each processor
 * of limits.cpu, else of requests.cpu, else one.
 */
export function cpuTopology(domain: Domain): CpuTopology {
  const { sockets, cores, threads } = domain.cpu ?? {}
  if (sockets || cores || threads) return { sockets: sockets || 1, cores: cores || 1, threads: threads || 1 }
  const amount = domain.resources?.limits?.['cpu'] ?? domain.resources?.requests?.['cpu']
  const quantity = amount === undefined ? undefined : parseQuantity(amount)
  const whole = quantity ? Number((toMilli(quantity) + 999n) / 1000n) : 1
  return { sockets: Math.max(1, whole), cores: 1, threads: 1 }
}

export function vcpuCount(domain: Domain): number {
  const { sockets, cores, threads } = cpuTopology(domain)
  return sockets * cores * threads
}

export function cpuCauses(domain: Domain, at: string): readonly Cause[] {
  return [...countCauses(domain, at), ...featureCauses(domain, at), ...dedicatedCauses(domain, at)]
}

function countCauses(domain: Domain, at: string): readonly Cause[] {
  const cpu = domain.cpu ?? {}
  const causes: Cause[] = []
  for (const part of ['sockets', 'cores', 'threads', 'maxSockets'] as const) {
    const count = cpu[part]
    // KubeVirt reads 0 as "not set"; it is refused here, because nobody who writes 0 means 1.
    // A count beyond 2^53 arrives as a bigint.
    if (count !== undefined && (typeof count !== 'number' || count < 1 || count > VCPUS_MAX * VCPUS_MAX))
      causes.push(
        invalid(
          `${at}.cpu.${part}`,
          `${at}.cpu.${part} '${count}' must be greater than or equal to 1, and all of them together at most ${VCPUS_MAX}.`,
        ),
      )
  }
  if (causes.length > 0) return causes
  const total = vcpuCount(domain)
  if (total > VCPUS_MAX) {
    const { sockets, cores, threads } = cpuTopology(domain)
    const field = cpu.sockets
      ? 'cpu.sockets'
      : cpu.cores
        ? 'cpu.cores'
        : cpu.threads
          ? 'cpu.threads'
          : 'resources.limits.cpu'
    causes.push(
      invalid(
        `${at}.${field}`,
        `${sockets} sockets with ${cores} cores with ${threads} threads are ${total} virtual CPUs; the most is ${VCPUS_MAX}.`,
      ),
    )
  }
  if (cpu.maxSockets !== undefined && (cpu.sockets ?? 1) > cpu.maxSockets)
    causes.push(
      invalid(
        `${at}.cpu.sockets`,
        `Number of sockets in CPU topology is greater than the maximum sockets allowed: ${cpu.sockets} > ${cpu.maxSockets}.`,
      ),
    )
  return causes
}

function featureCauses(domain: Domain, at: string): readonly Cause[] {
  return (domain.cpu?.features ?? []).flatMap((feature, index) =>
    FEATURE_POLICIES.includes(feature.policy ?? '')
      ? []
      : [
          notSupported(
            `${at}.cpu.features[${index}].policy`,
            `CPU feature ${feature.name} uses policy ${feature.policy} that is not supported; supported are ${FEATURE_POLICIES.slice(1).join(', ')}.`,
          ),
        ],
  )
}

function dedicatedCauses(domain: Domain, at: string): readonly Cause[] {
  const { cpu, resources, memory } = domain
  const causes: Cause[] = []
  if (!cpu?.dedicatedCpuPlacement) {
    if (cpu?.isolateEmulatorThread)
      causes.push(
        invalid(
          `${at}.cpu.isolateEmulatorThread`,
          'IsolateEmulatorThread should be only set in combination with DedicatedCPUPlacement.',
        ),
      )
    if (cpu?.numa?.guestMappingPassthrough || cpu?.realtime)
      causes.push(
        invalid(
          cpu.realtime ? `${at}.cpu.realtime` : `${at}.cpu.numa.guestMappingPassthrough`,
          'NUMA mapping and realtime need dedicatedCpuPlacement.',
        ),
      )
    return causes
  }
  if ((cpu.threads ?? 1) > 2)
    causes.push(
      invalid(`${at}.cpu.threads`, 'Not more than two threads must be provided with dedicatedCpuPlacement.'),
    )
  if (cpu.numa?.guestMappingPassthrough && !memory?.hugepages)
    causes.push(
      invalid(
        `${at}.cpu.numa.guestMappingPassthrough`,
        'NUMA guestMappingPassthrough needs memory.hugepages.',
      ),
    )
  for (const resource of ['cpu', 'memory']) {
    const wanted = resources?.requests?.[resource]
    const limit = resources?.limits?.[resource]
    if (wanted === undefined || limit === undefined) continue
    if (parseQuantity(wanted)?.nano !== parseQuantity(limit)?.nano)
      causes.push(
        invalid(
          `${at}.cpu.dedicatedCpuPlacement`,
          `${at}.resources.requests.${resource} and ${at}.resources.limits.${resource} must be equal when DedicatedCPUPlacement is true.`,
        ),
      )
  }
  causes.push(...wholeCpuCauses(domain, at))
  return causes
}

function wholeCpuCauses(domain: Domain, at: string): readonly Cause[] {
  const { cpu, resources } = domain
  const causes: Cause[] = []
  for (const list of ['requests', 'limits'] as const) {
    const amount = resources?.[list]?.['cpu']
    const milli =
      amount === undefined ? undefined : toMilli(parseQuantity(amount) ?? { nano: 0n, format: 'DecimalSI' })
    if (milli === undefined) continue
    const field = `${at}.resources.${list}.cpu`
    // The spelling is the one clients match on.
    if (milli % 1000n !== 0n)
      causes.push(invalid(field, `provided resources CPU ${list} must be an interger`))
    else if ((cpu?.sockets || cpu?.cores || cpu?.threads) && milli !== BigInt(vcpuCount(domain)) * 1000n)
      causes.push(
        invalid(
          field,
          `${field} (${amount}) and the CPU topology (${vcpuCount(domain)}) ask for different counts.`,
        ),
      )
  }
  return causes
}
