// The Longhorn volume decider as the loop runs it: who wants the volume where, how its replicas are doing, and on
// which disks there is room.
import { Node as CoreNode } from '../../kinds/core/node.ts'
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
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { VolumeAttachment } from '../../kinds/longhorn/volume-attachment.ts'
import { findCondition } from '../conditions.ts'
import { SNAPSHOTS_BY_VOLUME, snapshotWishes } from '../snapshot.ts'
import { engineName, VOLUME_LABEL } from './children.ts'
import { cloneSourceOf, cloneWishes, isFilled } from './clone.ts'
import { decideVolume, type SeenVolume } from './decide.ts'
import { diskFacts } from './disks.ts'
import type { DiskFacts } from './placement.ts'
import { engineRuns, isWritten } from './replicas.ts'
import { storageSettings } from './settings.ts'
import { ticketWishes } from './tickets.ts'
import {
  type BoundClaim,
  boundClaim,
  claimsOf,
  isAwaited,
  PODS_BY_CLAIM,
  volumeOfPersistent,
  volumesOfPod,
  wishesOfPods,
} from './users.ts'
import { chooseNode, type Wish } from './wishes.ts'

const VOLUMES_BY_SOURCE = 'volume-source'
const REPLICAS_BY_NODE = 'replica-node'
const ENGINES_BY_NODE = 'engine-node'
/** On its way up an object changes eight times in a tenth of a second; people see one change. */
const STATUS_SETTLE_MS = 60

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

const keysOf = (volumes: readonly Volume[]): readonly string[] =>
  volumes.map((volume) => `${volume.metadata.namespace}/${volume.metadata.name}`)

/** Volumes that lack a place or a replica: what changes on a node or in a setting may help them. */
function needyVolumes(look: Look, namespace: string | undefined): readonly string[] {
  return keysOf(
    look
      .list(Volume, namespace)
      .filter(
        ({ status }) =>
          ['degraded', 'faulted'].includes(status?.robustness ?? '') ||
          findCondition(status?.conditions, 'Scheduled')?.status === 'False',
      ),
  )
}

/** Those with a replica there, and those whose engine runs there without one. */
function sourceKeys(volume: Volume): readonly string[] {
  const source = cloneSourceOf(volume)
  return source ? [`${volume.metadata.namespace}/${source.volume}`] : []
}

/** The volume that it is of, and those that are filled from it. */
function volumesOfSnapshot({ metadata, spec }: Snapshot, look: Look): readonly string[] {
  const name = spec?.volume ?? ''
  const targets = look.byIndex(Volume, VOLUMES_BY_SOURCE, name).filter((target) => !isFilled(target))
  return [`${metadata.namespace}/${name}`, ...keysOf(targets)]
}

function volumesOnNode(look: Look, node: string): readonly string[] {
  const engines = look.byIndex(Engine, ENGINES_BY_NODE, node)
  return [...new Set([...look.byIndex(Replica, REPLICAS_BY_NODE, node), ...engines].flatMap(volumeOfChild))]
}

function imageWait(volume: Volume, look: Look): string | undefined {
  const name = volume.spec?.backingImage
  if (!name) return undefined
  const image = look.get(BackingImage, volume.metadata.namespace, name)
  if (!image) return `backing image ${name} does not exist`
  const ready = Object.values(image.status?.diskFileStatusMap ?? {}).some((file) => file.state === 'ready')
  return ready ? undefined : `backing image ${name} is not ready yet`
}

/** Nodes that registered once and do not answer now, and those that storage knows but Kubernetes does not any more. */
function lostNodes(look: Look, nodes: readonly Node[]): ReadonlySet<string> {
  return new Set(
    nodes
      .map((node) => node.metadata.name!)
      .filter((name) => {
        const node = look.get(CoreNode, undefined, name)
        const ready = findCondition(node?.status?.conditions, 'Ready')
        return !node || (ready !== undefined && ready.status !== 'True')
      }),
  )
}

function goneNodes(look: Look, replicas: readonly Replica[]): ReadonlySet<string> {
  return new Set(
    replicas.flatMap(({ spec }) => {
      const name = spec?.nodeID
      return !name || look.get(CoreNode, undefined, name) ? [] : [name]
    }),
  )
}

