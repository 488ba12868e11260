// The steps by which a machine comes back on copies of its kept disks, the same for KubeVirt's and Harvester's
// restores: a new machine is made stopped, the claims are made and filled, an old machine is put on them. One step at
// a time, each found again after a crash by what is there.
import type { JsonObject } from '../../base/json.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Action } from '../../kinds/decide.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import type { VolumeSnapshot } from '../../kinds/snapshot/volume-snapshot.ts'
import { controllerRef } from '../owner.ts'
import { CLAIM_TEMPLATES } from '../virtual-machine/disks.ts'
import { isFilled } from '../volume/clone.ts'
import { diskCopy, onClaims, renamedTemplates } from './parts.ts'

/** Runs no longer than a restore: a machine that is put together does not start by itself. */
const HALTED = 'Halted'

export interface DiskToRestore {
  readonly volumeName: string
  /** Claim that it was kept from. */
  readonly oldName: string
  readonly newName: string
  readonly kept: { readonly metadata?: unknown; readonly spec?: unknown }
  readonly snapshot: VolumeSnapshot | undefined
  readonly snapshotName: string
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  /** The new claim, where it is there already, and the volume under it. */
  readonly claim: PersistentVolumeClaim | undefined
  readonly volume: Volume | undefined
}

export interface MachineToRestore {
  readonly name: string
  readonly namespace: string
  readonly isNew: boolean
  readonly target: VirtualMachine | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: VirtualMachine['spec']
  readonly disks: readonly DiskToRestore[]
  /** The new claims go with the machine. */
  readonly owned: boolean
  /** The last word on the machine, for instance patches. */
  readonly finish: (machine: VirtualMachine) => VirtualMachine
}

export interface RestoreStep {
  readonly actions: readonly Action[]
  readonly isDone: boolean
  /** What it waits for. */
  readonly waits: string
  readonly percent: number
}

export function decideRestoreStep(input: MachineToRestore): RestoreStep {
  const { target, isNew, disks } = input
  if (!target) {
    if (!isNew) return step([], `machine ${input.name} does not exist any more`)
    return step([{ do: 'create', kind: VirtualMachine, object: newMachine(input) }], 'the machine is made')
  }
  const lost = disks.find((disk) => !disk.claim && disk.snapshot?.status?.readyToUse !== true)
  if (lost) return step([], `snapshot ${lost.snapshotName} of disk ${lost.volumeName} is not ready`)
  const missing = disks.filter((disk) => !disk.claim)
  if (missing.length > 0)
    return step(
      missing.map((disk) => copyOf(input, disk, target)),
      'the disks are made',
    )
  const unfilled = disks.filter(
    ({ claim, volume }) => claim?.status?.phase !== 'Bound' || !volume || !isFilled(volume),
  )
  if (unfilled.length > 0) {
    const percent = Math.floor(((disks.length - unfilled.length) * 90) / disks.length)
    return step([], `the disks are filled: ${disks.length - unfilled.length} of ${disks.length}`, percent)
  }
  if (!isNew && !standsOn(target, disks))
    return step(
      [{ do: 'update', kind: VirtualMachine, object: rewritten(input, target) }],
      'the machine is put on its disks',
      95,
    )
  return { actions: [], isDone: true, waits: '', percent: 100 }
}

function step(actions: readonly Action[], waits: string, percent = 0): RestoreStep {
  return { actions, isDone: false, waits, percent }
}

function names(disks: readonly DiskToRestore[]): ReadonlyMap<string, string> {
  return new Map(disks.map((disk) => [disk.volumeName, disk.newName]))
}

function annotationsFor({ annotations, disks }: MachineToRestore): Readonly<Record<string, string>> {
  const text = annotations[CLAIM_TEMPLATES]
  if (!text) return annotations
  const renamed = renamedTemplates(text, new Map(disks.map((disk) => [disk.oldName, disk.newName])))
  return { ...annotations, [CLAIM_TEMPLATES]: renamed }
}

function newMachine(input: MachineToRestore): VirtualMachine {
  const { running: _running, ...spec } = onClaims(input.spec, names(input.disks)) as JsonObject
  const machine = {
    apiVersion: apiVersionOf(VirtualMachine),
    kind: VirtualMachine.kind,
    metadata: {
      name: input.name,
      namespace: input.namespace,
      labels: input.labels,
      annotations: annotationsFor(input),
    },
    spec: { ...spec, runStrategy: HALTED },
  } as unknown as VirtualMachine
  return input.finish(machine)
}

/** Its old words on its new disks; whether it runs stays its own matter. */
function rewritten(input: MachineToRestore, target: VirtualMachine): VirtualMachine {
  const { running, runStrategy } = target.spec
  const {
    running: _running,
    runStrategy: _strategy,
    ...spec
  } = onClaims(input.spec, names(input.disks)) as JsonObject
  return input.finish({
    ...target,
    metadata: {
      ...target.metadata,
      labels: { ...target.metadata.labels, ...input.labels },
      annotations: { ...target.metadata.annotations, ...annotationsFor(input) },
    },
    spec: {
      ...spec,
      ...(running === undefined ? {} : { running }),
      ...(runStrategy === undefined ? {} : { runStrategy }),
    },
  } as unknown as VirtualMachine)
}

function standsOn(target: VirtualMachine, disks: readonly DiskToRestore[]): boolean {
  const used = new Set(
    (target.spec.template?.spec?.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName),
  )
  return disks.every((disk) => used.has(disk.newName))
}

function copyOf(input: MachineToRestore, disk: DiskToRestore, target: VirtualMachine): Action {
  return diskCopy({
    name: disk.newName,
    namespace: input.namespace,
    kept: disk.kept,
    snapshotName: disk.snapshotName,
    restoreSize: disk.snapshot?.status?.restoreSize,
    owner: input.owned ? { ...controllerRef(VirtualMachine, target), controller: false } : undefined,
    ...(disk.labels ? { labels: disk.labels } : {}),
    ...(disk.annotations ? { annotations: disk.annotations } : {}),
  })
}
