// DataVolumes that are clones of a claim or of a snapshot: what they are made from, how large that is, and whether the
// copy is whole.
import { DataVolume } from '../kinds/cdi/data-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Look } from '../kinds/decide.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { VolumeSnapshot } from '../kinds/snapshot/volume-snapshot.ts'
import { isFilled } from './volume/clone.ts'

const STORAGE_NAMESPACE = 'longhorn-system'

export interface CloneSource {
  readonly kind: 'PersistentVolumeClaim' | 'VolumeSnapshot'
  readonly namespace: string
  readonly name: string
}

/** What a clone is made from; undefined for any other DataVolume. */
export function cloneSource({ metadata, spec }: DataVolume): CloneSource | undefined {
  const { pvc, snapshot } = spec?.source ?? {}
  const from = pvc ?? snapshot
  if (!from?.name) return undefined
  return {
    kind: pvc ? 'PersistentVolumeClaim' : 'VolumeSnapshot',
    namespace: from.namespace || metadata.namespace!,
    name: from.name,
  }
}

export function sizeOfSource(dataVolume: DataVolume, look: Look): string | number | undefined {
  const from = cloneSource(dataVolume)
  if (!from) return undefined
  return from.kind === 'PersistentVolumeClaim'
    ? look.get(PersistentVolumeClaim, from.namespace, from.name)?.status?.capacity?.['storage']
    : look.get(VolumeSnapshot, from.namespace, from.name)?.status?.restoreSize
}

/** Volumes that we make have the name of their PersistentVolume. */
export function volumeIsFilled(claim: PersistentVolumeClaim | undefined, look: Look): boolean {
  const name = claim?.spec?.volumeName
  const volume = name ? look.get(Volume, STORAGE_NAMESPACE, name) : undefined
  return volume !== undefined && isFilled(volume)
}

/** DataVolumes of the namespace that are cloned from this object and not done yet. */
export function clonesOf(
  look: Look,
  kind: CloneSource['kind'],
  { namespace, name }: { readonly namespace?: string; readonly name?: string },
): readonly string[] {
  return look
    .list(DataVolume, namespace)
    .filter((one) => {
      const from = cloneSource(one)
      return from?.kind === kind && from.name === name && one.status?.phase !== 'Succeeded'
    })
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
}