/** Rebuilds under way, by the node that is written to. */
function rebuildsByNode(look: Look, namespace: string | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const engine of look.list(Engine, namespace)) {
    if (!engineRuns(engine)) continue
    const modes = engine.status?.replicaModeMap ?? {}
    for (const name of Object.keys(engine.spec?.replicaAddressMap ?? {})) {
      if (modes[name] === 'RW') continue
      const node = look.get(Replica, namespace, name)?.spec?.nodeID
      if (node) counts.set(node, (counts.get(node) ?? 0) + 1)
    }
  }
  return counts
}

interface Sight {
  readonly volume: Volume
  readonly engine: Engine | undefined
  readonly epoch: VolumeEpoch | undefined
  readonly replicas: readonly Replica[]
  readonly bound: BoundClaim | undefined
}

/** All replicas are where they should be: nothing asks for the room on other disks. */
function isSettled({ volume, engine, replicas }: Sight, nodes: readonly Node[]): boolean {
  const wanted = volume.spec?.numberOfReplicas ?? 1
  const whole = replicas.filter((replica) => !replica.spec?.failedAt && !replica.metadata.deletionTimestamp)
  const modes = Object.values(engine?.status?.replicaModeMap ?? {})
  const evicts = nodes.some(
    ({ spec }) =>
      spec?.evictionRequested || Object.values(spec?.disks ?? {}).some((d) => d.evictionRequested),
  )
  const plain = [undefined, 'disabled', 'strict-local'].includes(volume.spec?.dataLocality)
  const still = !engineRuns(engine) || modes.every((mode) => mode === 'RW')
  return wanted === whole.length && replicas.length === wanted && still && !evicts && plain
}

/** What the control plane itself wants the volume attached for. */
function ownWishes({ volume, epoch, engine, replicas }: Sight, disks: readonly DiskFacts[]): readonly Wish[] {
  const wishes: Wish[] = []
  const size = BigInt(epoch?.spec.size ?? 0)
  const current = BigInt((engineRuns(engine) && engine?.status?.currentSize) || size)
  // A growth that failed does not hold the volume for ever; it goes on when the volume is next attached.
  const stuck = Boolean(engine?.status?.lastExpansionError) && !engine?.status?.isExpanding
  if (current > 0n && current < BigInt(volume.spec?.size ?? 0) && !stuck)
    wishes.push({ id: 'volume-expansion', type: 'volume-expansion-controller' })
  const evicting =
    isWritten(epoch) &&
    replicas.some((replica) =>
      disks.some(
        (disk) => disk.evicting && disk.diskUUID === replica.spec?.diskID && !replica.spec?.failedAt,
      ),
    )
  if (evicting) wishes.push({ id: 'volume-eviction', type: 'volume-eviction-controller' })
  return wishes
}

/** Offline rebuilding, where it is wanted, attaches a volume that lacks copies until it has them. */
function offlineRebuild({ volume, epoch, replicas }: Sight, enabled: boolean): readonly Wish[] {
  const own = volume.spec?.offlineRebuilding
  const isOn = own === 'enabled' || (own !== 'disabled' && enabled)
  if (!isOn || !isWritten(epoch)) return []
  const whole = (epoch?.spec.inSync ?? []).filter((member) =>
    replicas.some((replica) => replica.metadata.name === member.replica && !replica.spec?.failedAt),
  )
  const lacks = whole.length < (volume.spec?.numberOfReplicas ?? 1)
  const unplaced = findCondition(volume.status?.conditions, 'Scheduled')?.status === 'False'
  return lacks && !unplaced && whole.length > 0
    ? [{ id: 'volume-rebuilding', type: 'volume-rebuilding-controller' }]
    : []
}

/** A node that answers and has a copy with all the data. */
function nodeWithData({ epoch, replicas }: Sight, disks: readonly DiskFacts[]): string | undefined {
  const members = new Set((epoch?.spec.inSync ?? []).map((member) => member.replica))
  return replicas
    .filter((replica) => !isWritten(epoch) || members.has(replica.metadata.name!))
    .filter((replica) => disks.some((disk) => disk.diskUUID === replica.spec?.diskID && disk.alive))
    .map((replica) => replica.spec?.nodeID ?? '')
    .sort()[0]
}

