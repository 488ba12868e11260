// The claims of a Pod as the scheduler sees them: all bound, to be waited for, or to be sent to the chosen node.
import type { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Pod } from '../../kinds/core/pod.ts'
import type { StorageClass } from '../../kinds/kubernetes/storage-class.ts'
import { type LabelledNode, matchesNodeSelector } from './node-selector.ts'

export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

export interface ClaimOfPod {
  readonly name: string
  readonly claim: PersistentVolumeClaim | undefined
  readonly volume: PersistentVolume | undefined
  readonly storageClass: StorageClass | undefined
}

export interface ClaimsVerdict {
  /** Why the Pod cannot be placed anywhere yet, in the words of an event. */
  readonly hindrance?: string
  /** The hindrance is the usual course of things and most often over in a moment. */
  readonly isUsual?: boolean
  /** Claims that wait for the Pod's node to be chosen. */
  readonly waiting: readonly PersistentVolumeClaim[]
  /** Volumes that only some nodes reach. */
  readonly volumes: readonly PersistentVolume[]
}

export function claimNames(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName
    if (name) return [name]
    return volume.ephemeral ? [`${pod.metadata.name}-${volume.name}`] : []
  })
}

export function judgeClaims(claims: readonly ClaimOfPod[]): ClaimsVerdict {
  const waiting: PersistentVolumeClaim[] = []
  const volumes: PersistentVolume[] = []
  let unbound = false
  for (const { name, claim, volume, storageClass } of claims) {
    if (claim === undefined) return hindered(`persistentvolumeclaim "${name}" not found`)
    if (claim.metadata.deletionTimestamp !== undefined) {
      return hindered(`persistentvolumeclaim "${name}" is being deleted`)
    }
    if (claim.status?.phase === 'Lost') {
      return hindered(
        `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName}"`,
      )
    }
    if (claim.status?.phase === 'Bound') {
      if (volume !== undefined) volumes.push(volume)
    } else if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer') waiting.push(claim)
    else unbound = true
  }
  if (unbound) return { ...hindered('pod has unbound immediate PersistentVolumeClaims'), isUsual: true }
  return { waiting, volumes }
}

function hindered(hindrance: string): ClaimsVerdict {
  return { hindrance, waiting: [], volumes: [] }
}

/** Whether the node reaches every volume that is there already. */
export function reachesVolumes(volumes: readonly PersistentVolume[], node: LabelledNode): boolean {
  return volumes.every((volume) => {
    const required = volume.spec?.nodeAffinity?.required
    return (
      required === undefined ||
      matchesNodeSelector(required as Parameters<typeof matchesNodeSelector>[0], node)
    )
  })
}
