// Which of the volumes that are there already a claim may take.
import { labelSelectorOf, matchesLabels } from '../../base/labels.ts'
import { parseQuantity } from '../../base/quantity.ts'
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'

/** Whether the volume is kept for this claim: by uid, or by name alone where a person wrote it. */
export function isFor(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const wanted = volume.spec?.claimRef
  if (wanted?.name !== claim.metadata.name || wanted?.namespace !== claim.metadata.namespace) return false
  return !wanted?.uid || wanted.uid === claim.metadata.uid
}

/** The smallest volume that fits; one that is kept for the claim comes first. */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const kept = volumes.find((volume) => isFor(volume, claim))
  if (kept !== undefined) return kept
  const fitting = volumes.filter((volume) => volume.spec?.claimRef === undefined && fits(volume, claim))
  return fitting.reduce<PersistentVolume | undefined>((best, volume) => {
    if (best === undefined) return volume
    const difference = sizeOf(volume) - sizeOf(best)
    const sooner = difference < 0n || (difference === 0n && nameOf(volume) < nameOf(best))
    return sooner ? volume : best
  }, undefined)
}

function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.metadata.deletionTimestamp !== undefined) return false
  if ((volume.spec?.storageClassName ?? '') !== (claim.spec?.storageClassName ?? '')) return false
  if ((volume.spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return false
  const modes = volume.spec?.accessModes ?? []
  if (!(claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode))) return false
  const { selector } = claim.spec ?? {}
  if (selector !== undefined && !selects(selector, volume)) return false
  const wanted = parseQuantity(claim.spec?.resources?.requests?.['storage'] ?? '0')?.nano ?? 0n
  return sizeOf(volume) >= wanted
}

function selects(selector: unknown, volume: PersistentVolume): boolean {
  try {
    const parsed = labelSelectorOf(selector as Parameters<typeof labelSelectorOf>[0])
    return matchesLabels(parsed, volume.metadata.labels ?? {})
  } catch {
    return false
  }
}

export function sizeOf(volume: PersistentVolume): bigint {
  return parseQuantity(volume.spec?.capacity?.['storage'] ?? '0')?.nano ?? 0n
}

function nameOf(volume: PersistentVolume): string {
  return volume.metadata.name ?? ''
}
