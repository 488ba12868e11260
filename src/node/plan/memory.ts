// Guest memory: exactly what was asked for, rounded up to whole MiB, which is the smallest step of QEMU.
import { parseQuantity, toBigIntBytes } from '../../base/quantity.ts'
import { type Domain, type Part, type PlanProblem, problem } from './part.ts'

const MIB = 1024 * 1024
/** Slots for memory that is plugged in later; as many as libvirt gives. */
const MEMORY_SLOTS = 16

/** Guest memory in bytes: memory.guest, else the request, else the limit, else the huge page size. */
export function guestMemoryBytes(domain: Domain): number | undefined {
  const asked =
    domain.memory?.guest ??
    domain.resources?.requests?.['memory'] ??
    domain.resources?.limits?.['memory'] ??
    domain.memory?.hugepages?.pageSize
  if (asked === undefined) return undefined
  const quantity = parseQuantity(asked)
  return quantity && Number(toBigIntBytes(quantity))
}

function bytesOf(text: string | number | undefined): number | undefined {
  if (text === undefined) return undefined
  const quantity = parseQuantity(text)
  return quantity && Number(toBigIntBytes(quantity))
}

export function planMemory(domain: Domain): Part {
  const bytes = guestMemoryBytes(domain)
  if (bytes === undefined)
    return memoryProblem('MemoryMissing', 'no guest memory is given: set spec.domain.memory.guest')
  if (!(bytes >= MIB))
    return memoryProblem('MemoryInvalid', `guest memory of ${bytes} bytes is too little: give at least 1Mi`)
  const page = bytesOf(domain.memory?.hugepages?.pageSize)
  const step = page ?? MIB
  const size = Math.ceil(bytes / step) * step
  const max = bytesOf(domain.memory?.maxGuest) ?? 0
  const growth = max > size ? `,slots=${MEMORY_SLOTS},maxmem=${Math.ceil(max / MIB)}M` : ''
  const backend =
    page === undefined
      ? ['memory-backend-ram', { size }]
      : ['memory-backend-memfd', { size, hugetlb: true, hugetlbsize: page, share: true, prealloc: true }]
  const [type, properties] = backend as [string, Record<string, unknown>]
  return {
    argv: [
      '-m',
      `size=${size / MIB}M${growth}`,
      '-object',
      JSON.stringify({ 'qom-type': type, id: 'ram0', ...properties }),
    ],
    machine: ['memory-backend=ram0'],
  }
}

function memoryProblem(reason: PlanProblem['reason'], message: string): Part {
  return { argv: [], problems: [problem(reason, message, 'spec.domain.memory.guest')] }
}
