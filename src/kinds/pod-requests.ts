// What a Pod asks for, in exact amounts. Billionths, so that cores, bytes and counts add alike. The scheduler and the
// quotas count by the same rule.
import { parseQuantity } from '../base/quantity.ts'

/** By resource name, in billionths. */
export type Amounts = ReadonlyMap<string, bigint>

type Listed = Readonly<Record<string, string | number>> | null | undefined

interface AskingContainer {
  readonly restartPolicy?: string
  readonly resources?: { readonly requests?: Listed; readonly limits?: Listed }
}

export interface AskingPod {
  readonly spec?: {
    readonly containers?: readonly AskingContainer[] | null
    readonly initContainers?: readonly AskingContainer[] | null
    readonly overhead?: Listed
    readonly resources?: { readonly requests?: Listed; readonly limits?: Listed }
  }
}

/** Malformed amounts were refused at admission; they count as nothing here. */
export function amountsOf(listed: Listed): Map<string, bigint> {
  const amounts = new Map<string, bigint>()
  for (const [name, text] of Object.entries(listed ?? {})) amounts.set(name, parseQuantity(text)?.nano ?? 0n)
  return amounts
}

const NONE: Amounts = new Map()
/** Pods are frozen, and their requests are asked for at every decision about any Pod of the node. */
const remembered = new WeakMap<object, Amounts>()

/**
 * Sum of the containers and of the init containers that keep running (sidecars), or more where an init container
 * needs more while it runs; plus the overhead. Pod-level requests take the place of the containers' sum.
 */
export function podRequests(pod: AskingPod): Amounts {
  const known = remembered.get(pod)
  if (known !== undefined) return known
  const made = sumUp(pod, 'requests')
  remembered.set(pod, made)
  return made
}

/** The same sum over the limits. A container without a limit adds nothing. */
export function podLimits(pod: AskingPod): Amounts {
  return sumUp(pod, 'limits')
}

function sumUp({ spec }: AskingPod, part: 'requests' | 'limits'): Amounts {
  if (spec === undefined) return NONE
  const total = new Map<string, bigint>()
  for (const container of spec.containers ?? []) add(total, amountsOf(container.resources?.[part]))
  const sidecars = new Map<string, bigint>()
  const starting = new Map<string, bigint>()
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.[part])
    if (container.restartPolicy === 'Always') {
      add(sidecars, own)
      raise(starting, sidecars)
    } else {
      add(own, sidecars)
      raise(starting, own)
    }
  }
  add(total, sidecars)
  raise(total, starting)
  for (const [name, amount] of amountsOf(spec.resources?.[part])) total.set(name, amount)
  add(total, amountsOf(spec.overhead))
  return total
}

/** Changes `into`. */
export function add(into: Map<string, bigint>, more: Amounts): void {
  for (const [name, amount] of more) into.set(name, (into.get(name) ?? 0n) + amount)
}

function raise(into: Map<string, bigint>, least: Amounts): void {
  for (const [name, amount] of least) if (amount > (into.get(name) ?? 0n)) into.set(name, amount)
}

export function sumOf(pods: readonly AskingPod[]): Map<string, bigint> {
  const sum = new Map<string, bigint>()
  for (const pod of pods) add(sum, podRequests(pod))
  return sum
}
