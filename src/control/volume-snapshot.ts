// Decides one VolumeSnapshot: which claim and class it is made from, its content, and when it may go. Kubernetes'
// words and finalizers (external-snapshotter), without its two controllers.
import type { JsonObject } from '../base/json.ts'
import { formatQuantity, quantityOf } from '../base/quantity.ts'
import { formatTime } from '../base/time.ts'
import { PersistentVolume } from '../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import type { Action, Decider, Decision, Look } from '../kinds/decide.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { BOUND_PROTECTION, SOURCE_PROTECTION } from '../kinds/snapshot/rules.ts'
import { VolumeSnapshot } from '../kinds/snapshot/volume-snapshot.ts'
import { DEFAULT_SNAPSHOT_CLASS, VolumeSnapshotClass } from '../kinds/snapshot/volume-snapshot-class.ts'
import { VolumeSnapshotContent } from '../kinds/snapshot/volume-snapshot-content.ts'
import { LONGHORN_DRIVER } from './claim/provision.ts'
import { setFinalizers } from './finalizers.ts'
import { CONTENT_PROTECTION, GROUP_KEYS } from './volume-snapshot-content.ts'

export const CLAIMS_BY_SOURCE = 'claim-source-snapshot'
const BY_CLAIM = 'snapshot-claim'
const CONTENTS_BY_SNAPSHOT = 'content-of'

export interface SeenVolumeSnapshot {
  readonly snapshot: VolumeSnapshot
  readonly content: VolumeSnapshotContent | undefined
  readonly claim: PersistentVolumeClaim | undefined
  readonly volume: PersistentVolume | undefined
  /** The class that it names, or else the default one of our driver. */
  readonly snapshotClass: VolumeSnapshotClass | undefined
  /** Claims that are still being made from it. */
  readonly readers: readonly string[]
}

export function contentNameOf(snapshot: VolumeSnapshot): string {
  return snapshot.spec.source.volumeSnapshotContentName ?? `snapcontent-${snapshot.metadata.uid}`
}

export function decideVolumeSnapshot(seen: SeenVolumeSnapshot, now: number): Decision {
  const { snapshot, content } = seen
  if (snapshot.metadata.deletionTimestamp) return decideEnd(seen)
  const problem = content ? misfit(snapshot, content) : undefined
  if (problem) return told(snapshot, problem, now)
  if (content) return follow(snapshot, content, now)
  const named = snapshot.spec.source.volumeSnapshotContentName
  if (named) return told(snapshot, `VolumeSnapshotContent ${named} does not exist`, now)
  if (snapshot.status?.readyToUse)
    return told(snapshot, `its content ${contentNameOf(snapshot)} was deleted`, now)
  return make(seen, now)
}

/** A content that belongs to another snapshot is not taken. */
function misfit({ metadata }: VolumeSnapshot, content: VolumeSnapshotContent): string | undefined {
  const { name, namespace, uid } = content.spec.volumeSnapshotRef
  const fits = name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid)
  return fits
    ? undefined
    : `VolumeSnapshotContent ${content.metadata.name} belongs to VolumeSnapshot ${namespace}/${name}`
}

function told(snapshot: VolumeSnapshot, message: string, now: number): Decision {
  const before = snapshot.status?.error
  const isNew = before?.message !== message
  const { namespace, name, uid } = snapshot.metadata
  const about = { kind: VolumeSnapshot, namespace: namespace!, name: name!, uid: uid! }
  return {
    actions: isNew
      ? [{ do: 'note', about, type: 'Warning', reason: 'SnapshotContentCreationFailed', message }]
      : [],
    status: {
      ...snapshot.status,
      readyToUse: false,
      error: { message, time: isNew ? formatTime(now) : (before?.time ?? null) },
    } as never,
  }
}

