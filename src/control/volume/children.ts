// The objects under a volume: its engine, its epoch record and its replicas, with names that follow from the
// volume's and are therefore made once.
import { derivedName, shortHash } from '../../base/derived-name.ts'
import type { KubeObject } from '../../base/object.ts'
import { sha256Hex } from '../../base/sha256.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Action } from '../../kinds/decide.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { controllerRef } from '../owner.ts'
import type { DiskFacts } from './placement.ts'

/** Holds an object until its agent has removed what is on the disk. Longhorn's own word. */
export const LONGHORN_FINALIZER = 'longhorn.io'
export const VOLUME_LABEL = 'longhornvolume'

function metadataOf(volume: Volume, name: string): KubeObject['metadata'] {
  return {
    name,
    namespace: volume.metadata.namespace!,
    labels: { [VOLUME_LABEL]: volume.metadata.name! },
    ownerReferences: [controllerRef(Volume, volume)],
  }
}

export function engineName(volume: Volume): string {
  return derivedName(volume.metadata.name!, 'e-0')
}

export function createEngine(volume: Volume): Action {
  const object: Engine = {
    apiVersion: apiVersionOf(Engine),
    kind: Engine.kind,
    metadata: metadataOf(volume, engineName(volume)),
    spec: {
      volumeName: volume.metadata.name!,
      volumeSize: volume.spec?.size ?? '0',
      desireState: 'stopped',
      nodeID: '',
      active: true,
      dataEngine: 'v1',
      frontend: 'blockdev',
      replicaAddressMap: {},
    },
  }
  return { do: 'create', kind: Engine, object }
}

/** Bytes; a size beyond 2^53 stays exact as a bigint, which the schema's type cannot say. */
function exactSize(volume: Volume): number {
  const size = BigInt(volume.spec?.size ?? 0)
  return size <= Number.MAX_SAFE_INTEGER ? Number(size) : (size as unknown as number)
}

export function createEpoch(volume: Volume): Action {
  const object: VolumeEpoch = {
    apiVersion: apiVersionOf(VolumeEpoch),
    kind: VolumeEpoch.kind,
    metadata: metadataOf(volume, volume.metadata.name!),
    spec: { epoch: 0, inSync: [], size: exactSize(volume), cleanShutdown: true },
  }
  return { do: 'create', kind: VolumeEpoch, object }
}

export interface ReplicaWish {
  readonly present: readonly Replica[]
  /** Of several that are made at once. */
  readonly index: number
  /** Somebody wants the volume already. */
  readonly runs: boolean
}

/**
 * A replica on `disk` beside the `present` ones. The name follows from those, so that the same decision made twice
 * names the same replica, and a replacement never takes the name (or the folder) of the one it replaces.
 */
export function createReplica(volume: Volume, disk: DiskFacts, wish: ReplicaWish): Action {
  const { present, index, runs } = wish
  const uids = present.map((replica) => replica.metadata.uid!).sort()
  const identity = [volume.metadata.uid!, disk.diskUUID, index, ...uids].join('/')
  const name = derivedName(volume.metadata.name!, `r-${shortHash(identity, 8)}`)
  // Longhorn names replica folders with eight hexadecimal digits.
  const folder = `${volume.metadata.name!}-${sha256Hex(identity).slice(0, 8)}`
  const metadata = metadataOf(volume, name)
  const object: Replica = {
    apiVersion: apiVersionOf(Replica),
    kind: Replica.kind,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, longhornnode: disk.nodeID, longhorndiskuuid: disk.diskUUID },
      finalizers: [LONGHORN_FINALIZER],
    },
    spec: {
      volumeName: volume.metadata.name!,
      volumeSize: volume.spec?.size ?? '0',
      engineName: engineName(volume),
      nodeID: disk.nodeID,
      diskID: disk.diskUUID,
      diskPath: disk.diskPath,
      dataDirectoryName: folder,
      backingImage: volume.spec?.backingImage ?? '',
      desireState: runs ? 'running' : 'stopped',
      active: true,
      dataEngine: 'v1',
      failedAt: '',
      healthyAt: '',
    },
  }
  return { do: 'create', kind: Replica, object }
}
