// From the form of a new volume to the claim that the API gets.
import { IMAGE_ID } from '../../../../src/kinds/harvester/claim-templates.ts'
import type { Image } from '../../data/kinds.ts'
import type { Claim } from '../kit/places.ts'
import { sizeText } from './volume-facts.ts'

export type Source = 'empty' | 'image' | 'clone' | 'snapshot'

export interface VolumeWish {
  readonly name: string
  readonly namespace: string
  readonly source: Source
  readonly size: string
  readonly storageClass: string
  readonly mode: string
  readonly access: string
  /** `namespace/name` of the image. */
  readonly image: string
  /** Name of the volume or snapshot that it is filled from, in the same project. */
  readonly from: string
}

/** `image` is the one that the wish names. */
export function claimFor(wish: VolumeWish, image: Image | undefined): Claim {
  const { name, namespace, source, size, storageClass, mode, access, from } = wish
  const className = source === 'image' ? (image?.status?.storageClassName ?? '') : storageClass
  const dataSource =
    source === 'clone'
      ? { kind: 'PersistentVolumeClaim', name: from }
      : source === 'snapshot'
        ? { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: from }
        : undefined
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      ...(source === 'image' && wish.image !== '' ? { annotations: { [IMAGE_ID]: wish.image } } : {}),
    },
    spec: {
      accessModes: [access],
      volumeMode: mode,
      resources: { requests: { storage: sizeText(size) ?? size } },
      ...(className === '' ? {} : { storageClassName: className }),
      ...(dataSource === undefined ? {} : { dataSource }),
    },
  } as Claim
}
