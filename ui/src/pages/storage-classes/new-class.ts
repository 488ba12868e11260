// From the form of a new storage class to the object that the API gets.
import { DEFAULT_CLASS } from '../kit/default-class.ts'
import type { StorageClass } from '../kit/places.ts'

export interface ClassWish {
  readonly name: string
  readonly copies: string
  readonly reclaim: string
  readonly binding: string
  readonly locality: string
  readonly disks: string
  readonly nodes: string
  readonly expand: boolean
  readonly migratable: boolean
  readonly usual: boolean
}

/** Minutes until a lost copy is given up; Longhorn's own default. */
const STALE_MINUTES = '30'

export function classFor(wish: ClassWish): StorageClass {
  const { name, copies, reclaim, binding, locality, disks, nodes, expand, migratable, usual } = wish
  const tags = (text: string) =>
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean)
      .join(',')
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, ...(usual ? { annotations: { [DEFAULT_CLASS]: 'true' } } : {}) },
    provisioner: 'driver.longhorn.io',
    parameters: {
      numberOfReplicas: copies.trim(),
      staleReplicaTimeout: STALE_MINUTES,
      migratable: String(migratable),
      dataLocality: locality,
      ...(tags(disks) === '' ? {} : { diskSelector: tags(disks) }),
      ...(tags(nodes) === '' ? {} : { nodeSelector: tags(nodes) }),
    },
    reclaimPolicy: reclaim,
    volumeBindingMode: binding,
    allowVolumeExpansion: expand,
  } as StorageClass
}
