// The Longhorn volume decider as the loop runs it: which workloads want the volume where, and on which disks there
// is room.
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../../kinds/core/pod.ts'
import { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Decider, Look } from '../../kinds/decide.ts'
import { BackingImage } from '../../kinds/longhorn/backing-image.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Node } from '../../kinds/longhorn/node.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Setting } from '../../kinds/longhorn/setting.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { LONGHORN_NAMESPACE } from '../data-volume.ts'
import { engineName, VOLUME_LABEL } from './children.ts'
import { decideVolume, type SeenVolume } from './decide.ts'
import { diskFacts } from './disks.ts'
import type { PlacementRules } from './placement.ts'
import type { ClaimFacts } from './status.ts'

const PODS_BY_CLAIM = 'pod-claim'
/** On its way up an object changes eight times in a tenth of a second; people see one change. */
const STATUS_SETTLE_MS = 25
const DRIVER = 'driver.longhorn.io'

interface Named {
  readonly metadata: {
    readonly namespace?: string
    readonly name?: string
    readonly labels?: Readonly<Record<string, string>>
  }
}

const volumeOfChild = ({ metadata }: Named): readonly string[] => {
  const name = metadata.labels?.[VOLUME_LABEL]
  return name ? [`${metadata.namespace}/${name}`] : []
}

function claimsOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name = volume.persistentVolumeClaim?.claimName
    return name ? [`${pod.metadata.namespace}/${name}`] : []
  })
}

/** A persistent volume's handle is the Longhorn volume's name; the claim leads to it by the volume it is bound to. */
function volumesOfPod(pod: Pod, look: Look): readonly string[] {
  return claimsOf(pod).flatMap((key) => {
    const [namespace, name] = key.split('/')
    return volumeOfPersistent(look, look.get(PersistentVolumeClaim, namespace, name!)?.spec?.volumeName)
  })
}

function volumeOfPersistent(look: Look, name: string | undefined): readonly string[] {
  const csi = name ? look.get(PersistentVolume, undefined, name)?.spec?.csi : undefined
  if (csi?.driver !== DRIVER) return []
  return csi.volumeHandle ? [`${LONGHORN_NAMESPACE}/${csi.volumeHandle}`] : []
}

function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed'
}

/** The claim bound to this volume. Persistent volumes that we make have the volume's name. */
function boundClaim(
  volume: Volume,
  look: Look,
): { readonly facts: ClaimFacts; readonly pods: readonly Pod[] } | undefined {
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

/** The oldest Pod that still needs the volume on a node; a second node waits until the first lets go. */
function wantedNode(pods: readonly Pod[]): string | undefined {
  const wanting = pods.filter((pod) => pod.spec?.nodeName && !isTerminal(pod))
  const [first] = [...wanting].sort((a, b) =>
    `${a.metadata.creationTimestamp}/${a.metadata.uid}` < `${b.metadata.creationTimestamp}/${b.metadata.uid}`
      ? -1
      : 1,
  )
  return first?.spec?.nodeName
}

function percent(look: Look, namespace: string | undefined, name: string, fallback: bigint): bigint {
  const value = look.get(Setting, namespace, name)?.value
  return value !== undefined && /^\d+$/.test(value) ? BigInt(value) : fallback
}

/** Longhorn's defaults, which the settings of the same names override. */
function rulesFrom(look: Look, namespace: string | undefined): PlacementRules {
  return {
    overProvisioningPercent: percent(look, namespace, 'storage-over-provisioning-percentage', 100n),
    minimalAvailablePercent: percent(look, namespace, 'storage-minimal-available-percentage', 25n),
  }
}

function unplacedVolumes(look: Look, namespace: string | undefined): readonly string[] {
  return look
    .list(Volume, namespace)
    .filter((volume) =>
      volume.status?.conditions?.some(({ type, status }) => type === 'Scheduled' && status !== 'True'),
    )
    .map((volume) => `${namespace}/${volume.metadata.name}`)
}

function imageWait(volume: Volume, look: Look): string | undefined {
  const name = volume.spec?.backingImage
  if (!name) return undefined
  const image = look.get(BackingImage, volume.metadata.namespace, name)
  if (!image) return `backing image ${name} does not exist`
  const ready = Object.values(image.status?.diskFileStatusMap ?? {}).some((file) => file.state === 'ready')
  return ready ? undefined : `backing image ${name} is not ready yet`
}

export const volumeDecider: Decider<typeof Volume, SeenVolume> = {
  name: 'volume',
  kind: Volume,
  statusSettleMs: STATUS_SETTLE_MS,
  watches: [
    { kind: Engine, keys: volumeOfChild },
    { kind: Replica, keys: volumeOfChild },
    { kind: VolumeEpoch, keys: volumeOfChild },
    { kind: Pod, keys: (object, look) => volumesOfPod(object as Pod, look) },
    { kind: PersistentVolume, keys: (object, look) => volumeOfPersistent(look, object.metadata.name) },
    {
      kind: PersistentVolumeClaim,
      keys: (object, look) => volumeOfPersistent(look, (object as PersistentVolumeClaim).spec?.volumeName),
    },
    {
      kind: BackingImage,
      keys: ({ metadata }, look) =>
        look
          .list(Volume, metadata.namespace)
          .filter((volume) => volume.spec?.backingImage === metadata.name)
          .map((volume) => `${metadata.namespace}/${volume.metadata.name}`),
    },
    // A disk that comes or grows, or a wider limit, may make the place that a replica waits for.
    { kind: Node, keys: ({ metadata }, look) => unplacedVolumes(look, metadata.namespace) },
    { kind: Setting, keys: ({ metadata }, look) => unplacedVolumes(look, metadata.namespace) },
  ],
  indexes: [{ kind: Pod, name: PODS_BY_CLAIM, values: (object) => claimsOf(object as Pod) }],
  gather: (volume, look) => {
    const { namespace, name, uid } = volume.metadata
    const bound = boundClaim(volume, look)
    return {
      volume,
      engine: look.get(Engine, namespace, engineName(volume)),
      epoch: look.get(VolumeEpoch, namespace, name!),
      replicas: look.ownedBy(Replica, uid!),
      wantedNode: wantedNode(bound?.pods ?? []),
      disks: diskFacts(look.list(Node, namespace), look.list(Replica, namespace)),
      rules: rulesFrom(look, namespace),
      softNodeAntiAffinity: look.get(Setting, namespace, 'replica-soft-anti-affinity')?.value === 'true',
      claim: bound?.facts,
      imageWait: imageWait(volume, look),
    }
  },
  decide: decideVolume,
}
