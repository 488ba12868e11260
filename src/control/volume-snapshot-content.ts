// Decides one VolumeSnapshotContent of our driver: the Snapshot behind it, what it says of that, and when both go.
import { formatTime, parseTime } from '../base/time.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { Snapshot } from '../kinds/longhorn/snapshot.ts'
import { readSnapshotHandle } from '../kinds/snapshot/rules.ts'
import { VolumeSnapshot } from '../kinds/snapshot/volume-snapshot.ts'
import { VolumeSnapshotClass } from '../kinds/snapshot/volume-snapshot-class.ts'
import { VolumeSnapshotContent } from '../kinds/snapshot/volume-snapshot-content.ts'
import { LONGHORN_DRIVER } from './claim/provision.ts'
import { LONGHORN_NAMESPACE } from './data-volume.ts'
import { setFinalizers } from './finalizers.ts'

export const CONTENT_PROTECTION = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'
/** Which snapshots are taken together, and how: read by the agent from the labels of the Snapshot. */
export const GROUP_KEYS = ['croft.io/group', 'croft.io/group-size', 'croft.io/quiesce'] as const

export interface SeenContent {
  readonly content: VolumeSnapshotContent
  readonly snapshot: Snapshot | undefined
  /** The VolumeSnapshot that it belongs to still stands. */
  readonly isHeld: boolean
  readonly snapshotClass: VolumeSnapshotClass | undefined
}

export interface Handle {
  readonly volume: string
  readonly snapshot: string
}

/** Where its data are, or are to be. */
export function handleOf({ spec }: VolumeSnapshotContent): Handle | undefined {
  const { volumeHandle, snapshotHandle } = spec.source
  if (snapshotHandle) return readSnapshotHandle(snapshotHandle)
  const { uid } = spec.volumeSnapshotRef
  return volumeHandle && uid ? { volume: volumeHandle, snapshot: `snapshot-${uid}` } : undefined
}

export function decideContent(seen: SeenContent, now: number): Decision {
  const { content, snapshot } = seen
  if (content.spec.driver !== LONGHORN_DRIVER) return { actions: [] }
  if (content.metadata.deletionTimestamp) return decideEnd(seen)
  const finalizers = content.metadata.finalizers ?? []
  const protect = finalizers.includes(CONTENT_PROTECTION)
    ? []
    : [setFinalizers(VolumeSnapshotContent, content, [...finalizers, CONTENT_PROTECTION])]
  const handle = handleOf(content)
  if (!handle) return { actions: protect }
  const type = seen.snapshotClass?.parameters?.['type'] ?? (seen.snapshotClass ? 'bak' : 'snap')
  if (content.spec.source.volumeHandle && type !== 'snap')
    return failure(
      content,
      `class ${seen.snapshotClass?.metadata.name} makes ${type === 'bi' ? 'exported images' : 'backups'} (type ${type}), which are not served yet; use a class with parameter type: snap`,
      now,
      protect,
    )
  if (!snapshot) {
    if (content.spec.source.snapshotHandle)
      return failure(
        content,
        `snapshot ${handle.snapshot} of volume ${handle.volume} does not exist`,
        now,
        protect,
      )
    if (content.status?.readyToUse)
      return failure(content, `snapshot ${handle.snapshot} was deleted behind its content`, now, protect)
    return { actions: [...protect, creation(content, handle)] }
  }
  return { actions: protect, status: statusFrom(content, snapshot, handle, now) as never }
}

function creation({ metadata, spec }: VolumeSnapshotContent, handle: Handle): Action {
  const group = Object.fromEntries(
    GROUP_KEYS.flatMap((key) => {
      const value = metadata.annotations?.[key]
      return value === undefined ? [] : [[key, value]]
    }),
  )
  const object: Snapshot = {
    apiVersion: apiVersionOf(Snapshot),
    kind: Snapshot.kind,
    metadata: {
      name: handle.snapshot,
      namespace: LONGHORN_NAMESPACE,
      labels: group,
      annotations: {
        ...group,
        'croft.io/volume-snapshot': `${spec.volumeSnapshotRef.namespace}/${spec.volumeSnapshotRef.name}`,
      },
    },
    spec: { volume: handle.volume, createSnapshot: true, labels: { type: 'snap' } },
  }
  return { do: 'create', kind: Snapshot, object }
}

