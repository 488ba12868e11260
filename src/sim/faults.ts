// What goes wrong in a simulation. Each seed draws a subset of the faults and how often they come.

import type { Cluster } from './cluster.ts'
import type { SeededRandom } from './random.ts'

export const FAULTS = [
  'server-kill',
  'agent-kill',
  'power-off',
  'partition',
  'latency',
  'lost-answers',
  'clock-jump',
  'disk-full',
  'slow-disk',
  'compaction',
  'watches-cut',
  'guest-ends',
] as const
export type Fault = (typeof FAULTS)[number]

/** Each fault is there with this chance. */
const FAULT_CHANCE = 0.45
/** Mean time between two of one kind. Milliseconds. */
const BETWEEN_MS = { from: 6_000, to: 30_000 } as const

export function drawFaults(random: SeededRandom): readonly Fault[] {
  return FAULTS.filter(() => random.chance(FAULT_CHANCE))
}

/** Keeps causing the fault until the cluster heals. */
export async function cause(fault: Fault, cluster: Cluster, random: SeededRandom): Promise<void> {
  const { world } = cluster
  const meanMs = random.between(BETWEEN_MS.from, BETWEEN_MS.to)
  for (;;) {
    await world.sleep(random.between(0.2, 1.8) * meanMs)
    if (cluster.healed) return
    world.note('fault', fault)
    await strike(fault, cluster, random)
    if (cluster.healed) return
  }
}

async function strike(fault: Fault, cluster: Cluster, random: SeededRandom): Promise<void> {
  const { world, server, disk } = cluster
  const host = random.pick(cluster.hosts)
  switch (fault) {
    case 'server-kill':
      server.kill()
      await world.sleep(random.between(50, 8_000))
      return cluster.startServer()
    case 'agent-kill':
      host.agent?.kill()
      await world.sleep(random.between(50, 20_000))
      return cluster.startAgent(host)
    case 'power-off':
      host.agent?.kill()
      host.node.powerOff()
      await world.sleep(random.between(5_000, 120_000))
      return cluster.startAgent(host)
    case 'partition':
      host.cut = true
      await world.sleep(random.between(500, 100_000))
      host.link?.breakWatches()
      host.cut = false
      return
    case 'latency':
      host.delayMs = () => (random.chance(0.2) ? random.between(0, 3_000) : random.between(0, 80))
      await world.sleep(random.between(1_000, 30_000))
      host.delayMs = () => 0
      return
    case 'lost-answers':
      host.losesAnswer = () => random.chance(0.2)
      await world.sleep(random.between(1_000, 20_000))
      host.losesAnswer = () => false
      return
    case 'clock-jump': {
      const clock = random.pick([cluster.serverClock, host.node.clock])
      clock.offsetMs += random.between(-3_600_000, 3_600_000)
      return
    }
    case 'disk-full':
      disk.full = true
      await world.sleep(random.between(500, 15_000))
      disk.full = false
      return
    case 'slow-disk':
      disk.syncMs = () => random.between(1, 500)
      await world.sleep(random.between(1_000, 20_000))
      disk.syncMs = () => 1
      return
    case 'compaction': {
      const { store } = server
      await store?.compact(store.revision()).catch(() => undefined)
      return
    }
    case 'watches-cut':
      return host.link?.breakWatches()
    case 'guest-ends': {
      const running = [...host.node.qemus.values()].filter((qemu) => qemu.state === 'running')
      if (running.length > 0)
        host.node.endQemu(random.pick(running).podUid, random.chance(0.5) ? 'shutdown' : 'crashed')
      return
    }
  }
}
