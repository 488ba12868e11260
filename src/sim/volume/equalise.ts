// Makes replicas equal to an authority after an unclean end: what the data side does by dirty bitmaps or hashes.
// Stands for that copying alone; who is the authority is decided by node/volume/epoch.

import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { EqualiseStep } from '../../node/volume/epoch/next-step.ts'
import { chainBelow } from '../../node/volume/layers.ts'
import { images, lookInto, type ReplicaLook, sectorOf } from './inspect.ts'
import { SECTOR_BYTES, SECTORS_PER_CLUSTER, setCluster } from './sim-disk.ts'
import type { StorageAgent } from './storage-agent.ts'

/** Frozen layers are compared and never changed: a replica with other ones has to be rebuilt. */
function sameLayers(from: ReplicaLook, to: ReplicaLook): boolean {
  const digests = ({ computer, folder, meta }: ReplicaLook): string =>
    chainBelow(meta)
      .map(({ name, file }) => `${name} ${computer.disk.digestOf(`${folder}/${file}`)}`)
      .join(', ')
  return from.meta.pending === undefined && to.meta.pending === undefined && digests(from) === digests(to)
}

const COPY_MS = { from: 5, to: 60 }

/** Those that are equal now; undefined: the authority is out of reach. */
export async function equalise(
  agent: StorageAgent,
  step: EqualiseStep,
): Promise<ReadonlySet<string> | undefined> {
  const { world, process } = agent
  const replicas = world.objects<Replica>('replicas.longhorn.io')
  const find = (name: string) => replicas.find((one) => one.metadata.name === name)
  const reaches = (replica: Replica | undefined): replica is Replica => {
    const node = replica?.spec?.nodeID ?? ''
    return (
      node === agent.name || (world.links.passes(agent.name, node) && world.links.passes(node, agent.name))
    )
  }
  const equal = new Set<string>()
  for (const { replica: name } of step.others) {
    await process.clock.sleep(process.random.between(COPY_MS.from, COPY_MS.to))
    const source = find(step.authority)
    const target = find(name)
    if (!reaches(source)) return undefined
    if (!reaches(target)) continue
    const from = lookInto(world.computers, source)
    const to = lookInto(world.computers, target)
    if (!from || !to || to.computer.disk.full || to.computer.disk.broken || from.computer.disk.broken)
      continue
    const wanted = images(from)
    const held = images(to)
    const [head] = held
    if (!head || !sameLayers(from, to)) continue
    for (let cluster = 0; cluster * SECTORS_PER_CLUSTER * SECTOR_BYTES < head.sizeBytes; cluster++) {
      const at = cluster * SECTORS_PER_CLUSTER
      const value = [sectorOf(wanted, at), sectorOf(wanted, at + 1)] as const
      if (value[0] !== sectorOf(held, at) || value[1] !== sectorOf(held, at + 1))
        setCluster(head, cluster, value)
    }
    // Both sides are flushed before they count as equal.
    head.unsynced.clear()
    for (const image of wanted) image?.unsynced.clear()
    equal.add(name)
  }
  return equal
}