function make(seen: SeenVolumeSnapshot, now: number): Decision {
  const { snapshot, claim, volume, snapshotClass } = seen
  const named = snapshot.spec.volumeSnapshotClassName
  const claimName = snapshot.spec.source.persistentVolumeClaimName
  if (!claim) return told(snapshot, `persistentvolumeclaim "${claimName}" not found`, now)
  if (claim.metadata.deletionTimestamp) return told(snapshot, `claim ${claimName} is being deleted`, now)
  if (claim.status?.phase !== 'Bound' || !volume)
    return told(
      snapshot,
      `the PVC ${claimName} is not yet bound to a PV, will not attempt to take a snapshot`,
      now,
    )
  if (!snapshotClass)
    return told(
      snapshot,
      named
        ? `volumesnapshotclass "${named}" not found`
        : 'no VolumeSnapshotClass is named, and no class of the driver is the default one',
      now,
    )
  const driver = volume.spec?.csi?.driver
  if (driver !== snapshotClass.driver)
    return told(
      snapshot,
      `the volume of claim ${claimName} is of driver ${driver ?? 'none'}, and class ${snapshotClass.metadata.name} is of ${snapshotClass.driver}`,
      now,
    )
  const { namespace, name, uid } = snapshot.metadata
  const nameClass: readonly Action[] = named
    ? []
    : [
        {
          do: 'patch',
          target: { kind: VolumeSnapshot, namespace: namespace!, name: name!, uid: uid! },
          patch: { spec: { volumeSnapshotClassName: snapshotClass.metadata.name! } },
        },
      ]
  return { actions: [...nameClass, creation(snapshot, volume, snapshotClass)] }
}

function creation(
  snapshot: VolumeSnapshot,
  volume: PersistentVolume,
  snapshotClass: VolumeSnapshotClass,
): Action {
  const { name, namespace, uid, annotations } = snapshot.metadata
  const group = Object.fromEntries(
    GROUP_KEYS.flatMap((key) => (annotations?.[key] === undefined ? [] : [[key, annotations[key]]])),
  )
  const object = {
    apiVersion: apiVersionOf(VolumeSnapshotContent),
    kind: VolumeSnapshotContent.kind,
    metadata: {
      name: contentNameOf(snapshot),
      finalizers: [CONTENT_PROTECTION],
      ...(Object.keys(group).length > 0 ? { annotations: group } : {}),
    },
    spec: {
      deletionPolicy: snapshotClass.deletionPolicy,
      driver: snapshotClass.driver,
      source: { volumeHandle: volume.spec?.csi?.volumeHandle ?? '' },
      sourceVolumeMode: volume.spec?.volumeMode ?? 'Filesystem',
      volumeSnapshotClassName: snapshotClass.metadata.name!,
      volumeSnapshotRef: {
        apiVersion: apiVersionOf(VolumeSnapshot),
        kind: VolumeSnapshot.kind,
        name: name!,
        namespace: namespace!,
        uid: uid!,
      },
    },
  }
  return { do: 'create', kind: VolumeSnapshotContent, object: object as never }
}

/** Says what the content says; one that a person made is bound to it first. */
function follow(snapshot: VolumeSnapshot, content: VolumeSnapshotContent, now: number): Decision {
  const bind: readonly Action[] = content.spec.volumeSnapshotRef.uid
    ? []
    : [
        {
          do: 'patch',
          target: { kind: VolumeSnapshotContent, name: content.metadata.name! },
          patch: { spec: { volumeSnapshotRef: { uid: snapshot.metadata.uid! } } },
        },
      ]
  const { readyToUse = false, creationTime, restoreSize, error } = content.status ?? {}
  const { error: _error, ...before } = snapshot.status ?? {}
  const size = restoreSize === undefined ? undefined : quantityOf(BigInt(restoreSize), 'BinarySI')
  const status: JsonObject = {
    ...(before as JsonObject),
    boundVolumeSnapshotContentName: content.metadata.name!,
    readyToUse,
    ...(creationTime === undefined
      ? {}
      : { creationTime: formatTime(Number(BigInt(creationTime) / 1_000_000n)) }),
    ...(size ? { restoreSize: formatQuantity(size) } : {}),
    ...(error?.message ? { error: { message: error.message, time: error.time ?? formatTime(now) } } : {}),
  }
  return { actions: bind, status }
}

/** The content first, where its policy says so; the object when nothing is made from it any more. */
function decideEnd({ snapshot, content, readers }: SeenVolumeSnapshot): Decision {
  const finalizers = snapshot.metadata.finalizers ?? []
  const ours: readonly string[] = [SOURCE_PROTECTION, BOUND_PROTECTION]
  const own = finalizers.filter((word) => ours.includes(word))
  if (own.length === 0 || readers.length > 0) return { actions: [] }
  const isMine = content?.spec.volumeSnapshotRef.uid === snapshot.metadata.uid
  if (content && isMine && content.spec.deletionPolicy === 'Delete') {
    if (content.metadata.deletionTimestamp) return { actions: [] }
    const { name, uid } = content.metadata
    return {
      actions: [{ do: 'delete', target: { kind: VolumeSnapshotContent, name: name!, uid: uid! } }],
    }
  }
  const rest = finalizers.filter((word) => !own.includes(word))
  return { actions: [setFinalizers(VolumeSnapshot, snapshot, rest)] }
}

