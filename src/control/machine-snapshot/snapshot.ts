// Decides one VirtualMachineSnapshot of KubeVirt: the machine is held still in its words, its disks are kept all at
// one instant, and what it was is written into a content. Words of phases, conditions and indications are KubeVirt's.

import { parseDuration } from '../../base/duration.ts'
import { deepEqual } from '../../base/equality.ts'
import type { JsonObject } from '../../base/json.ts'
import { formatTime, parseTime } from '../../base/time.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { SNAPSHOT_PROTECTION } from '../../kinds/snapshot/machine-rules.ts'
import { VirtualMachineSnapshot } from '../../kinds/snapshot/virtual-machine-snapshot.ts'
import { VirtualMachineSnapshotContent } from '../../kinds/snapshot/virtual-machine-snapshot-content.ts'
import type { VolumeSnapshot } from '../../kinds/snapshot/volume-snapshot.ts'
import { type ConditionLike, withConditions } from '../conditions.ts'
import { setFinalizers } from '../finalizers.ts'
import { controllerRef } from '../owner.ts'
import { type Circumstances, diskSnapshot, keptClaim, type MachineDisk } from './parts.ts'

const DEADLINE_DEFAULT_MS = 5 * 60_000
export const DEADLINE_EXCEEDED = 'snapshot deadline exceeded'

export interface SeenMachineSnapshot {
  readonly snapshot: VirtualMachineSnapshot
  readonly machine: VirtualMachine | undefined
  readonly content: VirtualMachineSnapshotContent | undefined
  readonly disks: readonly MachineDisk[]
  readonly otherVolumes: readonly string[]
  readonly circumstances: Circumstances
  /** Why disks cannot be kept at all. */
  readonly problem: string | undefined
  /** VolumeSnapshots of the content. */
  readonly kept: readonly VolumeSnapshot[]
}

type Status = NonNullable<VirtualMachineSnapshot['status']>

export function contentName(snapshot: VirtualMachineSnapshot): string {
  return `vmsnapshot-content-${snapshot.metadata.uid}`
}

export function decideMachineSnapshot(seen: SeenMachineSnapshot, now: number): Decision {
  const { snapshot, machine, content } = seen
  if (snapshot.metadata.deletionTimestamp) return decideEnd(seen)
  const { phase } = snapshot.status ?? {}
  if (phase === 'Failed') return { actions: unlock(seen) }
  if (phase === 'Succeeded') return follow(seen, now)
  const deadline = deadlineOf(snapshot)
  if (deadline !== undefined && now >= deadline) return fail(seen, DEADLINE_EXCEEDED, now)
  const waitUntil = deadline === undefined ? {} : { wakeAt: deadline }
  if (content) return { ...progress(seen, now), ...waitUntil }
  if (!machine || machine.metadata.deletionTimestamp)
    return { ...waiting(seen, 'Source does not exist', now), ...waitUntil }
  const holder = machine.status?.snapshotInProgress
  const restoring = machine.status?.restoreInProgress
  if ((holder && holder !== snapshot.metadata.name) || restoring)
    return { ...waiting(seen, 'Source not locked', now), ...waitUntil }
  if (seen.problem) return { ...waiting(seen, seen.problem, now), ...waitUntil }
  if (!holder) {
    const lock = machineStatus(machine, { snapshotInProgress: snapshot.metadata.name! })
    return { ...waiting(seen, 'Source not locked', now), actions: [lock], ...waitUntil }
  }
  return { ...keep(seen, machine, now), ...waitUntil }
}

function deadlineOf(snapshot: VirtualMachineSnapshot): number | undefined {
  const text = snapshot.spec.failureDeadline
  const ms = text === undefined ? DEADLINE_DEFAULT_MS : (parseDuration(text) ?? DEADLINE_DEFAULT_MS)
  const created = parseTime(snapshot.metadata.creationTimestamp ?? '')
  return ms === 0 || created === undefined ? undefined : created + ms
}

