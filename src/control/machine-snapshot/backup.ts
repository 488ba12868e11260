// Decides one VirtualMachineBackup of Harvester of type snapshot: the machine's words are written down, its disks are
// kept all at one instant, and they go with the object.
import type { JsonObject } from '../../base/json.ts'
import { parseQuantity, quantityOf, toBigIntBytes } from '../../base/quantity.ts'
import { formatTime } from '../../base/time.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import { BACKUP_FINALIZER } from '../../kinds/harvester/rules/machine-backup.ts'
import { VirtualMachineBackup } from '../../kinds/harvester/virtual-machine-backup.ts'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VolumeSnapshot } from '../../kinds/snapshot/volume-snapshot.ts'
import { type ConditionLike, withConditions } from '../conditions.ts'
import { setFinalizers } from '../finalizers.ts'
import { controllerRef } from '../owner.ts'
import { type Circumstances, diskSnapshot, keptClaim, type MachineDisk, SNAPSHOT_CLASS } from './parts.ts'

const DRIVER = 'driver.longhorn.io'

export interface SeenBackup {
  readonly backup: VirtualMachineBackup
  readonly machine: VirtualMachine | undefined
  readonly disks: readonly MachineDisk[]
  readonly circumstances: Circumstances
  readonly problem: string | undefined
  /** VolumeSnapshots that it names. */
  readonly kept: readonly VolumeSnapshot[]
}

type Backups = NonNullable<NonNullable<VirtualMachineBackup['status']>['volumeBackups']>

export function decideBackup(seen: SeenBackup, now: number): Decision {
  const { backup, machine } = seen
  if (backup.metadata.deletionTimestamp) return { actions: release(backup) }
  if (backup.spec.type !== 'snapshot') return { actions: [] }
  if (backup.status?.source) return follow(seen, now)
  if (!machine) return told(seen, `virtual machine ${backup.spec.source.name} not found`, now)
  if (seen.problem) return told(seen, seen.problem, now)
  const unable = seen.disks.find((disk) => !disk.canBeKept)
  if (unable)
    return told(
      seen,
      unable.claim
        ? `volume ${unable.volumeName} cannot be kept: claim ${unable.claimName} is not bound to a volume of ${DRIVER}`
        : `claim ${unable.claimName} of volume ${unable.volumeName} does not exist`,
      now,
    )
  return begin(seen, machine, now)
}

function release(backup: VirtualMachineBackup): readonly Action[] {
  const finalizers = backup.metadata.finalizers ?? []
  if (!finalizers.includes(BACKUP_FINALIZER)) return []
  const rest = finalizers.filter((word) => word !== BACKUP_FINALIZER)
  return [setFinalizers(VirtualMachineBackup, backup, rest)]
}

function conditionsOf(
  { backup }: SeenBackup,
  ready: boolean,
  message: string,
  now: number,
): readonly object[] {
  const present = (backup.status?.conditions ?? []) as unknown as readonly ConditionLike[]
  return withConditions(
    present,
    [
      { type: 'Ready', status: ready ? 'True' : 'False', ...(ready ? {} : { message }) },
      { type: 'InProgress', status: ready ? 'False' : 'True', ...(ready ? {} : { message }) },
    ],
    now,
  )
}

function told(seen: SeenBackup, message: string, now: number): Decision {
  const before = seen.backup.status
  const time = before?.error?.message === message ? (before.error.time ?? formatTime(now)) : formatTime(now)
  const status = {
    ...before,
    readyToUse: false,
    error: { message, time },
    conditions: conditionsOf(seen, false, message, now),
  }
  return { actions: [], status: status as never }
}

/** First the words, so that what is kept is known before anything is made. */
function begin(seen: SeenBackup, machine: VirtualMachine, now: number): Decision {
  const { backup, disks } = seen
  const { name, namespace, labels, annotations } = machine.metadata
  const volumeBackups = disks.map((disk) => ({
    name: `${backup.metadata.name}-volume-${disk.claimName}`,
    volumeName: disk.volumeName,
    csiDriverName: DRIVER,
    persistentVolumeClaim: keptClaim(disk.claim!),
    volumeSize: sizeOf(disk),
    readyToUse: false,
  }))
  const status = {
    ...seen.backup.status,
    sourceUID: machine.metadata.uid!,
    source: {
      metadata: { name, namespace, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
      spec: machine.spec,
    },
    csiDriverVolumeSnapshotClassNames: { [DRIVER]: SNAPSHOT_CLASS },
    volumeBackups,
    readyToUse: false,
    progress: 0,
    error: null,
    conditions: conditionsOf(seen, false, 'the disks are being kept', now),
  }
  return { actions: [], status: status as unknown as JsonObject }
}

function sizeOf({ claim }: MachineDisk): number {
  const text = claim?.status?.capacity?.['storage']
  const quantity = text === undefined ? undefined : parseQuantity(text)
  return Number(toBigIntBytes(quantity ?? quantityOf(0n, 'BinarySI')))
}

function follow(seen: SeenBackup, now: number): Decision {
  const { backup, kept, circumstances } = seen
  const wished: Backups = backup.status?.volumeBackups ?? []
  const of = (name: string | undefined): VolumeSnapshot | undefined =>
    kept.find((one) => one.metadata.name === name)
  const wasReady = backup.status?.readyToUse === true
  const missing = wished.filter(({ name }) => !of(name))
  // One that was there and is gone is not taken anew: it would show another time.
  const makes = wasReady ? [] : missing
  const actions = makes.map((one) =>
    diskSnapshot({
      name: one.name ?? '',
      namespace: backup.metadata.namespace!,
      claimName: String((one.persistentVolumeClaim.metadata as { readonly name?: string }).name ?? ''),
      owner: controllerRef(VirtualMachineBackup, backup),
      group: { id: backup.metadata.uid!, size: wished.length },
      quiesce: circumstances.online && circumstances.hasAgent && !circumstances.paused,
    }),
  )
  const volumeBackups = wished.map((one) => {
    const status = of(one.name)?.status
    const { error: _error, ...rest } = one
    return {
      ...rest,
      readyToUse: status?.readyToUse === true,
      ...(status?.creationTime ? { creationTime: status.creationTime } : {}),
      ...(status?.error?.message
        ? { error: { message: status.error.message, time: status.error.time ?? formatTime(now) } }
        : {}),
    }
  })
  const ready = volumeBackups.every((one) => one.readyToUse)
  const done = volumeBackups.filter((one) => one.readyToUse).length
  const failed = volumeBackups.find((one) => 'error' in one && one.error)
  const message =
    failed && 'error' in failed
      ? `volume ${failed.volumeName}: ${failed.error?.message}`
      : wasReady && missing.length > 0
        ? `VolumeSnapshot ${missing[0]?.name} was deleted`
        : ''
  const status = {
    ...backup.status,
    volumeBackups,
    readyToUse: ready,
    progress: wished.length === 0 ? 100 : Math.floor((done * 100) / wished.length),
    ...(ready
      ? { creationTime: backup.status?.creationTime ?? volumeBackups[0]?.creationTime ?? formatTime(now) }
      : {}),
    error: message === '' ? null : { message, time: backup.status?.error?.time ?? formatTime(now) },
    conditions: conditionsOf(seen, ready, message || 'the disks are being kept', now),
  }
  return { actions, status: withoutNull(status) }
}

function withoutNull(status: object): JsonObject {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== null)) as JsonObject
}
