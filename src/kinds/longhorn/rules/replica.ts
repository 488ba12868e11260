// Replicas: the last one that has all the data of a volume is not given up while the volume is wanted.
import type { KubeObject } from '../../../base/object.ts'
import { epochRef, storageVolumeRef } from '../../foreign.ts'
import type { AnyKind, Rule, RuleLook } from '../../kind.ts'

const replicaRef = {
  group: 'longhorn.io',
  version: 'v1beta2',
  plural: 'replicas',
  kind: 'Replica',
} as AnyKind

interface Epoch {
  readonly epoch?: number
  readonly inSync?: readonly { readonly replica: string }[]
}

function isUsable(look: RuleLook, namespace: string | undefined, name: string): boolean {
  const replica = look.get(replicaRef, namespace, name)
  const failedAt = (replica?.['spec'] as { readonly failedAt?: string } | undefined)?.failedAt
  return replica !== undefined && !replica.metadata.deletionTimestamp && !failedAt
}

export const replicaRule: Rule = (next, previous, look) => {
  if (next || !previous || previous.metadata.deletionTimestamp) return {}
  const { name = '', namespace } = previous.metadata
  const volumeName = (previous['spec'] as { readonly volumeName?: string } | undefined)?.volumeName ?? ''
  const volume: KubeObject | undefined = look.get(storageVolumeRef, namespace, volumeName)
  if (!volume || volume.metadata.deletionTimestamp) return {}
  const record = look.get(epochRef, namespace, volumeName)?.['spec'] as Epoch | undefined
  const members = (record?.inSync ?? []).map((member) => member.replica)
  if (!members.includes(name)) return {}
  const others = members.filter((member) => member !== name && isUsable(look, namespace, member))
  return others.length > 0
    ? {}
    : {
        refuse: {
          code: 403,
          reason: 'Forbidden',
          message: `replica ${name} is the last one with all the data of volume ${volumeName}: it goes only with the volume`,
        },
      }
}
