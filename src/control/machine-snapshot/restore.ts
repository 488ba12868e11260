// Decides one VirtualMachineRestore of KubeVirt: waits for its snapshot and for the target to be stopped, holds the
// target's words still, and brings the machine back step by step.
import type { JsonObject } from '../../base/json.ts'
import { jsonPatch } from '../../base/patch/json-patch.ts'
import { formatTime, parseTime } from '../../base/time.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { RESTORE_PROTECTION } from '../../kinds/snapshot/machine-rules.ts'
import { VirtualMachineRestore } from '../../kinds/snapshot/virtual-machine-restore.ts'
import type { VirtualMachineSnapshot } from '../../kinds/snapshot/virtual-machine-snapshot.ts'
import type { VirtualMachineSnapshotContent } from '../../kinds/snapshot/virtual-machine-snapshot-content.ts'
import { type ConditionLike, withConditions } from '../conditions.ts'
import { setFinalizers } from '../finalizers.ts'
import { addressesOf, withoutAddresses } from './parts.ts'
import { type DiskToRestore, decideRestoreStep } from './rebuild-machine.ts'

const GRACE_MS = 5 * 60_000
const LAST_RESTORE = 'restore.kubevirt.io/lastRestoreUID'

export interface SeenMachineRestore {
  readonly restore: VirtualMachineRestore
  readonly snapshot: VirtualMachineSnapshot | undefined
  readonly content: VirtualMachineSnapshotContent | undefined
  readonly target: VirtualMachine | undefined
  readonly instance: VirtualMachineInstance | undefined
  readonly disks: readonly DiskToRestore[]
  /** The machine that the snapshot is of, where it still stands: its addresses are in use. */
  readonly source: VirtualMachine | undefined
}

/** Name of the claim that a volume comes back in. */
export function restoredName(restore: VirtualMachineRestore, volumeName: string): string {
  const { volumeRestoreOverrides, volumeRestorePolicy, target } = restore.spec
  const override = volumeRestoreOverrides?.find((one) => one.volumeName === volumeName)
  if (override?.restoreName) return override.restoreName
  return volumeRestorePolicy === 'PrefixTargetName'
    ? `${target.name}-${volumeName}`
    : `restore-${restore.metadata.uid}-${volumeName}`
}

export function decideMachineRestore(seen: SeenMachineRestore, now: number): Decision {
  const { restore, snapshot, content, target, instance } = seen
  if (restore.metadata.deletionTimestamp) return { actions: [...unlock(seen), ...release(restore)] }
  if (restore.status?.complete) return { actions: unlock(seen) }
  if (restore.status?.conditions?.some(({ type, status }) => type === 'Failure' && status === 'True'))
    return { actions: unlock(seen) }
  if (restore.spec.volumeRestorePolicy === 'InPlace')
    return fail(
      seen,
      'volumeRestorePolicy InPlace is not served: the old claims stay until the new ones are whole',
      now,
    )
  if (snapshot?.status?.readyToUse !== true || !content)
    return waiting(
      seen,
      `Waiting for VirtualMachineSnapshot ${restore.spec.virtualMachineSnapshotName} to be ready`,
      now,
    )
  const isNew = isNewTarget(seen)
  if (target && !isNew) {
    if (instance) return untilStopped(seen, target, now)
    if (target.status?.restoreInProgress !== restore.metadata.name) {
      if (target.status?.restoreInProgress || target.status?.snapshotInProgress)
        return waiting(seen, 'Target is in use by another operation', now)
      return { ...waiting(seen, 'Initializing', now), actions: [lock(target, restore.metadata.name!)] }
    }
  }
  const broken = patchProblem(content, restore)
  if (broken) return fail(seen, broken, now)
  const step = decideRestoreStep({
    name: restore.spec.target.name,
    namespace: restore.metadata.namespace!,
    isNew,
    target,
    ...wordsOf(content),
    disks: seen.disks,
    owned: restore.spec.volumeOwnershipPolicy !== 'None',
    finish: (machine) => apart(patched(machine, restore), seen),
  })
  if (!step.isDone) return { ...waiting(seen, step.waits, now, 'True'), actions: step.actions }
  return { actions: unlock(seen), status: done(seen, now) }
}

/** A machine that the snapshot is not of, or that is not there any more; once made by us, it still is. */
function isNewTarget({ restore, snapshot, target }: SeenMachineRestore): boolean {
  return snapshot?.spec.source.name !== restore.spec.target.name || !target || madeBy(restore, target)
}

function madeBy(restore: VirtualMachineRestore, target: VirtualMachine): boolean {
  return (
    target.metadata.annotations?.[LAST_RESTORE] === `${restore.metadata.name}-${restore.metadata.uid}` &&
    target.status?.restoreInProgress !== restore.metadata.name
  )
}

function wordsOf({ spec }: VirtualMachineSnapshotContent): {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: VirtualMachine['spec']
} {
  const machine = spec.source.virtualMachine
  const metadata = (machine?.metadata ?? {}) as VirtualMachine['metadata']
  return {
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    spec: machine?.spec as unknown as VirtualMachine['spec'],
  }
}

/** Two machines with one network address are refused: a copy beside its original gets its own. */
function apart(machine: VirtualMachine, { source, restore }: SeenMachineRestore): VirtualMachine {
  if (!source || source.metadata.name === restore.spec.target.name) return machine
  return { ...machine, spec: withoutAddresses(machine.spec, addressesOf(source.spec)) }
}

