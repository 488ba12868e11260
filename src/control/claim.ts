// The claim decider as the loop runs it: what it looks at and what makes it look again.
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import { VolumeEpoch } from '../kinds/croft/volume-epoch.ts'
import type { Decider, Look } from '../kinds/decide.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { BackingImage } from '../kinds/longhorn/backing-image.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { VolumeSnapshot } from '../kinds/snapshot/volume-snapshot.ts'
import { VolumeSnapshotContent } from '../kinds/snapshot/volume-snapshot-content.ts'
import { decideClaim, type SeenClaim } from './claim/decide.ts'
import { backingImageOf } from './claim/provision.ts'
import { claimSource, sourceKeyOf } from './claim/source.ts'
import { LONGHORN_NAMESPACE } from './data-volume.ts'
import { claimNames } from './scheduling/claims.ts'
import { hasEnded } from './scheduling/filter.ts'

const PODS_BY_CLAIM = 'claim-pods'
const VOLUMES_BY_CLASS = 'claim-volumes-by-class'
const VOLUMES_BY_CLAIM = 'claim-volumes-by-claim'
const CLAIMS_BY_SOURCE = 'claim-by-source'
const UNBOUND_BY_CLASS = 'claim-unbound-by-class'

function keyOfClaim({ metadata }: PersistentVolumeClaim): string {
  return `${metadata.namespace}/${metadata.name}`
}

function unboundOf(look: Look, className: string): readonly string[] {
  return look.byIndex(PersistentVolumeClaim, UNBOUND_BY_CLASS, className).map(keyOfClaim)
}

function claimOfVolume(volume: PersistentVolume): string | undefined {
  const wanted = volume.spec?.claimRef
  return wanted?.name ? `${wanted.namespace}/${wanted.name}` : undefined
}

/** Claims that are to be filled from this object and are not made yet. */
function waitingFor(
  look: Look,
  kind: string,
  { namespace, name }: { readonly namespace?: string; readonly name?: string },
): readonly string[] {
  return look
    .byIndex(PersistentVolumeClaim, CLAIMS_BY_SOURCE, `${kind}/${namespace}/${name}`)
    .filter((claim) => !claim.spec?.volumeName)
    .map(keyOfClaim)
}

/** Claims of an image wait for its size, and for the image itself. */
function claimsOfImage(look: Look, image: string): readonly string[] {
  return look
    .list(PersistentVolumeClaim)
    .filter((claim) => !claim.spec?.volumeName && backingImageOf(claim, classOf(claim, look)) === image)
    .map(keyOfClaim)
}

function classOf(claim: PersistentVolumeClaim, look: Look): StorageClass | undefined {
  const name = claim.spec?.storageClassName
  return name ? look.get(StorageClass, undefined, name) : undefined
}

/** The claim bound to the PersistentVolume of this name; ours have the name of their Longhorn volume. */
function claimOfName(look: Look, name: string | undefined): readonly string[] {
  const volume = name ? look.get(PersistentVolume, undefined, name) : undefined
  const key = volume ? claimOfVolume(volume) : undefined
  return key === undefined ? [] : [key]
}

function growingClaim(look: Look, name: string | undefined): readonly string[] {
  return claimOfName(look, name).filter((key) => {
    const [namespace = '', claim = ''] = key.split('/')
    const conditions = look.get(PersistentVolumeClaim, namespace, claim)?.status?.conditions
    return conditions?.some(({ type }) => type === 'Resizing') ?? false
  })
}

