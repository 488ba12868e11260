// The volumes of the cluster.

import { since } from '../kinds/cells.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { KindOf } from '../kinds/kind.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import type { Run } from './command.ts'
import { connect } from './connect.ts'
import { type Field, sizeText } from './output.ts'
import { notFoundNear, printList, printOne } from './show.ts'

/** Longhorn keeps its objects here. */
const SYSTEM_NAMESPACE = 'longhorn-system'

type LonghornVolume = KindOf<typeof Volume>
type Claim = KindOf<typeof PersistentVolumeClaim>

export const volumeList: Run = async (call, world) => {
  const { client } = await connect(call, world)
  const [{ items }, claims] = await Promise.all([
    client.list(Volume, { namespace: SYSTEM_NAMESPACE }),
    client.list(PersistentVolumeClaim),
  ])
  const byVolume = new Map(claims.items.map((claim) => [claim.spec?.volumeName ?? '', claim]))
  const now = world.host.clock.now()
  const fields: readonly Field<LonghornVolume>[] = [
    { name: 'Name', value: (volume) => volume.metadata.name },
    { name: 'Claim', value: (volume) => claimText(byVolume.get(volume.metadata.name ?? '')) },
    { name: 'State', value: (volume) => volume.status?.state },
    { name: 'Health', value: (volume) => volume.status?.robustness },
    { name: 'Size', value: (volume) => sizeText(Number(volume.spec?.size ?? 0)) },
    { name: 'Node', value: (volume) => volume.status?.currentNodeID },
    { name: 'Copies', wide: true, value: (volume) => volume.spec?.numberOfReplicas },
    { name: 'Image', wide: true, value: (volume) => volume.spec?.backingImage },
    { name: 'Age', value: (volume) => since(volume.metadata.creationTimestamp, now) },
  ]
  return printList(call, world, { kind: Volume, items, fields })
}

function claimText(claim: Claim | undefined): string {
  return claim === undefined ? '' : `${claim.metadata.namespace}/${claim.metadata.name}`
}

export const volumeShow: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  const { client, namespace } = connection
  const claims = await client.list(PersistentVolumeClaim, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
  })
  const volume = claims.items[0]?.spec?.volumeName ?? name
  const found = await notFoundNear(world, { ...connection, namespace: SYSTEM_NAMESPACE }, Volume, volume)
  return printOne(call, world, Volume, found)
}