/** Why the patches cannot be applied to what was kept. */
function patchProblem(
  content: VirtualMachineSnapshotContent,
  restore: VirtualMachineRestore,
): string | undefined {
  if ((restore.spec.patches ?? []).length === 0) return undefined
  const { labels, annotations, spec } = wordsOf(content)
  try {
    patched({ metadata: { labels, annotations }, spec } as unknown as VirtualMachine, restore)
    return undefined
  } catch (error) {
    return `the patches cannot be applied: ${error instanceof Error ? error.message : String(error)}`
  }
}

function patched(machine: VirtualMachine, restore: VirtualMachineRestore): VirtualMachine {
  const operations = (restore.spec.patches ?? []).map((text) => JSON.parse(text) as unknown)
  const marked = {
    ...machine,
    metadata: {
      ...machine.metadata,
      annotations: {
        ...machine.metadata.annotations,
        [LAST_RESTORE]: `${restore.metadata.name}-${restore.metadata.uid}`,
      },
    },
  }
  return operations.length === 0
    ? marked
    : (jsonPatch(marked as never, operations) as unknown as VirtualMachine)
}

function statusAction(machine: VirtualMachine, status: JsonObject): Action {
  const { namespace, name, uid } = machine.metadata
  return {
    do: 'patch',
    target: { kind: VirtualMachine, namespace: namespace!, name: name!, uid: uid! },
    subresource: 'status',
    patch: { status },
  }
}

function lock(target: VirtualMachine, name: string): Action {
  return statusAction(target, { restoreInProgress: name })
}

function unlock({ restore, target }: SeenMachineRestore): readonly Action[] {
  if (!target || target.status?.restoreInProgress !== restore.metadata.name) return []
  return [statusAction(target, { restoreInProgress: null })]
}

function release(restore: VirtualMachineRestore): readonly Action[] {
  const finalizers = restore.metadata.finalizers ?? []
  if (!finalizers.includes(RESTORE_PROTECTION)) return []
  const rest = finalizers.filter((word) => word !== RESTORE_PROTECTION)
  return [setFinalizers(VirtualMachineRestore, restore, rest)]
}

/** A target that runs: waited for, stopped, or a failure, as the restore says. */
function untilStopped(seen: SeenMachineRestore, target: VirtualMachine, now: number): Decision {
  const { restore } = seen
  const policy = restore.spec.targetReadinessPolicy ?? 'WaitGracePeriod'
  const { namespace, name, uid } = target.metadata
  const ref = { kind: VirtualMachine, namespace: namespace!, name: name!, uid: uid! }
  if (policy === 'FailImmediate') return fail(seen, 'Restore target VMI still exists', now)
  if (policy === 'StopTarget') {
    const isHalted = target.spec.runStrategy === 'Halted' || target.spec.running === false
    const stop: Action = {
      do: 'patch',
      target: ref,
      patch: { spec: target.spec.running === undefined ? { runStrategy: 'Halted' } : { running: false } },
    }
    return { ...waiting(seen, 'Waiting for target to be stopped', now), actions: isHalted ? [] : [stop] }
  }
  const until = (parseTime(restore.metadata.creationTimestamp ?? '') ?? now) + GRACE_MS
  if (policy === 'WaitGracePeriod' && now >= until)
    return fail(seen, 'Operation failed: the target was not stopped within 5 minutes', now)
  const note: Action = {
    do: 'note',
    about: ref,
    type: 'Warning',
    reason: 'RestoreTargetNotReady',
    message: `Restore ${restore.metadata.name} waits until the machine is stopped`,
  }
  return {
    ...waiting(seen, 'Waiting for target to be ready', now),
    actions: [note],
    ...(policy === 'WaitGracePeriod' ? { wakeAt: until } : {}),
  }
}

function conditions(
  { restore }: SeenMachineRestore,
  progressing: readonly ['True' | 'False', string],
  ready: readonly ['True' | 'False', string],
  now: number,
): readonly ConditionLike[] {
  return withConditions(
    (restore.status?.conditions ?? []) as unknown as readonly ConditionLike[],
    [
      { type: 'Progressing', status: progressing[0], reason: progressing[1] },
      { type: 'Ready', status: ready[0], reason: ready[1] },
    ],
    now,
  )
}

function waiting(
  seen: SeenMachineRestore,
  why: string,
  now: number,
  progressing: 'True' | 'False' = 'False',
): Decision {
  const list = conditions(seen, [progressing, why], ['False', why], now)
  return { actions: [], status: { ...seen.restore.status, complete: false, conditions: list } as never }
}

function fail(seen: SeenMachineRestore, why: string, now: number): Decision {
  const list = withConditions(
    conditions(seen, ['False', why], ['False', why], now),
    [{ type: 'Failure', status: 'True', reason: why }],
    now,
  )
  return {
    actions: unlock(seen),
    status: { ...seen.restore.status, complete: false, conditions: list } as never,
  }
}

function done(seen: SeenMachineRestore, now: number): JsonObject {
  const list = conditions(seen, ['False', 'Operation complete'], ['True', 'Operation complete'], now)
  return {
    ...seen.restore.status,
    complete: true,
    restoreTime: formatTime(now),
    restores: seen.disks.map((disk) => ({
      volumeName: disk.volumeName,
      persistentVolumeClaim: disk.newName,
      volumeSnapshotName: disk.snapshotName,
    })),
    deletedDataVolumes: [],
    conditions: list,
  } as unknown as JsonObject
}
