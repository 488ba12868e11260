// How much memory a guest gets, and what may be asked.
import type { Cause } from '../../../base/errors.ts'
import { parseQuantity, type Quantity } from '../../../base/quantity.ts'
import type { Domain } from '../types.ts'
import { invalid, required } from './causes.ts'

/** Less than this is a unit left out, not a wish; KubeVirt's own bound. Billionths of a byte. */
const MEMORY_MIN_NANO = 1_000_000n * 1_000_000_000n

type Amount = string | number

/** What the guest's memory is taken from: memory.guest, else requests, else limits, else one huge page. */
export function guestMemory(domain: Domain): Amount | undefined {
  const { memory, resources } = domain
  return (
    memory?.guest ??
    resources?.requests?.['memory'] ??
    resources?.limits?.['memory'] ??
    memory?.hugepages?.pageSize
  )
}

export function memoryCauses(domain: Domain, at: string): readonly Cause[] {
  const unread = amountCauses(domain, at)
  if (unread.length > 0) return unread
  if (guestMemory(domain) === undefined)
    return [
      required(
        `${at}.memory.guest`,
        `no memory requested, at least one of '${at}.memory.guest', '${at}.memory.hugepages.size' or '${at}.resources.requests.memory' must be set`,
      ),
    ]
  return [...sizeCauses(domain, at), ...orderCauses(domain, at), ...hugepageCauses(domain, at)]
}

/** Every amount must be one; the schema lets numbers of any form through, as KubeVirt's does. */
function amountCauses(domain: Domain, at: string): readonly Cause[] {
  const amounts: [string, unknown][] = [
    ['memory.guest', domain.memory?.guest],
    ['memory.maxGuest', domain.memory?.maxGuest],
    ['memory.hugepages.pageSize', domain.memory?.hugepages?.pageSize],
  ]
  for (const list of ['requests', 'limits'] as const)
    for (const [name, amount] of Object.entries(domain.resources?.[list] ?? {}))
      amounts.push([`resources.${list}.${name}`, amount])
  return amounts.flatMap(([path, amount]) =>
    amount === undefined || quantity(amount)
      ? []
      : [
          invalid(
            `${at}.${path}`,
            `${JSON.stringify(amount)} is not an amount; write for instance 512Mi, 4Gi or 2.`,
          ),
        ],
  )
}

function quantity(amount: unknown): Quantity | undefined {
  return typeof amount === 'string' || typeof amount === 'number' || typeof amount === 'bigint'
    ? parseQuantity(amount)
    : undefined
}

function sizeCauses({ memory, resources }: Domain, at: string): readonly Cause[] {
  const causes: Cause[] = []
  for (const list of ['requests', 'limits'] as const)
    for (const name of ['memory', 'cpu']) {
      const amount = resources?.[list]?.[name]
      const field = `${at}.resources.${list}.${name}`
      const { nano } = quantity(amount) ?? {}
      if (nano === undefined) continue
      if (nano < 0n) causes.push(invalid(field, `${field} '${amount}': must be greater than or equal to 0.`))
      else if (name === 'memory' && list === 'requests' && nano < MEMORY_MIN_NANO)
        causes.push(invalid(field, `${field} '${amount}': must be greater than or equal to 1M.`))
      else if (
        name === 'memory' &&
        list === 'limits' &&
        nano < MEMORY_MIN_NANO &&
        resources?.requests?.[name] === undefined
      )
        causes.push(invalid(field, `${field} '${amount}': must be greater than or equal to 1M.`))
    }
  const guest = quantity(memory?.guest)
  if (guest && guest.nano < MEMORY_MIN_NANO)
    causes.push(
      invalid(
        `${at}.memory.guest`,
        `${at}.memory.guest '${memory?.guest}': must be greater than or equal to 1M.`,
      ),
    )
  const most = quantity(memory?.maxGuest)
  if (most && guest && guest.nano > most.nano)
    causes.push(
      invalid(
        `${at}.memory.guest`,
        `${at}.memory.guest '${memory?.guest}' is greater than ${at}.memory.maxGuest '${memory?.maxGuest}'.`,
      ),
    )
  return causes
}

function orderCauses({ memory, resources }: Domain, at: string): readonly Cause[] {
  const causes: Cause[] = []
  for (const name of ['memory', 'cpu']) {
    const wanted = resources?.requests?.[name]
    const limit = resources?.limits?.[name]
    const left = quantity(wanted)
    const right = quantity(limit)
    if (left && right && left.nano > right.nano)
      causes.push(
        invalid(
          `${at}.resources.requests.${name}`,
          `${at}.resources.requests.${name} '${wanted}' is greater than ${at}.resources.limits.${name} '${limit}'`,
        ),
      )
  }
  const guest = quantity(memory?.guest)
  const limit = quantity(resources?.limits?.['memory'])
  if (guest && limit && guest.nano > limit.nano)
    causes.push(
      invalid(
        `${at}.memory.guest`,
        `${at}.memory.guest '${memory?.guest}' must be equal to or less than the memory limit ${at}.resources.limits.memory '${resources?.limits?.['memory']}'`,
      ),
    )
  return causes
}

function hugepageCauses(domain: Domain, at: string): readonly Cause[] {
  const pageSize = domain.memory?.hugepages?.pageSize
  const page = quantity(pageSize)
  const wanted = domain.resources?.requests?.['memory'] ?? domain.memory?.guest
  const memory = quantity(wanted)
  if (!page || !memory) return []
  const field = `${at}.resources.requests.memory`
  if (page.nano <= 0n)
    return [
      invalid(
        `${at}.memory.hugepages.pageSize`,
        `${at}.memory.hugepages.pageSize '${pageSize}' must be greater than 0.`,
      ),
    ]
  if (page.nano > memory.nano)
    return [
      invalid(
        field,
        `${at}.memory.hugepages.pageSize '${pageSize}' is larger than page size: the memory is only '${wanted}'`,
      ),
    ]
  if (memory.nano % page.nano !== 0n)
    return [
      invalid(
        field,
        `memory '${wanted}' is not a multiple of the page size ${at}.memory.hugepages.pageSize '${pageSize}'`,
      ),
    ]
  return []
}
