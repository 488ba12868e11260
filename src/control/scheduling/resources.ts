// Whether what a Pod asks for fits into what a node has left.
import type { Amounts } from '../../kinds/pod-requests.ts'

/** Names of the resources that do not suffice, in Kubernetes' order: cpu, memory, then the others by name. */
export function insufficient(wanted: Amounts, used: Amounts, allocatable: Amounts): readonly string[] {
  const short: string[] = []
  for (const [name, amount] of wanted) {
    if (amount > 0n && amount > (allocatable.get(name) ?? 0n) - (used.get(name) ?? 0n)) short.push(name)
  }
  return short.sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
}

function rankOf(name: string): number {
  const rank = ['cpu', 'memory', 'ephemeral-storage'].indexOf(name)
  return rank < 0 ? 3 : rank
}