export const claimDecider: Decider<typeof PersistentVolumeClaim, SeenClaim> = {
  name: 'claim',
  step: 3,
  kind: PersistentVolumeClaim,
  indexes: [
    {
      kind: Pod,
      name: PODS_BY_CLAIM,
      values: (object) => claimNames(object as Pod).map((name) => `${object.metadata.namespace}/${name}`),
    },
    {
      kind: PersistentVolume,
      name: VOLUMES_BY_CLASS,
      values: (object) => {
        const volume = object as PersistentVolume
        return claimOfVolume(volume) === undefined ? [volume.spec?.storageClassName ?? ''] : []
      },
    },
    {
      kind: PersistentVolume,
      name: VOLUMES_BY_CLAIM,
      values: (object) => {
        const key = claimOfVolume(object as PersistentVolume)
        return key === undefined ? [] : [key]
      },
    },
    {
      kind: PersistentVolumeClaim,
      name: CLAIMS_BY_SOURCE,
      values: (object) => {
        const key = sourceKeyOf(object as PersistentVolumeClaim)
        return key === undefined ? [] : [key]
      },
    },
    {
      kind: PersistentVolumeClaim,
      name: UNBOUND_BY_CLASS,
      values: (object) => {
        const { spec } = object as PersistentVolumeClaim
        return spec?.volumeName ? [] : [spec?.storageClassName ?? '']
      },
    },
  ],
  watches: [
    { kind: VolumeSnapshot, keys: ({ metadata }, look) => waitingFor(look, 'VolumeSnapshot', metadata) },
    { kind: VolumeSnapshotContent, keys: () => [] },
    {
      kind: PersistentVolumeClaim,
      keys: ({ metadata }, look) => waitingFor(look, 'PersistentVolumeClaim', metadata),
    },
    {
      kind: PersistentVolume,
      keys: (object, look) => {
        const volume = object as PersistentVolume
        const key = claimOfVolume(volume)
        return key === undefined ? unboundOf(look, volume.spec?.storageClassName ?? '') : [key]
      },
    },
    { kind: StorageClass, keys: ({ metadata }, look) => unboundOf(look, metadata.name ?? '') },
    {
      kind: Pod,
      // A Pod frees its claims when it ends; only a claim on its way out waits for that.
      keys: (object, look) =>
        claimNames(object as Pod)
          .filter((name) => {
            const used = look.get(PersistentVolumeClaim, object.metadata.namespace, name)
            return used?.metadata.deletionTimestamp !== undefined
          })
          .map((name) => `${object.metadata.namespace}/${name}`),
    },
    { kind: Volume, keys: ({ metadata }, look) => claimOfName(look, metadata.name) },
    // Its size is written when all replicas have grown.
    { kind: VolumeEpoch, keys: ({ metadata }, look) => growingClaim(look, metadata.name) },
    { kind: BackingImage, keys: ({ metadata }, look) => claimsOfImage(look, metadata.name ?? '') },
  ],
  gather(object, look) {
    const key = keyOfClaim(object)
    const { volumeName, storageClassName } = object.spec ?? {}
    const storageClass = classOf(object, look)
    const bound = volumeName ? look.get(PersistentVolume, undefined, volumeName) : undefined
    const handle = bound?.spec?.csi?.volumeHandle
    const image = backingImageOf(object, storageClass)
    return {
      claim: object,
      bound,
      candidates: volumeName
        ? []
        : [
            ...look.byIndex(PersistentVolume, VOLUMES_BY_CLAIM, key),
            ...look.byIndex(PersistentVolume, VOLUMES_BY_CLASS, storageClassName ?? ''),
          ],
      storageClass,
      longhorn: handle ? look.get(Volume, LONGHORN_NAMESPACE, handle) : undefined,
      record: handle ? look.get(VolumeEpoch, LONGHORN_NAMESPACE, handle) : undefined,
      source: volumeName ? undefined : claimSource(object, look),
      image: image ? look.get(BackingImage, LONGHORN_NAMESPACE, image) : undefined,
      users: look
        .byIndex(Pod, PODS_BY_CLAIM, key)
        .filter((pod) => pod.spec?.nodeName && !hasEnded(pod))
        .map((pod) => pod.metadata.name ?? ''),
    }
  },
  decide: decideClaim,
}
