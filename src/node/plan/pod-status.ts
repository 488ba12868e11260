// The status of a virt-launcher Pod as the agent writes it: what a kubelet would say if QEMU were a container.
import { formatTime } from '../../base/time.ts'
import type { Pod } from '../../kinds/core/pod.ts'
import { type ConditionWish, mergeConditions } from './conditions.ts'
import type { MachineView } from './machine-view.ts'

export interface PodPlace {
  readonly hostIp: string
  readonly qemuVersion: string
  readonly vmiUid: string
}

export function podStatus(
  pod: Pod,
  view: MachineView,
  place: PodPlace,
  now: number,
): Readonly<Record<string, unknown>> {
  const phase =
    view.state === 'alive'
      ? 'Running'
      : view.state === 'waiting'
        ? 'Pending'
        : view.succeeded
          ? 'Succeeded'
          : 'Failed'
  const present = pod.status ?? {}
  const startTime = present.startTime ?? formatTime(now)
  const ips = view.state === 'alive' ? podIps(view) : []
  return {
    phase,
    startTime,
    hostIP: place.hostIp,
    hostIPs: [{ ip: place.hostIp }],
    ...(view.state === 'ended' && !view.succeeded ? { reason: view.reason, message: view.message } : {}),
    ...(ips[0] === undefined ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    conditions: mergeConditions(present.conditions, conditionsOf(view), [], now),
    containerStatuses: (pod.spec?.containers ?? []).map((container) =>
      containerStatus(container, view, place),
    ),
    qosClass: present.qosClass ?? qosOf(pod),
  }
}

function podIps(view: MachineView & { readonly state: 'alive' }): readonly string[] {
  const [first] = view.networks
  return first ? [...(first.ip ? [first.ip] : []), ...(first.ips ?? [])] : []
}

function conditionsOf(view: MachineView): readonly ConditionWish[] {
  const alive = view.state === 'alive'
  const ready = alive && view.run === 'running'
  const done = view.state === 'ended' && view.succeeded
  const notReady = {
    reason: done ? 'PodCompleted' : view.state === 'ended' ? 'PodFailed' : 'ContainersNotReady',
    message: done
      ? 'the guest shut down'
      : alive
        ? `the guest is not running: ${view.run}`
        : 'containers with unready status: [compute]',
  }
  const state = (type: string, holds: boolean): ConditionWish =>
    holds ? { type, status: 'True' } : { type, status: 'False', ...notReady }
  return [
    { type: 'Initialized', status: 'True' },
    state('ContainersReady', alive),
    state('Ready', ready),
    { type: 'kubevirt.io/virtual-machine-unpaused', status: ready ? 'True' : 'False' },
  ]
}

type Container = NonNullable<NonNullable<Pod['spec']>['containers']>[number]

function containerStatus(
  container: Container,
  view: MachineView,
  { vmiUid, qemuVersion }: PodPlace,
): Readonly<Record<string, unknown>> {
  const containerID = `qemu://${vmiUid}`
  const base = {
    name: container.name,
    image: container.image ?? '',
    imageID: `qemu@${qemuVersion}`,
    restartCount: 0,
    lastState: {},
  }
  if (view.state === 'waiting')
    return {
      ...base,
      ready: false,
      started: false,
      state: {
        waiting: {
          reason: 'ContainerCreating',
          ...(view.wait ? { message: `${view.wait.reason}: ${view.wait.message}` } : {}),
        },
      },
    }
  if (view.state === 'alive')
    return {
      ...base,
      containerID,
      ready: view.run === 'running',
      started: true,
      state: { running: { startedAt: formatTime(view.startedAt) } },
    }
  return {
    ...base,
    containerID,
    ready: false,
    started: false,
    state: {
      terminated: {
        exitCode: view.succeeded ? 0 : 1,
        reason: view.succeeded ? 'Completed' : 'Error',
        message: view.message,
        startedAt: formatTime(view.startedAt),
        finishedAt: formatTime(view.endedAt),
        containerID,
      },
    },
  }
}

/** Kubernetes' rule: Guaranteed when requests equal limits for both, BestEffort without any, else Burstable. */
function qosOf(pod: Pod): string {
  const all = (pod.spec?.containers ?? []).map((container) => container.resources ?? {})
  const keys = ['cpu', 'memory'] as const
  if (
    all.every(({ requests, limits }) =>
      keys.every((key) => requests?.[key] === undefined && limits?.[key] === undefined),
    )
  )
    return 'BestEffort'
  const same = all.every(({ requests, limits }) =>
    keys.every(
      (key) =>
        limits?.[key] !== undefined && (requests?.[key] === undefined || requests[key] === limits[key]),
    ),
  )
  return same ? 'Guaranteed' : 'Burstable'
}
