// Decides one VirtualMachine: its disks, whether its instance should exist, and its status.

import type { DataVolume } from '../../kinds/cdi/data-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import { MACHINE_FINALIZER } from '../../kinds/kubevirt/defaults/machine.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { type ConditionWish, findCondition, withConditions, withoutConditions } from '../conditions.ts'
import { setFinalizers } from '../finalizers.ts'
import { claimsToRemove, missingClaims, missingDataVolumes, mountedClaims } from './disks.ts'
import { instanceOf, TEMPLATE_HASH, templateHash } from './instance.ts'
import { type DiskFacts, printableStatus } from './printable-status.ts'
import { decideRun, isFinal, type RunAnswer, runStrategyOf } from './run.ts'

const WHOLE: DiskFacts = { lacksDataVolume: false, claimUnbound: false }
/** Usually the arrival of another machine wakes one that waits; where all of those stand still, this does. */
const TURN_LOOK_MS = 1_000

export interface SeenVirtualMachine {
  readonly vm: VirtualMachine
  /** The instance of the same name, whoever owns it. */
  readonly vmi: VirtualMachineInstance | undefined
  readonly ownsInstance: boolean
  readonly dataVolumes: readonly DataVolume[]
  /** Claims of the namespace that the machine mounts or names for removal. */
  readonly claims: readonly PersistentVolumeClaim[]
  /** Enough machines are on their way up already; this one begins when one of them has arrived. */
  readonly mustWait: boolean
}

export function decideVirtualMachine(seen: SeenVirtualMachine, now: number): Decision {
  const vmi = seen.ownsInstance ? seen.vmi : undefined
  const run = decideRun(seen.vm, vmi, now)
  return seen.vm.metadata.deletionTimestamp ? decideDeletion(seen, vmi, run) : decideLife(seen, vmi, run, now)
}

const isOrphaning = (vm: VirtualMachine): boolean => (vm.metadata.finalizers ?? []).includes('orphan')

function refOf(vm: VirtualMachine): {
  readonly kind: typeof VirtualMachine
  readonly namespace: string
  readonly name: string
} {
  return { kind: VirtualMachine, namespace: vm.metadata.namespace!, name: vm.metadata.name! }
}

function removeInstance(vmi: VirtualMachineInstance): Action {
  const { namespace, name, uid } = vmi.metadata
  return {
    do: 'delete',
    target: { kind: VirtualMachineInstance, namespace: namespace!, name: name!, uid: uid! },
  }
}

/** The instance ends first, then the chosen claims go, then the machine. */
function decideDeletion(
  { vm, claims }: SeenVirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  run: RunAnswer,
): Decision {
  const finalizers = vm.metadata.finalizers ?? []
  if (vmi && !isOrphaning(vm)) {
    const actions = vmi.metadata.deletionTimestamp ? [] : [removeInstance(vmi)]
    const word = printableStatus({ vm, vmi, run, dataVolumes: [], ...WHOLE })
    return { actions, status: { ...vm.status, printableStatus: word } }
  }
  const removals: readonly Action[] = claimsToRemove(vm, claims).map((claim) => ({
    do: 'delete',
    target: {
      kind: PersistentVolumeClaim,
      namespace: claim.metadata.namespace!,
      name: claim.metadata.name!,
      uid: claim.metadata.uid!,
    },
  }))
  if (!finalizers.includes(MACHINE_FINALIZER)) return { actions: removals }
  return {
    actions: [
      ...removals,
      setFinalizers(
        VirtualMachine,
        vm,
        finalizers.filter((word) => word !== MACHINE_FINALIZER),
      ),
    ],
  }
}

function decideLife(
  seen: SeenVirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  run: RunAnswer,
  now: number,
): Decision {
  const { vm, dataVolumes, claims } = seen
  const finalizers = vm.metadata.finalizers ?? []
  const foreign = seen.vmi !== undefined && !seen.ownsInstance
  const isStarting = run.create && !foreign
  const waits = isStarting && seen.mustWait
  const creating = isStarting && !waits
  const lackingVolumes = missingDataVolumes(vm, dataVolumes, claims)
  const lackingClaims = missingClaims(vm, claims)
  const actions: readonly Action[] = [
    ...(finalizers.includes(MACHINE_FINALIZER)
      ? []
      : [setFinalizers(VirtualMachine, vm, [...finalizers, MACHINE_FINALIZER])]),
    ...(waits ? [] : [...lackingVolumes, ...lackingClaims]),
    ...(creating ? startActions(vm, run) : []),
    ...(run.remove && vmi ? stopActions(vm, vmi) : []),
  ]
  const mounted = mountedClaims(vm)
  const isUnbound = (claim: PersistentVolumeClaim): boolean =>
    mounted.includes(claim.metadata.name!) && claim.status?.phase !== 'Bound'
  const disks = {
    lacksDataVolume: lackingVolumes.length > 0,
    claimUnbound: lackingClaims.length > 0 || claims.some(isUnbound),
  }
  const status = statusOf(seen, vmi, { run: { ...run, create: isStarting }, disks }, now)
  const wakeAt = waits ? now + TURN_LOOK_MS : run.waitUntil
  return {
    actions,
    status,
    urgent: status['ready'] !== (vm.status?.ready ?? false),
    ...(wakeAt === undefined ? {} : { wakeAt }),
  }
}