function failure(
  content: VolumeSnapshotContent,
  message: string,
  now: number,
  actions: readonly Action[],
): Decision {
  const before = content.status?.error
  const time = before?.message === message ? before.time : formatTime(now)
  return { actions, status: { ...content.status, readyToUse: false, error: { message, time } } as never }
}

function statusFrom(
  content: VolumeSnapshotContent,
  { status }: Snapshot,
  handle: Handle,
  now: number,
): object {
  const created = status?.creationTime ? parseTime(status.creationTime) : undefined
  const { error: _error, ...before } = content.status ?? {}
  const told = status?.error
  const since = content.status?.error?.message === told ? content.status?.error?.time : formatTime(now)
  return {
    ...before,
    snapshotHandle: `snap://${handle.volume}/${handle.snapshot}`,
    readyToUse: status?.readyToUse === true,
    // Nanoseconds, beyond what a double counts exactly.
    ...(created === undefined ? {} : { creationTime: BigInt(created) * 1_000_000n }),
    // Of its volume when it was taken: that one may grow since, what the snapshot holds does not.
    ...(before.restoreSize === undefined && status?.restoreSize !== undefined
      ? { restoreSize: status.restoreSize }
      : {}),
    ...(told ? { error: { message: told, time: since } } : {}),
  }
}

function decideEnd({ content, snapshot, isHeld }: SeenContent): Decision {
  const finalizers = content.metadata.finalizers ?? []
  if (!finalizers.includes(CONTENT_PROTECTION) || isHeld) return { actions: [] }
  if (content.spec.deletionPolicy === 'Delete' && snapshot) {
    if (snapshot.metadata.deletionTimestamp) return { actions: [] }
    const { namespace, name, uid } = snapshot.metadata
    return {
      actions: [{ do: 'delete', target: { kind: Snapshot, namespace: namespace!, name: name!, uid: uid! } }],
    }
  }
  const rest = finalizers.filter((word) => word !== CONTENT_PROTECTION)
  return { actions: [setFinalizers(VolumeSnapshotContent, content, rest)] }
}

const BY_SNAPSHOT = 'content-snapshot'

export const volumeSnapshotContentDecider: Decider<typeof VolumeSnapshotContent, SeenContent> = {
  name: 'volume-snapshot-content',
  kind: VolumeSnapshotContent,
  indexes: [
    {
      kind: VolumeSnapshotContent,
      name: BY_SNAPSHOT,
      values: (object) => {
        const handle = handleOf(object as VolumeSnapshotContent)
        return handle ? [handle.snapshot] : []
      },
    },
  ],
  watches: [
    {
      kind: Snapshot,
      keys: ({ metadata }, look) =>
        look
          .byIndex(VolumeSnapshotContent, BY_SNAPSHOT, metadata.name!)
          .map((content) => content.metadata.name!),
    },
    {
      kind: VolumeSnapshot,
      keys: (object) => {
        const name = (object as VolumeSnapshot).status?.boundVolumeSnapshotContentName
        return name ? [name] : []
      },
    },
    { kind: VolumeSnapshotClass, keys: () => [] },
  ],
  gather: (content, look) => {
    const handle = handleOf(content)
    const { name, namespace, uid } = content.spec.volumeSnapshotRef
    const owner = look.get(VolumeSnapshot, namespace, name ?? '')
    const className = content.spec.volumeSnapshotClassName
    const snapshot = handle && look.get(Snapshot, LONGHORN_NAMESPACE, handle.snapshot)
    return {
      content,
      snapshot: snapshot?.spec?.volume === handle?.volume ? snapshot : undefined,
      isHeld:
        owner !== undefined && !owner.metadata.deletionTimestamp && (!uid || owner.metadata.uid === uid),
      snapshotClass: className ? look.get(VolumeSnapshotClass, undefined, className) : undefined,
    }
  },
  decide: decideContent,
}