function machineStatus({ metadata }: VirtualMachine, status: JsonObject): Action {
  return {
    do: 'patch',
    target: {
      kind: VirtualMachine,
      namespace: metadata.namespace!,
      name: metadata.name!,
      uid: metadata.uid!,
    },
    subresource: 'status',
    patch: { status },
  }
}

function unlock({ snapshot, machine }: SeenMachineSnapshot): readonly Action[] {
  if (!machine || machine.status?.snapshotInProgress !== snapshot.metadata.name) return []
  return [machineStatus(machine, { snapshotInProgress: null })]
}

interface Told {
  readonly phase: string
  readonly ready: boolean
  readonly progressing: readonly ['True' | 'False', string]
  readonly readyText: string
}

function statusOf(
  seen: SeenMachineSnapshot,
  told: Told,
  now: number,
  more: Partial<Status> = {},
): JsonObject {
  const { snapshot } = seen
  const before = snapshot.status ?? {}
  const conditions = withConditions(
    (before.conditions ?? []) as unknown as readonly ConditionLike[],
    [
      { type: 'Progressing', status: told.progressing[0], reason: told.progressing[1] },
      { type: 'Ready', status: told.ready ? 'True' : 'False', reason: told.readyText },
    ],
    now,
  )
  return {
    ...before,
    phase: told.phase,
    readyToUse: told.ready,
    conditions,
    ...more,
  } as unknown as JsonObject
}

function waiting(seen: SeenMachineSnapshot, why: string, now: number): Decision {
  return {
    actions: [],
    status: statusOf(
      seen,
      { phase: 'InProgress', ready: false, progressing: ['False', why], readyText: 'Not ready' },
      now,
    ),
  }
}

function fail(seen: SeenMachineSnapshot, why: string, now: number): Decision {
  const told = {
    phase: 'Failed',
    ready: false,
    progressing: ['False', 'In error state'],
    readyText: 'Not ready',
  } as const
  const status = statusOf(seen, told, now, { error: { message: why, time: formatTime(now) } })
  const conditions = withConditions(
    status['conditions'] as unknown as readonly ConditionLike[],
    [{ type: 'Failure', status: 'True', reason: why }],
    now,
  )
  return { actions: unlock(seen), status: { ...status, conditions } as never }
}

const MEANINGS: Readonly<Record<string, string>> = {
  Online: 'The machine ran when the snapshot was taken.',
  GuestAgent: 'The guest agent brought the file systems to rest for it.',
  NoGuestAgent: 'No guest agent answered: the disks are as after a power cut.',
  Paused: 'The machine was paused: the disks are as after a power cut.',
  PartialSnapshot: 'Some volumes of the machine could not be kept.',
}

function indicationsOf({ circumstances, disks }: SeenMachineSnapshot): readonly string[] {
  const { online, hasAgent, paused } = circumstances
  const partial = disks.some((disk) => !disk.canBeKept) ? ['PartialSnapshot'] : []
  if (!online) return partial
  return ['Online', paused ? 'Paused' : hasAgent ? 'GuestAgent' : 'NoGuestAgent', ...partial]
}