function startActions(vm: VirtualMachine, run: RunAnswer): readonly Action[] {
  const name = vm.metadata.name!
  return [
    { do: 'create', kind: VirtualMachineInstance, object: instanceOf(vm, run.createPaused) },
    {
      do: 'note',
      about: refOf(vm),
      type: 'Normal',
      reason: 'SuccessfulCreate',
      message: `Started the virtual machine by creating the new virtual machine instance ${name}`,
    },
  ]
}

function stopActions(vm: VirtualMachine, vmi: VirtualMachineInstance): readonly Action[] {
  return [
    removeInstance(vmi),
    {
      do: 'note',
      about: refOf(vm),
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Stopped the virtual machine by deleting the virtual machine instance ${vmi.metadata.name}`,
    },
  ]
}

/** Mirrored from the instance, as KubeVirt does; kept while there is none. */
const NOT_MIRRORED = ['Ready', 'Failure', 'RestartRequired']

function conditionsOf(
  seen: SeenVirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  run: RunAnswer,
  now: number,
): NonNullable<VirtualMachine['status']>['conditions'] {
  const { vm } = seen
  const ready = findCondition(vmi?.status?.conditions, 'Ready')
  const wishes: ConditionWish[] = []
  if (!vmi)
    wishes.push({ type: 'Ready', status: 'False', reason: 'VMINotExists', message: 'VMI does not exist' })
  else if (!ready)
    wishes.push({
      type: 'Ready',
      status: 'False',
      reason: 'VMIConditionMissing',
      message: 'VMI is missing the Ready condition',
    })
  else wishes.push(ready as ConditionWish)
  const mirrored = (vmi?.status?.conditions ?? []).filter(
    (condition) => !NOT_MIRRORED.includes(condition.type),
  )
  wishes.push(...(mirrored as readonly ConditionWish[]))
  const restart = needsRestart(vm, vmi)
  if (restart)
    wishes.push({
      type: 'RestartRequired',
      status: 'True',
      reason: 'RestartRequired',
      message: 'a non-live-updatable field was changed in the template spec; restart the machine to apply it',
    })
  const failure = failureOf(seen, vmi, run)
  if (failure) wishes.push(failure)
  const gone = [
    ...(vmi ? (vm.status?.conditions ?? []).map((condition) => condition.type) : []).filter(
      (type) => !wishes.some((wish) => wish.type === type),
    ),
    ...(restart ? [] : ['RestartRequired']),
    ...(failure ? [] : ['Failure']),
  ]
  return withConditions(withoutConditions(vm.status?.conditions, gone), wishes, now)
}

/** Why no instance can be made, or why the last one did not start, also while none is there. */
function failureOf(
  { vm, vmi: seenVmi, ownsInstance }: SeenVirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  { startFailure }: RunAnswer,
): ConditionWish | undefined {
  if (seenVmi && !ownsInstance)
    return {
      type: 'Failure',
      status: 'True',
      reason: 'FailedCreate',
      message: `a virtual machine instance named ${seenVmi.metadata.name} exists that does not belong to this machine; delete or rename it`,
    }
  if (!startFailure) return undefined
  const failed = vmi?.metadata.uid === startFailure.lastFailedVMIUID ? vmi : undefined
  const message =
    findCondition(failed?.status?.conditions, 'Ready')?.message ??
    findCondition(vm.status?.conditions, 'Failure')?.message
  return { type: 'Failure', status: 'True', reason: 'FailedStart', ...(message ? { message } : {}) }
}

function needsRestart(vm: VirtualMachine, vmi: VirtualMachineInstance | undefined): boolean {
  const made = vmi?.metadata.annotations?.[TEMPLATE_HASH]
  return made !== undefined && vmi !== undefined && !isFinal(vmi) && made !== templateHash(vm)
}

function statusOf(
  seen: SeenVirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  { run, disks }: { readonly run: RunAnswer; readonly disks: DiskFacts },
  now: number,
): NonNullable<Decision['status']> {
  const { vm, dataVolumes } = seen
  const { stateChangeRequests: _requests, startFailure: _failure, ...before } = vm.status ?? {}
  return {
    ...before,
    created: vmi !== undefined,
    ready: findCondition(vmi?.status?.conditions, 'Ready')?.status === 'True',
    runStrategy: runStrategyOf(vm),
    printableStatus: printableStatus({ vm, vmi, run, dataVolumes, ...disks }),
    conditions: conditionsOf(seen, vmi, run, now),
    desiredGeneration: vm.metadata.generation ?? 1,
    observedGeneration: vm.metadata.generation ?? 1,
    ...(run.requests.length > 0 ? { stateChangeRequests: run.requests } : {}),
    ...(run.startFailure ? { startFailure: run.startFailure } : {}),
  } as unknown as NonNullable<Decision['status']>
}
