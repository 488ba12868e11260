// Decides one VirtualMachineRestore of Harvester: a new machine from a kept one, or the old machine put back on the
// disks that were kept. Old disks go, where that is wanted, only when the machine stands on the new ones.
import type { JsonObject } from '../../base/json.ts'
import { formatTime } from '../../base/time.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import type { VirtualMachineBackup } from '../../kinds/harvester/virtual-machine-backup.ts'
import type { VirtualMachineRestore } from '../../kinds/harvester/virtual-machine-restore.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { type ConditionLike, withConditions } from '../conditions.ts'
import { withoutAddresses } from './parts.ts'
import { type DiskToRestore, decideRestoreStep } from './rebuild-machine.ts'

export const RESTORE_NAME = 'restore.harvesterhci.io/name'
/** Claims that the machine stood on before, so that they are still known when it stands on others. */
export const REPLACED_CLAIMS = 'croft.io/replaced-claims'
const STARTED = 'RerunOnFailure'

export interface SeenBackupRestore {
  readonly restore: VirtualMachineRestore
  readonly backup: VirtualMachineBackup | undefined
  readonly target: VirtualMachine | undefined
  readonly instance: VirtualMachineInstance | undefined
  readonly disks: readonly DiskToRestore[]
  /** Claims that were replaced and are still there. */
  readonly replaced: readonly PersistentVolumeClaim[]
}

export function decideBackupRestore(seen: SeenBackupRestore, now: number): Decision {
  const { restore, backup, target, instance } = seen
  if (restore.metadata.deletionTimestamp || restore.status?.complete) return { actions: [] }
  const isNew = restore.spec.newVM === true
  if (restore.status?.targetUID && target?.metadata.uid !== restore.status.targetUID)
    return told(seen, `machine ${restore.spec.target.name} was deleted: the restore ends`, now, true)
  if (!backup?.status?.source || backup.status.readyToUse !== true)
    return told(seen, `backup ${restore.spec.virtualMachineBackupName} is not there or not ready`, now)
  if (target && !isNew && instance)
    return told(seen, `machine ${restore.spec.target.name} runs: stop it`, now)
  if (target && !isNew && target.metadata.annotations?.[RESTORE_NAME] !== restore.metadata.name)
    return { ...told(seen, 'the machine is held for the restore', now), actions: [hold(seen, target)] }
  const step = decideRestoreStep({
    name: restore.spec.target.name,
    namespace: restore.metadata.namespace!,
    isNew,
    target,
    ...wordsOf(seen, backup, isNew),
    disks: seen.disks,
    owned: false,
    finish: (machine) => machine,
  })
  if (!step.isDone || !target)
    return { ...progress(seen, step.waits, step.percent, now), actions: step.actions }
  return finish(seen, target, now)
}

function wordsOf({ restore }: SeenBackupRestore, backup: VirtualMachineBackup, isNew: boolean) {
  const source = backup.status?.source
  const metadata = (source?.metadata ?? {}) as VirtualMachine['metadata']
  const kept = source?.spec as unknown as VirtualMachine['spec']
  const spec = isNew && !restore.spec.keepMacAddress ? withoutAddresses(kept) : kept
  return {
    labels: metadata.labels ?? {},
    annotations: {
      ...metadata.annotations,
      ...(isNew ? { [RESTORE_NAME]: restore.metadata.name! } : {}),
    },
    spec,
  }
}

function patch(target: VirtualMachine, change: JsonObject, subresource?: string): Action {
  const { namespace, name, uid } = target.metadata
  return {
    do: 'patch',
    target: { kind: VirtualMachine, namespace: namespace!, name: name!, uid: uid! },
    patch: change,
    ...(subresource ? { subresource } : {}),
  }
}

/** Which claims it stood on is written on the machine before anything changes. */
function hold({ restore, disks }: SeenBackupRestore, target: VirtualMachine): Action {
  const present = (target.spec.template?.spec?.volumes ?? []).flatMap(
    (volume) => volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name ?? [],
  )
  const volumes = new Set(disks.map((disk) => disk.newName))
  const old = present.filter((name) => !volumes.has(name))
  return patch(target, {
    metadata: {
      annotations: { [RESTORE_NAME]: restore.metadata.name!, [REPLACED_CLAIMS]: old.join(',') },
    },
  })
}

/** Old disks, then the machine's freedom, then its start. */
function finish(seen: SeenBackupRestore, target: VirtualMachine, now: number): Decision {
  const { restore, replaced } = seen
  const removes = restore.spec.newVM !== true && restore.spec.deletionPolicy === 'delete'
  const standing = removes ? replaced.filter((claim) => !claim.metadata.deletionTimestamp) : []
  if (standing.length > 0)
    return {
      ...progress(seen, 'the replaced disks are deleted', 97, now),
      actions: standing.map((claim) => ({
        do: 'delete',
        target: {
          kind: PersistentVolumeClaim,
          namespace: claim.metadata.namespace!,
          name: claim.metadata.name!,
          uid: claim.metadata.uid!,
        },
      })),
    }
  const list = conditions(seen, true, '', now)
  const deleted = removes
    ? (target.metadata.annotations?.[REPLACED_CLAIMS] ?? '').split(',').filter(Boolean)
    : []
  const strategy = restore.spec.haltAfterRestore ? {} : { spec: start(target) }
  const free = patch(target, {
    metadata: { annotations: { [RESTORE_NAME]: null, [REPLACED_CLAIMS]: null } },
    ...strategy,
  })
  const { error: _error, ...before } = (restore.status ?? {}) as JsonObject
  return {
    actions: [free],
    status: {
      ...before,
      complete: true,
      progress: 100,
      restoreTime: formatTime(now),
      targetUID: target.metadata.uid!,
      deletedVolumes: deleted,
      restores: restores(seen),
      conditions: list as never,
    } as JsonObject,
  }
}

function start({ spec }: VirtualMachine): JsonObject {
  if (spec.running !== undefined) return { running: true }
  return spec.runStrategy && spec.runStrategy !== 'Halted' ? {} : { runStrategy: STARTED }
}

function restores({ disks }: SeenBackupRestore): JsonObject[] {
  return disks.map((disk) => ({
    volumeName: disk.volumeName,
    volumeBackupName: disk.snapshotName,
    progress: disk.claim?.status?.phase === 'Bound' ? 100 : 0,
    persistentVolumeClaimSpec: {
      metadata: { name: disk.newName },
      spec: (disk.kept.spec ?? {}) as JsonObject,
    },
  }))
}

function conditions(
  { restore }: SeenBackupRestore,
  ready: boolean,
  message: string,
  now: number,
): readonly object[] {
  return withConditions(
    (restore.status?.conditions ?? []) as unknown as readonly ConditionLike[],
    [
      { type: 'Ready', status: ready ? 'True' : 'False', message },
      { type: 'InProgress', status: ready ? 'False' : 'True', message },
    ],
    now,
  )
}

function progress(seen: SeenBackupRestore, message: string, percent: number, now: number): Decision {
  const { restore, target } = seen
  const status = {
    ...restore.status,
    complete: false,
    progress: percent,
    ...(target ? { targetUID: target.metadata.uid! } : {}),
    restores: restores(seen),
    conditions: conditions(seen, false, message, now),
  }
  return { actions: [], status: status as never }
}

function told(seen: SeenBackupRestore, message: string, now: number, ends = false): Decision {
  const status = { ...seen.restore.status, complete: ends, conditions: conditions(seen, false, message, now) }
  return { actions: [], status: status as never }
}