/** Content and snapshots in one go: the agent waits until it sees as many of the group as there are to be. */
function keep(seen: SeenMachineSnapshot, machine: VirtualMachine, now: number): Decision {
  const { snapshot, disks, circumstances } = seen
  const able = disks.filter((disk) => disk.canBeKept && disk.claim)
  const uid = snapshot.metadata.uid!
  const namespace = snapshot.metadata.namespace!
  const nameFor = (disk: MachineDisk): string => `vmsnapshot-${uid}-volume-${disk.volumeName}`
  const { name, labels, annotations } = machine.metadata
  const content = {
    apiVersion: apiVersionOf(VirtualMachineSnapshotContent),
    kind: VirtualMachineSnapshotContent.kind,
    metadata: {
      name: contentName(snapshot),
      namespace,
      ...(snapshot.spec.deletionPolicy === 'Retain'
        ? {}
        : { ownerReferences: [controllerRef(VirtualMachineSnapshot, snapshot)] }),
    },
    spec: {
      virtualMachineSnapshotName: snapshot.metadata.name!,
      source: {
        virtualMachine: {
          metadata: {
            name,
            namespace,
            ...(labels ? { labels } : {}),
            ...(annotations ? { annotations } : {}),
          },
          spec: machine.spec,
          status: {},
        },
      },
      volumeBackups: able.map((disk) => ({
        volumeName: disk.volumeName,
        persistentVolumeClaim: keptClaim(disk.claim!),
        volumeSnapshotName: nameFor(disk),
      })),
    },
  }
  const indications = indicationsOf(seen)
  const status = statusOf(
    seen,
    {
      phase: 'InProgress',
      ready: false,
      progressing: ['True', 'Source locked and operation in progress'],
      readyText: 'Not ready',
    },
    now,
    {
      sourceUID: machine.metadata.uid!,
      virtualMachineSnapshotContentName: contentName(snapshot),
      indications,
      sourceIndications: indications.map((indication) => ({
        indication,
        message: MEANINGS[indication] ?? '',
      })),
      snapshotVolumes: {
        includedVolumes: able.map((disk) => disk.volumeName),
        excludedVolumes: [
          ...disks.filter((disk) => !able.includes(disk)).map((disk) => disk.volumeName),
          ...seen.otherVolumes,
        ],
      },
    },
  )
  const create: Action = { do: 'create', kind: VirtualMachineSnapshotContent, object: content as never }
  return {
    actions: [create, ...snapshotActions(seen, able, nameFor, circumstances)],
    status,
  }
}

/** Owned by the snapshot, so that they go with it; with Retain they stay, and the content names them. */
function snapshotActions(
  { snapshot }: SeenMachineSnapshot,
  able: readonly MachineDisk[],
  nameFor: (disk: MachineDisk) => string,
  { online, hasAgent, paused }: Circumstances,
): readonly Action[] {
  return able.map((disk) =>
    diskSnapshot({
      name: nameFor(disk),
      namespace: snapshot.metadata.namespace!,
      claimName: disk.claimName,
      owner: ownerOf(snapshot),
      group: { id: snapshot.metadata.uid!, size: able.length },
      quiesce: online && hasAgent && !paused,
    }),
  )
}

function ownerOf(snapshot: VirtualMachineSnapshot): ReturnType<typeof controllerRef> | undefined {
  return snapshot.spec.deletionPolicy === 'Retain'
    ? undefined
    : controllerRef(VirtualMachineSnapshot, snapshot)
}

interface DiskState {
  readonly name: string
  readonly snapshot: VolumeSnapshot | undefined
}

function diskStates({ content, kept }: SeenMachineSnapshot): readonly DiskState[] {
  return (content?.spec.volumeBackups ?? []).map(({ volumeSnapshotName }) => ({
    name: volumeSnapshotName ?? '',
    snapshot: kept.find(
      ({ metadata }) => metadata.name === volumeSnapshotName && !metadata.deletionTimestamp,
    ),
  }))
}

/** The content says how its disks are; written only where it differs. */
function contentActions(seen: SeenMachineSnapshot, now: number): readonly Action[] {
  const { content } = seen
  if (!content) return []
  const states = diskStates(seen)
  const ready = states.every(({ snapshot }) => snapshot?.status?.readyToUse === true)
  const status = {
    ...content.status,
    readyToUse: ready,
    ...(ready ? { creationTime: content.status?.creationTime ?? takenAt(states) ?? formatTime(now) } : {}),
    volumeSnapshotStatus: states.map(({ name, snapshot }) => ({
      volumeSnapshotName: name,
      readyToUse: snapshot?.status?.readyToUse ?? false,
      ...(snapshot?.status?.creationTime ? { creationTime: snapshot.status.creationTime } : {}),
      ...(snapshot?.status?.error ? { error: snapshot.status.error } : {}),
    })),
  }
  if (deepEqual(status, content.status)) return []
  const { namespace, name } = content.metadata
  return [
    {
      do: 'patch',
      target: { kind: VirtualMachineSnapshotContent, namespace: namespace!, name: name! },
      subresource: 'status',
      patch: { status: status as never },
    },
  ]
}

