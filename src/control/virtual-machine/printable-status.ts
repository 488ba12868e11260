// The one word that a person reads of a VirtualMachine; the first rule that holds wins. Words and order are
// KubeVirt's (its VirtualMachine printableStatus).
import type { DataVolume } from '../../kinds/cdi/data-volume.ts'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { findCondition } from '../conditions.ts'
import { isFinal, type RunAnswer, runStrategyOf } from './run.ts'

export interface DiskFacts {
  /** A DataVolume of the templates is still to be made. */
  readonly lacksDataVolume: boolean
  /** A claim that the machine mounts is still to be made, or not bound. */
  readonly claimUnbound: boolean
}

export interface StatusFacts extends DiskFacts {
  readonly vm: VirtualMachine
  readonly vmi: VirtualMachineInstance | undefined
  readonly run: RunAnswer
  /** The DataVolumes of the templates that exist. */
  readonly dataVolumes: readonly DataVolume[]
}

interface Rule {
  readonly word: string
  readonly holds: (facts: StatusFacts) => boolean
}

const STARTING_PHASES = ['', 'Pending', 'Scheduling', 'Scheduled']

function synchronizedReason(vmi: VirtualMachineInstance | undefined): string | undefined {
  const condition = findCondition(vmi?.status?.conditions, 'Synchronized')
  return condition?.status === 'False' ? condition.reason : undefined
}

function isUnschedulable(vmi: VirtualMachineInstance | undefined): boolean {
  const condition = findCondition(vmi?.status?.conditions, 'PodScheduled')
  return condition?.status === 'False' && condition.reason === 'Unschedulable'
}

function dataVolumeFailed(dataVolume: DataVolume): boolean {
  const running = findCondition(dataVolume.status?.conditions, 'Running')
  const broken = running?.status === 'False' && ['Error', 'ImagePullFailed'].includes(running.reason ?? '')
  return dataVolume.status?.phase === 'Failed' || broken
}

function isProvisioning(dataVolume: DataVolume): boolean {
  return !['Succeeded', 'PendingPopulation', 'WaitForFirstConsumer'].includes(dataVolume.status?.phase ?? '')
}

function wantsToRun({ vm, vmi, run }: StatusFacts): boolean {
  return run.create || run.waitUntil !== undefined || (vmi !== undefined && runStrategyOf(vm) !== 'Halted')
}

const RULES: readonly Rule[] = [
  { word: 'Terminating', holds: ({ vm }) => vm.metadata.deletionTimestamp !== undefined },
  {
    word: 'Stopping',
    holds: ({ vmi, run }) =>
      vmi !== undefined && !isFinal(vmi) && (vmi.metadata.deletionTimestamp !== undefined || run.remove),
  },
  {
    word: 'Migrating',
    holds: ({ vmi }) =>
      vmi?.status?.migrationState?.startTimestamp !== undefined &&
      vmi.status.migrationState.endTimestamp === undefined,
  },
  {
    word: 'Paused',
    holds: ({ vmi }) =>
      vmi?.status?.phase === 'Running' && findCondition(vmi.status.conditions, 'Paused')?.status === 'True',
  },
  { word: 'Running', holds: ({ vmi }) => vmi?.status?.phase === 'Running' },
  { word: 'ErrorPvcNotFound', holds: ({ vmi }) => synchronizedReason(vmi) === 'FailedPvcNotFound' },
  { word: 'DataVolumeError', holds: ({ dataVolumes }) => dataVolumes.some(dataVolumeFailed) },
  { word: 'ErrorUnschedulable', holds: ({ vmi }) => isUnschedulable(vmi) },
  {
    word: 'Provisioning',
    holds: ({ dataVolumes, lacksDataVolume }) => lacksDataVolume || dataVolumes.some(isProvisioning),
  },
  { word: 'WaitingForVolumeBinding', holds: (facts) => facts.claimUnbound && wantsToRun(facts) },
  { word: 'ErrImagePull', holds: ({ vmi }) => synchronizedReason(vmi) === 'ErrImagePull' },
  { word: 'ImagePullBackOff', holds: ({ vmi }) => synchronizedReason(vmi) === 'ImagePullBackOff' },
  {
    word: 'Starting',
    holds: ({ vmi, run }) => (vmi ? STARTING_PHASES.includes(vmi.status?.phase ?? '') : run.create),
  },
  {
    word: 'CrashLoopBackOff',
    holds: ({ vmi, run }) =>
      (vmi === undefined || isFinal(vmi)) && (run.startFailure?.consecutiveFailCount ?? 0) > 0 && !run.create,
  },
  { word: 'Stopped', holds: ({ vmi }) => vmi === undefined || isFinal(vmi) },
]

export function printableStatus(facts: StatusFacts): string {
  return RULES.find((rule) => rule.holds(facts))?.word ?? 'Unknown'
}
