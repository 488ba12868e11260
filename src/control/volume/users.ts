// Which Pods use a Longhorn volume: by the claim that they name and the PersistentVolume that it is bound to.
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../../kinds/core/pod.ts'
import type { Look } from '../../kinds/decide.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { findCondition } from '../conditions.ts'
import { LONGHORN_NAMESPACE } from '../data-volume.ts'
import type { ClaimFacts } from './status.ts'
import type { Wish } from './wishes.ts'

export const PODS_BY_CLAIM = 'pod-claim'
const DRIVER = 'driver.longhorn.io'

export function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName
    return name ? [`${pod.metadata.namespace}/${name}`] : []
  })
}

/** A persistent volume's handle is the Longhorn volume's name; the claim leads to it by the volume it is bound to. */
export function volumesOfPod(pod: Pod, look: Look): readonly string[] {
  return claimsOf(pod).flatMap((key) => {
    const [namespace, name] = key.split('/')
    return volumeOfPersistent(look, look.get(PersistentVolumeClaim, namespace, name!)?.spec?.volumeName)
  })
}

/** Name of the Longhorn volume behind a PersistentVolume; undefined for those of other drivers. */
export function handleOfPersistent(look: Look, name: string | undefined): string | undefined {
  const csi = name ? look.get(PersistentVolume, undefined, name)?.spec?.csi : undefined
  return csi?.driver === DRIVER ? csi.volumeHandle : undefined
}

/** Its key. */
export function volumeOfPersistent(look: Look, name: string | undefined): readonly string[] {
  const handle = handleOfPersistent(look, name)
  return handle ? [`${LONGHORN_NAMESPACE}/${handle}`] : []
}

function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

export interface BoundClaim {
  readonly facts: ClaimFacts
  readonly pods: readonly Pod[]
}

/** The claim bound to this volume. Persistent volumes that we make have the volume's name. */
export function boundClaim(volume: Volume, look: Look): BoundClaim | undefined {
  const persistent = look.get(PersistentVolume, undefined, volume.metadata.name!)
  const claim = persistent?.spec?.claimRef
  if (!persistent || !claim?.name || !claim.namespace) return undefined
  const pods = look.byIndex(Pod, PODS_BY_CLAIM, `${claim.namespace}/${claim.name}`)
  return {
    pods,
    facts: {
      pvName: persistent.metadata.name!,
      pvStatus: persistent.status?.phase ?? '',
      namespace: claim.namespace,
      pvcName: claim.name,
      workloads: pods.map((pod) => ({
        podName: pod.metadata.name!,
        podStatus: pod.status?.phase ?? 'Pending',
      })),
    },
  }
}

/** A Pod is about to be bound, so that the volume will be wanted on some node in a moment. */
export function isAwaited(pods: readonly Pod[]): boolean {
  return pods.some(
    (pod) =>
      !pod.spec?.nodeName &&
      !pod.metadata.deletionTimestamp &&
      !isTerminal(pod) &&
      findCondition(pod.status?.conditions, 'PodScheduled')?.status !== 'False',
  )
}

/** The oldest Pod that still needs the volume on a node comes first; a second node waits until the first lets go. */
export function wishesOfPods(pods: readonly Pod[]): readonly Wish[] {
  return pods
    .filter((pod) => pod.spec?.nodeName && !isTerminal(pod))
    .map((pod) => ({
      id: `${pod.metadata.creationTimestamp}/${pod.metadata.uid}`,
      type: 'csi-attacher',
      nodeID: pod.spec!.nodeName!,
    }))
}