function classFor(look: Look, name: string | undefined): VolumeSnapshotClass | undefined {
  if (name) return look.get(VolumeSnapshotClass, undefined, name)
  return look
    .list(VolumeSnapshotClass)
    .filter(
      ({ metadata, driver }) =>
        driver === LONGHORN_DRIVER && metadata.annotations?.[DEFAULT_SNAPSHOT_CLASS] === 'true',
    )
    .sort((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1))[0]
}

const keyOf = ({ metadata }: VolumeSnapshot): string => `${metadata.namespace}/${metadata.name}`

/** Those that wait for a class or a claim. */
function waiting(look: Look): readonly string[] {
  return look
    .list(VolumeSnapshot)
    .filter(({ status }) => !status?.boundVolumeSnapshotContentName)
    .map(keyOf)
}

/** `namespace/name` of the snapshot that a claim is made from. */
export function sourceSnapshotOf(claim: PersistentVolumeClaim): readonly string[] {
  const source = claim.spec?.dataSourceRef ?? claim.spec?.dataSource
  return source?.kind === 'VolumeSnapshot' ? [`${claim.metadata.namespace}/${source.name}`] : []
}

export const volumeSnapshotDecider: Decider<typeof VolumeSnapshot, SeenVolumeSnapshot> = {
  name: 'volume-snapshot',
  kind: VolumeSnapshot,
  indexes: [
    {
      kind: PersistentVolumeClaim,
      name: CLAIMS_BY_SOURCE,
      values: (object) => sourceSnapshotOf(object as PersistentVolumeClaim),
    },
    {
      kind: VolumeSnapshot,
      name: BY_CLAIM,
      values: (object) => {
        const name = (object as VolumeSnapshot).spec.source.persistentVolumeClaimName
        return name ? [`${object.metadata.namespace}/${name}`] : []
      },
    },
    {
      kind: VolumeSnapshotContent,
      name: CONTENTS_BY_SNAPSHOT,
      values: (object) => {
        const { namespace, name } = (object as VolumeSnapshotContent).spec.volumeSnapshotRef
        return [`${namespace}/${name}`]
      },
    },
  ],
  watches: [
    {
      kind: VolumeSnapshotContent,
      keys: (object) => {
        const { namespace, name } = (object as VolumeSnapshotContent).spec.volumeSnapshotRef
        return [`${namespace}/${name}`]
      },
    },
    { kind: VolumeSnapshotClass, keys: (_object, look) => waiting(look) },
    {
      kind: PersistentVolumeClaim,
      keys: (object, look) => [
        ...look
          .byIndex(VolumeSnapshot, BY_CLAIM, `${object.metadata.namespace}/${object.metadata.name}`)
          .map(keyOf),
        ...sourceSnapshotOf(object as PersistentVolumeClaim),
      ],
    },
    { kind: PersistentVolume, keys: () => [] },
  ],
  gather: (snapshot, look) => {
    const { namespace } = snapshot.metadata
    const claimName = snapshot.spec.source.persistentVolumeClaimName
    const claim = claimName ? look.get(PersistentVolumeClaim, namespace, claimName) : undefined
    const volumeName = claim?.spec?.volumeName
    return {
      snapshot,
      content: look.get(VolumeSnapshotContent, undefined, contentNameOf(snapshot)),
      claim,
      volume: volumeName ? look.get(PersistentVolume, undefined, volumeName) : undefined,
      snapshotClass: classFor(look, snapshot.spec.volumeSnapshotClassName),
      readers: look
        .byIndex(PersistentVolumeClaim, CLAIMS_BY_SOURCE, keyOf(snapshot))
        .filter((one) => !one.spec?.volumeName && !one.metadata.deletionTimestamp)
        .map((one) => one.metadata.name!),
    }
  },
  decide: decideVolumeSnapshot,
}