function takenAt(states: readonly DiskState[]): string | undefined {
  return states.map(({ snapshot }) => snapshot?.status?.creationTime).find((time) => time)
}

function progress(seen: SeenMachineSnapshot, now: number): Decision {
  const states = diskStates(seen)
  const ready = states.every(({ snapshot }) => snapshot?.status?.readyToUse === true)
  const content = contentActions(seen, now)
  const missing = states.filter(({ snapshot }) => !snapshot).map(({ name }) => name)
  const again = missing.length > 0 ? remake(seen, missing) : []
  if (!ready)
    return {
      actions: [...again, ...content],
      status: statusOf(
        seen,
        {
          phase: 'InProgress',
          ready: false,
          progressing: ['True', 'Source locked and operation in progress'],
          readyText: 'Not ready',
        },
        now,
      ),
    }
  const status = statusOf(
    seen,
    { phase: 'Succeeded', ready: true, progressing: ['False', 'Operation complete'], readyText: 'Ready' },
    now,
    { creationTime: takenAt(states) ?? formatTime(now) },
  )
  return { actions: [...content, ...unlock(seen)], status }
}

/** A crash between the content and its snapshots leaves some to be made. */
function remake(seen: SeenMachineSnapshot, missing: readonly string[]): readonly Action[] {
  const backups = seen.content?.spec.volumeBackups ?? []
  const { online, hasAgent, paused } = seen.circumstances
  return backups
    .filter(({ volumeSnapshotName }) => missing.includes(volumeSnapshotName ?? ''))
    .map((backup) =>
      diskSnapshot({
        name: backup.volumeSnapshotName ?? '',
        namespace: seen.snapshot.metadata.namespace!,
        claimName: (backup.persistentVolumeClaim.metadata as { readonly name?: string })?.name ?? '',
        owner: ownerOf(seen.snapshot),
        group: { id: seen.snapshot.metadata.uid!, size: backups.length },
        quiesce: online && hasAgent && !paused,
      }),
    )
}

/** Taken once; what becomes of its disks afterwards is told. */
function follow(seen: SeenMachineSnapshot, now: number): Decision {
  const gone = diskStates(seen).filter(({ snapshot }) => snapshot?.status?.readyToUse !== true)
  const ready = seen.content !== undefined && gone.length === 0
  const before = seen.snapshot.status
  const message =
    seen.content === undefined
      ? 'its content is gone'
      : `VolumeSnapshots (${gone.map(({ name }) => name).join(', ')}) missing or not ready`
  const told = {
    phase: 'Succeeded',
    ready,
    progressing: ['False', ready ? 'Operation complete' : 'In error state'],
    readyText: ready ? 'Ready' : 'Not ready',
  } as const
  const error = ready
    ? {}
    : {
        error: {
          message,
          time: before?.error?.message === message ? (before.error.time ?? formatTime(now)) : formatTime(now),
        },
      }
  return {
    actions: [...contentActions(seen, now), ...unlock(seen)],
    status: statusOf(seen, told, now, error),
  }
}

function decideEnd(seen: SeenMachineSnapshot): Decision {
  const { snapshot } = seen
  const finalizers = snapshot.metadata.finalizers ?? []
  if (!finalizers.includes(SNAPSHOT_PROTECTION)) return { actions: [] }
  const rest = finalizers.filter((word) => word !== SNAPSHOT_PROTECTION)
  return {
    actions: [...unlock(seen), setFinalizers(VirtualMachineSnapshot, snapshot, rest)],
  }
}
