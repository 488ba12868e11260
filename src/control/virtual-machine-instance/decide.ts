// Decides one VirtualMachineInstance up to the moment its node takes over: waits for its disks, makes its Pod,
// follows the Pod to a node, and notices when the Pod is gone. From `Scheduled` on, the status belongs to the agent
// of the node; what is decided here then is only what an agent that is dead can't say.
import { formatTime } from '../../base/time.ts'
import type { DataVolume } from '../../kinds/cdi/data-volume.ts'
import type { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../../kinds/core/pod.ts'
import type { Action, Decision } from '../../kinds/decide.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { type ConditionWish, findCondition, withConditions, withoutConditions } from '../conditions.ts'
import { setFinalizers } from '../finalizers.ts'
import { INSTANCE_FINALIZER } from '../virtual-machine/instance.ts'
import { launcherPod } from './pod.ts'

export const NODE_LABEL = 'kubevirt.io/nodeName'

/** A disk that the instance mounts: its claim, and the DataVolume that fills it, where there is one. */
export interface SeenDisk {
  readonly claimName: string
  readonly claim: PersistentVolumeClaim | undefined
  readonly dataVolume: DataVolume | undefined
  /** The volume names a DataVolume, so one is expected. */
  readonly expectsDataVolume: boolean
}

export interface SeenInstance {
  readonly vmi: VirtualMachineInstance
  readonly pods: readonly Pod[]
  readonly disks: readonly SeenDisk[]
}

type Phase = '' | 'Pending' | 'Scheduling' | 'Scheduled' | 'Running' | 'Succeeded' | 'Failed'

export function decideInstance(seen: SeenInstance, now: number): Decision {
  const { vmi, pods } = seen
  if (vmi.metadata.deletionTimestamp) return decideDeletion(vmi, pods)
  const phase = (vmi.status?.phase ?? '') as Phase
  if (phase === '' || phase === 'Pending' || phase === 'Scheduling') return decideUntilScheduled(seen, now)
  if (phase === 'Scheduled' || phase === 'Running') return decideHandedOver(vmi, pods, now)
  return { actions: [] }
}

function refOf(vmi: VirtualMachineInstance): {
  readonly kind: typeof VirtualMachineInstance
  readonly namespace: string
  readonly name: string
} {
  return { kind: VirtualMachineInstance, namespace: vmi.metadata.namespace!, name: vmi.metadata.name! }
}

/** The Pod ends first; the instance goes when no Pod is left, so that two never run at once. */
function decideDeletion(vmi: VirtualMachineInstance, pods: readonly Pod[]): Decision {
  const finalizers = vmi.metadata.finalizers ?? []
  if (pods.length > 0) {
    const standing = pods.filter((pod) => !pod.metadata.deletionTimestamp)
    return {
      actions: standing.map((pod) => ({
        do: 'delete',
        target: {
          kind: Pod,
          namespace: pod.metadata.namespace!,
          name: pod.metadata.name!,
          uid: pod.metadata.uid!,
        },
      })),
    }
  }
  if (!finalizers.includes(INSTANCE_FINALIZER)) return { actions: [] }
  return {
    actions: [
      setFinalizers(
        VirtualMachineInstance,
        vmi,
        finalizers.filter((word) => word !== INSTANCE_FINALIZER),
      ),
    ],
  }
}

function isReady(disk: SeenDisk): boolean {
  if (disk.dataVolume)
    return ['Succeeded', 'WaitForFirstConsumer'].includes(disk.dataVolume.status?.phase ?? '')
  // A claim of that name without its DataVolume was adopted and holds data already.
  return disk.claim !== undefined
}

interface DiskAnswer {
  readonly ready: boolean
  readonly conditions: readonly ConditionWish[]
}

function judgeDisks(vmi: VirtualMachineInstance, disks: readonly SeenDisk[]): DiskAnswer {
  const { namespace } = vmi.metadata
  const missing = disks.filter((disk) => !disk.claim && !disk.dataVolume)
  const waiting = disks.filter((disk) => !isReady(disk) && !missing.includes(disk))
  const usesDataVolumes = disks.some((disk) => disk.dataVolume)
  const conditions: ConditionWish[] = []
  const [absent] = missing
  if (absent)
    conditions.push({
      type: 'Synchronized',
      status: 'False',
      reason: 'FailedPvcNotFound',
      message: `${absent.expectsDataVolume ? 'DataVolume' : 'PVC'} ${namespace}/${absent.claimName} does not exist, waiting for it to appear`,
    })
  if (usesDataVolumes)
    conditions.push(
      waiting.length === 0
        ? {
            type: 'DataVolumesReady',
            status: 'True',
            reason: 'AllDVsReady',
            message: "All of the VMI's DVs are bound and ready",
          }
        : {
            type: 'DataVolumesReady',
            status: 'False',
            reason: 'NotAllDVsReady',
            message: `Not all of the VMI's DVs are ready: ${waiting.map((disk) => disk.claimName).join(', ')}`,
          },
    )
  return { ready: missing.length === 0 && waiting.length === 0, conditions }
}

function withPhase(
  vmi: VirtualMachineInstance,
  phase: Phase,
  now: number,
): NonNullable<VirtualMachineInstance['status']> {
  const { phase: before, phaseTransitionTimestamps = [], ...rest } = vmi.status ?? {}
  const stamp = { phase, phaseTransitionTimestamp: formatTime(now) }
  return {
    ...rest,
    phase,
    phaseTransitionTimestamps:
      before === phase ? phaseTransitionTimestamps : [...phaseTransitionTimestamps, stamp],
  }
}

const NOT_SCHEDULED: ConditionWish = {
  type: 'Ready',
  status: 'False',
  reason: 'PodNotExists',
  message: 'virt-launcher pod has not yet been scheduled',
}

function podScheduledWish(pod: Pod | undefined): readonly ConditionWish[] {
  const condition = findCondition(pod?.status?.conditions, 'PodScheduled')
  if (condition?.status !== 'False') return []
  return [
    {
      type: 'PodScheduled',
      status: 'False',
      ...(condition.reason ? { reason: condition.reason } : {}),
      ...(condition.message ? { message: condition.message } : {}),
    },
  ]
}

function decideUntilScheduled(seen: SeenInstance, now: number): Decision {
  const { vmi, pods } = seen
  const finalizers = vmi.metadata.finalizers ?? []
  const guard = finalizers.includes(INSTANCE_FINALIZER)
    ? []
    : [setFinalizers(VirtualMachineInstance, vmi, [...finalizers, INSTANCE_FINALIZER])]
  const pod = pods.find((one) => !one.metadata.deletionTimestamp)
  const nodeName = pod?.spec?.nodeName
  if (pod && nodeName) return handOver(vmi, pod, nodeName, now)
  const disks = judgeDisks(vmi, seen.disks)
  const create: readonly Action[] =
    pods.length === 0 && disks.ready ? [{ do: 'create', kind: Pod, object: launcherPod(vmi) }] : []
  const phase: Phase = pod || create.length > 0 ? 'Scheduling' : 'Pending'
  const wishes = [NOT_SCHEDULED, ...disks.conditions, ...podScheduledWish(pod)]
  const status = {
    ...withPhase(vmi, phase, now),
    conditions: withConditions(
      withoutConditions(
        vmi.status?.conditions,
        ['Synchronized', 'PodScheduled', 'DataVolumesReady'].filter(
          (type) => !wishes.some((wish) => wish.type === type),
        ),
      ),
      wishes,
      now,
    ),
  }
  return { actions: [...guard, ...create], status: status as NonNullable<Decision['status']> }
}

/** The node takes over: from here on its agent writes the status. */
function handOver(vmi: VirtualMachineInstance, pod: Pod, nodeName: string, now: number): Decision {
  const status = {
    ...withPhase(vmi, 'Scheduled', now),
    nodeName,
    activePods: { [pod.metadata.uid!]: nodeName },
    launcherContainerImageVersion: pod.spec?.containers?.[0]?.image ?? '',
    conditions: withConditions(
      withoutConditions(vmi.status?.conditions, ['PodScheduled', 'Synchronized']),
      [
        {
          type: 'Ready',
          status: 'False',
          reason: 'GuestNotRunning',
          message: 'Guest VM is not reported as running',
        },
      ],
      now,
    ),
  }
  return { actions: [], status: status as unknown as NonNullable<Decision['status']>, urgent: true }
}

/** For those who look for the machines of a node; written after the hand-over, which the node waits for. */
function nodeLabel(vmi: VirtualMachineInstance): readonly Action[] {
  const nodeName = vmi.status?.nodeName
  if (!nodeName || vmi.metadata.labels?.[NODE_LABEL] === nodeName) return []
  return [{ do: 'patch', target: refOf(vmi), patch: { metadata: { labels: { [NODE_LABEL]: nodeName } } } }]
}

/** Only what the agent can no longer say: its Pod is gone, or ended without its word. */
function decideHandedOver(vmi: VirtualMachineInstance, pods: readonly Pod[], now: number): Decision {
  const ended = pods.find((pod) => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed')
  const living = pods.find((pod) => pod !== ended)
  if (living || (pods.length > 0 && !ended)) return { actions: nodeLabel(vmi) }
  const phase: Phase = ended?.status?.phase === 'Succeeded' ? 'Succeeded' : 'Failed'
  const status = {
    ...withPhase(vmi, phase, now),
    reason: ended ? (ended.status?.reason ?? '') : 'PodGone',
    conditions: withConditions(
      vmi.status?.conditions,
      [{ type: 'Ready', status: 'False', reason: 'PodTerminating', message: 'virt-launcher pod has ended' }],
      now,
    ),
  }
  return { actions: [], status: status as unknown as NonNullable<Decision['status']> }
}
