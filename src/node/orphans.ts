// Folders of replicas on this host's disks that belong to no Replica: told as Orphan objects of Longhorn, and removed
// only when somebody deletes such an object. What an object claims for itself is never touched.
import { ApiError } from '../base/errors.ts'
import type { KubeObject } from '../base/object.ts'
import { sha256Hex } from '../base/sha256.ts'
import type { Client } from '../client/client.ts'
import type { Host } from '../host/host.ts'
import type { Kind } from '../kinds/kind.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import type { Node } from '../kinds/longhorn/node.ts'
import { Orphan } from '../kinds/longhorn/orphan.ts'
import { Replica } from '../kinds/longhorn/replica.ts'

const NAMESPACE = 'longhorn-system'
const FINALIZER = 'longhorn.io'
/** Longhorn's names of replica folders. */
const FOLDER = /^[a-z0-9][a-z0-9_.-]*-[0-9a-f]{8}$/
/** A folder that is younger may belong to an object that has not arrived here. Milliseconds. */
const AGE_MIN_MS = 5 * 60_000

export interface OrphanOptions {
  readonly host: Host
  readonly client: Client
  readonly nodeName: string
}

interface Found {
  readonly name: string
  readonly diskName: string
  readonly diskUUID: string
  readonly diskPath: string
}

/** One look at all disks. The API itself is asked which replicas there are: a cache that lags would cost data. */
export async function lookForOrphans(options: OrphanOptions, node: Node): Promise<void> {
  const replicas = await listAll(options.client, Replica)
  const owned = new Set(replicas.map(({ spec }) => `${spec?.diskID}/${spec?.dataDirectoryName}`))
  const present = (await listAll(options.client, Orphan)).filter(
    ({ spec }) => spec?.nodeID === options.nodeName && spec.orphanType === 'replica-data',
  )
  const found = await foldersOf(options, node)
  const strays = found.filter((one) => !owned.has(`${one.diskUUID}/${one.name}`))
  for (const one of strays)
    if (!present.some(({ metadata }) => metadata.name === orphanName(options, one)))
      await quietly(() => options.client.create(Orphan, orphanOf(options, one), { namespace: NAMESPACE }))
  for (const orphan of present) {
    const stray = strays.find((one) => orphanName(options, one) === orphan.metadata.name)
    if (orphan.metadata.deletionTimestamp) await carryOut(options, orphan, stray)
    else if (!stray && !isAway(orphan, node))
      await quietly(() => options.client.delete(Orphan, orphan.metadata.name!, { namespace: NAMESPACE }))
  }
}

async function listAll<T extends KubeObject>(client: Client, kind: Kind<T>): Promise<readonly T[]> {
  return (await client.list(kind, { namespace: NAMESPACE })).items as readonly T[]
}

function orphanName({ nodeName }: OrphanOptions, one: Found): string {
  return `orphan-${sha256Hex([nodeName, one.diskUUID, one.name].join('/'))}`
}

/** Its disk cannot be looked at now, so nothing is known of it. */
function isAway({ spec }: Orphan, node: Node): boolean {
  const disk = Object.values(node.status?.diskStatus ?? {}).find(
    (one) => one.diskUUID === spec?.parameters?.['DiskUUID'],
  )
  return disk?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True'
}

async function foldersOf({ host }: OrphanOptions, node: Node): Promise<readonly Found[]> {
  const found: Found[] = []
  for (const [diskName, disk] of Object.entries(node.status?.diskStatus ?? {})) {
    const isReady = disk.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
    if (!isReady || !disk.diskPath || !disk.diskUUID) continue
    const names = await host.files.list(`${disk.diskPath}/replicas`)
    if (!names.ok) continue
    for (const name of names.value.filter((one) => FOLDER.test(one))) {
      const stat = await host.files.stat(`${disk.diskPath}/replicas/${name}`)
      if (!stat.ok || stat.value.kind !== 'folder') continue
      if (host.clock.now() - stat.value.modifiedMs < AGE_MIN_MS) continue
      found.push({ name, diskName, diskUUID: disk.diskUUID, diskPath: disk.diskPath })
    }
  }
  return found
}

function orphanOf(options: OrphanOptions, one: Found): Orphan {
  return {
    apiVersion: apiVersionOf(Orphan),
    kind: Orphan.kind,
    metadata: {
      name: orphanName(options, one),
      namespace: NAMESPACE,
      finalizers: [FINALIZER],
      labels: { longhornnode: options.nodeName },
    },
    spec: {
      nodeID: options.nodeName,
      orphanType: 'replica-data',
      dataEngine: 'v1',
      parameters: {
        DataName: one.name,
        DiskName: one.diskName,
        DiskUUID: one.diskUUID,
        DiskPath: one.diskPath,
        DiskType: 'filesystem',
      },
    },
  }
}

/** The data go, and then the object; where a replica took the folder meanwhile, only the object goes. */
async function carryOut(
  { host, client }: OrphanOptions,
  orphan: Orphan,
  stray: Found | undefined,
): Promise<void> {
  if (stray) {
    const removed = await host.files.remove(`${stray.diskPath}/replicas/${stray.name}`)
    if (!removed.ok) {
      host.log.warn('an orphan stays', { folder: stray.name, why: removed.failure.message })
      return
    }
  }
  const finalizers = (orphan.metadata.finalizers ?? []).filter((word) => word !== FINALIZER)
  await quietly(() =>
    client.patch(Orphan, orphan.metadata.name!, { metadata: { finalizers } }, { namespace: NAMESPACE }),
  )
}

/** Others may be faster: what is there already, or gone already, is as wanted. */
async function quietly(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 404 && error.code !== 409)) throw error
  }
}