function gather(volume: Volume, look: Look): SeenVolume {
  const { namespace, name, uid } = volume.metadata
  const bound = boundClaim(volume, look)
  const replicas = look.ownedBy(Replica, uid!)
  const engine = look.get(Engine, namespace, engineName(volume))
  const epoch = look.get(VolumeEpoch, namespace, name!)
  const sight: Sight = { volume, engine, epoch, replicas, bound }
  const settings = storageSettings(look, namespace)
  const nodes = look.list(Node, namespace)
  const lost = lostNodes(look, nodes)
  const settled = isSettled(sight, nodes) && settings.autoBalance === 'disabled'
  const disks = diskFacts(nodes, settled ? replicas : look.list(Replica, namespace), lost)
  const attachment = look.get(VolumeAttachment, namespace, name!)
  const wishes = [
    ...wishesOfPods(bound?.pods ?? []),
    ...ticketWishes(attachment),
    ...ownWishes(sight, disks),
    ...offlineRebuild(sight, settings.offlineRebuilding),
    ...snapshotWishes(look.byIndex(Snapshot, SNAPSHOTS_BY_VOLUME, name!), engine),
    ...cloneWishes(look.byIndex(Volume, VOLUMES_BY_SOURCE, name!)),
  ]
  const source = cloneSourceOf(volume)
  const current = volume.spec?.nodeID || undefined
  return {
    volume,
    engine,
    epoch,
    replicas,
    isAwaited: isAwaited(bound?.pods ?? []),
    wantedNode: chooseNode({ wishes, current, anyNode: nodeWithData(sight, disks) }),
    disks,
    settings,
    rebuilds: settled ? new Map() : rebuildsByNode(look, namespace),
    lostNodes: lost,
    goneNodes: goneNodes(look, replicas),
    silentMs: Object.fromEntries(
      replicas.map(({ metadata }) => [metadata.name!, look.ageMs(Replica, namespace, metadata.name!) ?? 0]),
    ),
    ...(source
      ? {
          cloneFrom: {
            sourceVolume: look.get(Volume, namespace, source.volume),
            sourceSnapshot: look.get(Snapshot, namespace, source.snapshot),
          },
        }
      : {}),
    claim: bound?.facts,
    imageWait: imageWait(volume, look),
  }
}

export const volumeDecider: Decider<typeof Volume, SeenVolume> = {
  name: 'volume',
  step: 6,
  kind: Volume,
  statusSettleMs: STATUS_SETTLE_MS,
  watches: [
    { kind: Engine, keys: volumeOfChild },
    { kind: Replica, keys: volumeOfChild },
    { kind: VolumeEpoch, keys: volumeOfChild },
    { kind: Snapshot, keys: (object, look) => volumesOfSnapshot(object as Snapshot, look) },
    // A copy under way concerns its source: it is kept attached for that.
    { kind: Volume, keys: (object) => sourceKeys(object as Volume) },
    { kind: VolumeAttachment, keys: ({ metadata }) => [`${metadata.namespace}/${metadata.name}`] },
    { kind: Pod, keys: (object, look) => volumesOfPod(object as Pod, look) },
    { kind: PersistentVolume, keys: (object, look) => volumeOfPersistent(look, object.metadata.name) },
    {
      kind: PersistentVolumeClaim,
      keys: (object, look) => volumeOfPersistent(look, (object as PersistentVolumeClaim).spec?.volumeName),
    },
    {
      kind: BackingImage,
      keys: ({ metadata }, look) =>
        keysOf(
          look.list(Volume, metadata.namespace).filter(({ spec }) => spec?.backingImage === metadata.name),
        ),
    },
    // A disk that comes or grows, or a wider limit, may make the place that a replica waits for.
    {
      kind: Node,
      keys: ({ metadata }, look) => [
        ...needyVolumes(look, metadata.namespace),
        ...volumesOnNode(look, metadata.name!),
      ],
    },
    { kind: CoreNode, keys: ({ metadata }, look) => volumesOnNode(look, metadata.name!) },
    { kind: Setting, keys: ({ metadata }, look) => needyVolumes(look, metadata.namespace) },
  ],
  indexes: [
    {
      kind: Volume,
      name: VOLUMES_BY_SOURCE,
      values: (object) => {
        const source = cloneSourceOf(object as Volume)
        return source ? [source.volume] : []
      },
    },
    {
      kind: Snapshot,
      name: SNAPSHOTS_BY_VOLUME,
      values: (object) => [(object as Snapshot).spec?.volume ?? ''],
    },
    { kind: Pod, name: PODS_BY_CLAIM, values: (object) => claimsOf(object as Pod) },
    {
      kind: Replica,
      name: REPLICAS_BY_NODE,
      values: (object) => [(object as Replica).spec?.nodeID ?? ''],
    },
    {
      kind: Engine,
      name: ENGINES_BY_NODE,
      values: (object) => [(object as Engine).spec?.nodeID ?? ''],
    },
  ],
  gather,
  decide: decideVolume,
}
