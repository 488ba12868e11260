// Which thread serves which disk.
import type { DisksInput, Slotted } from './disk-slot.ts'
import { atLeast, type HostFacts } from './facts.ts'
import { object, type Part, type PlanProblem, type Properties, problem, type VmiSpec } from './part.ts'

export interface Threads extends Part {
  readonly of: (one: Slotted) => Properties
  readonly problems: readonly PlanProblem[]
}

/** Threads and, for each disk, the properties that name its own. */
export function ioThreads(spec: VmiSpec, slotted: readonly Slotted[], { facts, vcpus }: DisksInput): Threads {
  const policy = spec.domain.ioThreadsPolicy
  const virtio = slotted.filter((one) => one.bus === 'virtio')
  if (policy === 'supplementalPool') return pooledThreads(spec, virtio, facts)
  const own = virtio.filter((one) => one.disk.dedicatedIOThread)
  const others = virtio.filter((one) => !one.disk.dedicatedIOThread)
  // KubeVirt: `shared` is one thread for all others; `auto` spreads them over at most two threads a processor.
  const pool =
    policy === 'shared'
      ? Math.min(1, others.length)
      : policy === 'auto'
        ? Math.min(others.length, Math.max(1, 2 * vcpus - own.length))
        : 0
  const byDisk = new Map<Slotted, string>()
  for (const [index, one] of own.entries()) byDisk.set(one, `io${pool + index}`)
  if (pool > 0) for (const [index, one] of others.entries()) byDisk.set(one, `io${index % pool}`)
  const ids = [...Array(pool + own.length).keys()].map((index) => `io${index}`)
  return {
    argv: ids.flatMap((id) => object('iothread', id)),
    problems: [],
    of: (one) => {
      const thread = byDisk.get(one)
      return thread === undefined ? {} : { iothread: thread }
    },
  }
}

function pooledThreads(spec: VmiSpec, virtio: readonly Slotted[], facts: HostFacts): Threads {
  const count = Number(spec.domain.ioThreads?.supplementalPoolThreadCount ?? 1)
  if (!atLeast(facts.qemu.version, 9)) {
    const text =
      'a pool of I/O threads needs QEMU 9.0 or newer: use ioThreadsPolicy auto, or install a newer QEMU (Debian 13, or the backports of Debian 12)'
    return {
      argv: [],
      problems: [problem('FeatureNeedsNewerQemu', text, 'spec.domain.ioThreadsPolicy')],
      of: () => ({}),
    }
  }
  const ids = [...Array(count).keys()].map((index) => `io${index}`)
  const mapping = ids.map((id) => ({ iothread: id }))
  return {
    argv: ids.flatMap((id) => object('iothread', id)),
    problems: [],
    of: (one) => (virtio.includes(one) ? { 'iothread-vq-mapping': mapping } : {}),
  }
}
