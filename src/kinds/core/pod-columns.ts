// Columns of Pods. The Status column is the most read word of all: it is worked out here as kubectl's users know it.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, nameColumn, since } from '../cells.ts'
import type { Column } from '../kind.ts'
import type { podSpec } from './pod/spec.ts'
import type { containerStatus, podStatus } from './pod/status.ts'

type PodObject = KubeObject & {
  readonly spec?: Infer<typeof podSpec>
  readonly status?: Infer<typeof podStatus>
}
type ContainerStatus = Infer<typeof containerStatus>

export interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly status: string
  readonly restarts: number
  /** RFC 3339 of the last restart, if there was one. */
  readonly lastRestart: string | undefined
}

const later = (a: string | undefined, b: string | undefined | null): string | undefined =>
  !b ? a : a === undefined || Date.parse(b) > Date.parse(a) ? b : a

const isTrue = (pod: PodObject, type: string): boolean =>
  (pod.status?.conditions ?? []).some((one) => one.type === type && one.status === 'True')

/** What the columns Ready, Status and Restarts say of a Pod. */
export function summarisePod(pod: PodObject): PodSummary {
  const init = summariseInit(pod)
  const phase = pod.status?.phase ?? ''
  const gated = (pod.status?.conditions ?? []).some(
    (one) => one.type === 'PodScheduled' && one.reason === 'SchedulingGated',
  )
  let reason: string = gated ? 'SchedulingGated' : pod.status?.reason || phase
  let { restarts, lastRestart, ready } = init
  if (init.reason !== undefined) reason = init.reason
  if (init.reason === undefined || isTrue(pod, 'Initialized')) {
    const main = summariseMain(pod, reason)
    restarts = init.sidecarRestarts + main.restarts
    lastRestart = later(init.lastSidecarRestart, main.lastRestart)
    ready += main.ready
    reason = main.reason
  }
  if (pod.metadata.deletionTimestamp) {
    if (pod.status?.reason === 'NodeLost') reason = 'Unknown'
    else if (phase !== 'Succeeded' && phase !== 'Failed') reason = 'Terminating'
  }
  return { ready, total: init.total, status: reason, restarts, lastRestart }
}

interface InitSummary {
  readonly total: number
  readonly ready: number
  /** Set while initialisation goes on or has failed. */
  readonly reason: string | undefined
  readonly restarts: number
  readonly lastRestart: string | undefined
  readonly sidecarRestarts: number
  readonly lastSidecarRestart: string | undefined
}

function summariseInit(pod: PodObject): InitSummary {
  const specs = pod.spec?.initContainers ?? []
  const sidecars = new Set(specs.filter((one) => one.restartPolicy === 'Always').map((one) => one.name))
  const statuses = pod.status?.initContainerStatuses ?? []
  let ready = 0
  let restarts = 0
  let sidecarRestarts = 0
  let lastRestart: string | undefined
  let lastSidecarRestart: string | undefined
  let reason: string | undefined
  for (const [index, status] of statuses.entries()) {
    const sidecar = sidecars.has(status.name ?? '')
    const ended = status.lastState?.terminated?.finishedAt
    restarts += status.restartCount ?? 0
    lastRestart = later(lastRestart, ended)
    if (sidecar) {
      sidecarRestarts += status.restartCount ?? 0
      lastSidecarRestart = later(lastSidecarRestart, ended)
    }
    if (status.state?.terminated && (status.state.terminated.exitCode ?? 0) === 0) continue
    if (sidecar && status.started) {
      if (status.ready) ready += 1
      continue
    }
    reason = initReason(status, index, specs.length)
    break
  }
  const total = (pod.spec?.containers ?? []).length + sidecars.size
  return { total, ready, reason, restarts, lastRestart, sidecarRestarts, lastSidecarRestart }
}

function initReason(status: ContainerStatus, index: number, count: number): string {
  const { terminated, waiting } = status.state ?? {}
  if (terminated) {
    if (terminated.reason) return `Init:${terminated.reason}`
    return terminated.signal
      ? `Init:Signal:${terminated.signal}`
      : `Init:ExitCode:${terminated.exitCode ?? 0}`
  }
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`
  return `Init:${index}/${count}`
}

interface MainSummary {
  readonly ready: number
  readonly reason: string
  readonly restarts: number
  readonly lastRestart: string | undefined
}

function summariseMain(pod: PodObject, before: string): MainSummary {
  let reason = before
  let ready = 0
  let restarts = 0
  let lastRestart: string | undefined
  let running = false
  for (const status of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    restarts += status.restartCount ?? 0
    lastRestart = later(lastRestart, status.lastState?.terminated?.finishedAt)
    const { waiting, terminated } = status.state ?? {}
    if (waiting?.reason) reason = waiting.reason
    else if (terminated?.reason) reason = terminated.reason
    else if (terminated) {
      reason = terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`
    } else if (status.ready && status.state?.running) {
      running = true
      ready += 1
    }
  }
  if (reason === 'Completed' && running) reason = isTrue(pod, 'Ready') ? 'Running' : 'NotReady'
  return { ready, reason, restarts, lastRestart }
}

const summaries = new WeakMap<PodObject, PodSummary>()
/** Three columns ask about the same object. */
function summaryOf(pod: PodObject): PodSummary {
  let summary = summaries.get(pod)
  if (!summary) {
    summary = summarisePod(pod)
    summaries.set(pod, summary)
  }
  return summary
}

function restartsText(pod: PodObject, now: number): string {
  const { restarts, lastRestart } = summaryOf(pod)
  return restarts !== 0 && lastRestart ? `${restarts} (${since(lastRestart, now)} ago)` : String(restarts)
}

function gatesText(pod: PodObject): string {
  const gates = pod.spec?.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  return `${gates.filter((gate) => isTrue(pod, gate.conditionType)).length}/${gates.length}`
}

const WIDE = { wide: true } as const

export const podColumns: readonly Column[] = [
  nameColumn,
  column<PodObject>('Ready', 'Ready containers of all.', (pod) => {
    const { ready, total } = summaryOf(pod)
    return `${ready}/${total}`
  }),
  column<PodObject>('Status', 'What the Pod is doing.', (pod) => summaryOf(pod).status),
  column<PodObject>('Restarts', 'How often containers were started again.', restartsText),
  ageColumn,
  column<PodObject>(
    'IP',
    'Address of the Pod.',
    (pod) => pod.status?.podIPs?.[0]?.ip || pod.status?.podIP || '<none>',
    WIDE,
  ),
  column<PodObject>('Node', 'Node that the Pod runs on.', (pod) => pod.spec?.nodeName || '<none>', WIDE),
  column<PodObject>(
    'Nominated Node',
    'Node where room is being made.',
    (pod) => pod.status?.nominatedNodeName || '<none>',
    WIDE,
  ),
  column<PodObject>('Readiness Gates', 'Readiness gates that hold, of all.', gatesText, WIDE),
]
