// When a VirtualMachine's instance is started and stopped: KubeVirt's run strategies and state change requests
// (kubevirt.io user guide, "Run Strategies"), as one pure function.
import { parseTime } from '../../base/time.ts'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'

export type RunStrategy = 'Always' | 'RerunOnFailure' | 'Manual' | 'Halted' | 'Once'

export interface StateChangeRequest {
  readonly action: string
  readonly uid?: string
  readonly data?: Readonly<Record<string, string>>
}

export interface StartFailure {
  readonly consecutiveFailCount?: number
  readonly lastFailedVMIUID?: string
  readonly retryAfterTimestamp?: string
}

export interface RunAnswer {
  readonly create: boolean
  readonly createPaused: boolean
  readonly remove: boolean
  /** Requests that are still open after what was seen. */
  readonly requests: readonly StateChangeRequest[]
  readonly startFailure: StartFailure | undefined
  /** Not before this time may a new instance be made; milliseconds since 1970. */
  readonly waitUntil?: number
}

const BACKOFF_STEP_MS = 10_000
const BACKOFF_MAX_MS = 300_000

export function runStrategyOf(vm: VirtualMachine): RunStrategy {
  const strategy = vm.spec.runStrategy as RunStrategy | undefined
  if (strategy) return strategy
  return vm.spec.running ? 'Always' : 'Halted'
}

export function isFinal(vmi: VirtualMachineInstance): boolean {
  return vmi.status?.phase === 'Succeeded' || vmi.status?.phase === 'Failed'
}

export function wasEverRunning(vmi: VirtualMachineInstance): boolean {
  const times = vmi.status?.phaseTransitionTimestamps ?? []
  return vmi.status?.phase === 'Running' || times.some((entry) => entry.phase === 'Running')
}

/** Requests that what is seen has already satisfied are dropped from the front. */
function openRequests(
  requests: readonly StateChangeRequest[],
  vmi: VirtualMachineInstance | undefined,
): readonly StateChangeRequest[] {
  const [first, ...rest] = requests
  if (!first) return []
  const satisfied =
    first.action === 'Stop'
      ? vmi === undefined || (first.uid !== undefined && first.uid !== '' && first.uid !== vmi.metadata.uid)
      : vmi !== undefined && !isFinal(vmi) && !vmi.metadata.deletionTimestamp
  return satisfied ? openRequests(rest, vmi) : requests
}

/** Counts failures before an instance was ever Running, each waits longer than the one before; a stop is none. */
function nextStartFailure(
  before: StartFailure | undefined,
  vmi: VirtualMachineInstance | undefined,
  [first]: readonly StateChangeRequest[],
  now: number,
): StartFailure | undefined {
  if (!vmi || first?.action === 'Stop') return before
  if (wasEverRunning(vmi)) return undefined
  if (vmi.status?.phase !== 'Failed' || before?.lastFailedVMIUID === vmi.metadata.uid) return before
  const count = (before?.consecutiveFailCount ?? 0) + 1
  const delayMs = Math.min(BACKOFF_STEP_MS * count * count, BACKOFF_MAX_MS)
  return {
    consecutiveFailCount: count,
    lastFailedVMIUID: vmi.metadata.uid!,
    retryAfterTimestamp: new Date(now + delayMs).toISOString().replace(/\.\d+Z$/, 'Z'),
  }
}

/** Whether an instance should exist when none does. */
function wantsInstance(
  vm: VirtualMachine,
  strategy: RunStrategy,
  requests: readonly StateChangeRequest[],
): boolean {
  const started = requests[0]?.action === 'Start'
  switch (strategy) {
    case 'Always':
    case 'Once':
      return true
    case 'Manual':
    case 'Halted':
      return started
    case 'RerunOnFailure':
      // A machine created with this strategy, or switched to it, starts once by itself.
      return started || vm.status?.runStrategy !== 'RerunOnFailure'
  }
}

/** Whether the instance that exists should go. */
function wantsRemoval(
  vmi: VirtualMachineInstance,
  strategy: RunStrategy,
  requests: readonly StateChangeRequest[],
): boolean {
  const [first] = requests
  if (first?.action === 'Stop') return true
  if (!isFinal(vmi)) return strategy === 'Halted'
  switch (strategy) {
    case 'Always':
    case 'RerunOnFailure':
    case 'Halted':
      return true
    case 'Manual':
      return first?.action === 'Start'
    case 'Once':
      return false
  }
}

export function decideRun(
  vm: VirtualMachine,
  vmi: VirtualMachineInstance | undefined,
  now: number,
): RunAnswer {
  const strategy = runStrategyOf(vm)
  const open = openRequests((vm.status?.stateChangeRequests ?? []) as readonly StateChangeRequest[], vmi)
  const failure = nextStartFailure(vm.status?.startFailure, vmi, open, now)
  if (vmi) {
    const remove = !vmi.metadata.deletionTimestamp && wantsRemoval(vmi, strategy, open)
    // A failed run of RerunOnFailure is started again; the request says so across the deletion.
    const rerun =
      strategy === 'RerunOnFailure' && vmi.status?.phase === 'Failed' && !vmi.metadata.deletionTimestamp
    const requests = rerun && open.length === 0 ? [{ action: 'Start' }] : open
    return { create: false, createPaused: false, remove, requests, startFailure: failure }
  }
  const want = wantsInstance(vm, strategy, open)
  const retryAt = failure?.retryAfterTimestamp ? parseTime(failure.retryAfterTimestamp) : undefined
  const early = retryAt !== undefined && retryAt > now
  return {
    create: want && !early,
    createPaused: open[0]?.data?.['paused'] === 'true',
    remove: false,
    requests: open,
    startFailure: want ? failure : undefined,
    ...(want && early ? { waitUntil: retryAt } : {}),
  }
}
