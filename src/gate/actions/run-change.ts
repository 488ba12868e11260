// What start, stop and restart change, by run strategy: pure, with KubeVirt's words for every refusal
// (kubevirt.io user guide, "Run Strategies", and the answers of its API).
import { refuse } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'

export interface StateChangeRequest {
  readonly action: 'Start' | 'Stop'
  readonly uid?: string
  readonly data?: Readonly<Record<string, string>>
}

export interface RunChange {
  /** What `status.stateChangeRequests` becomes. */
  readonly requests?: readonly StateChangeRequest[]
  /** A merge patch of `spec`. */
  readonly spec?: JsonObject
  /** The grace period that the running instance gets from now on. Seconds. */
  readonly graceSeconds?: number
  /** The launcher Pod is deleted without grace. */
  readonly endAtOnce?: boolean
}

export interface StartWish {
  readonly paused: boolean
}
export interface StopWish {
  readonly gracePeriod: number | undefined
}
export interface RestartWish {
  readonly gracePeriodSeconds: number | undefined
}

type Machine = VirtualMachine
type Instance = VirtualMachineInstance | undefined

export const MACHINE_NAME = { group: 'kubevirt.io', resource: 'virtualmachine' } as const
export const INSTANCE_NAME = { group: 'kubevirt.io', resource: 'virtualmachineinstance' } as const

function conflict(vm: Machine, why: string) {
  return refuse.conflict(MACHINE_NAME, vm.metadata.name ?? '', why)
}

export function strategyOf(vm: Machine): string {
  return vm.spec.runStrategy ?? (vm.spec.running === true ? 'Always' : 'Halted')
}

function isFinal(vmi: Instance): boolean {
  return vmi?.status?.phase === 'Succeeded' || vmi?.status?.phase === 'Failed'
}

function isActive(vmi: Instance): boolean {
  const phase = vmi?.status?.phase ?? ''
  return !['', 'Unknown', 'Succeeded', 'Failed'].includes(phase)
}

/** Keeps the field that the machine's owner chose: `running` or `runStrategy`. */
function specFor(vm: Machine, strategy: 'Always' | 'Halted'): JsonObject {
  return vm.spec.running === undefined ? { runStrategy: strategy } : { running: strategy === 'Always' }
}

/** One stop may take the place of what waits; everything else waits its turn. */
function queue(vm: Machine, requests: readonly StateChangeRequest[]): readonly StateChangeRequest[] {
  const waiting = vm.status?.stateChangeRequests ?? []
  const justStop = requests.length === 1 && requests[0]?.action === 'Stop'
  if (waiting.length > 0 && !justStop)
    throw conflict(vm, 'unable to complete request: stop/start already underway')
  return requests
}

function stopOf(vmi: VirtualMachineInstance): StateChangeRequest {
  return { action: 'Stop', uid: vmi.metadata.uid ?? '' }
}

export function startChange(vm: Machine, vmi: Instance, { paused }: StartWish): RunChange {
  if (
    vm.status?.conditions?.some(({ type, status }) => type === 'ManualRecoveryRequired' && status === 'True')
  )
    throw conflict(vm, 'VM recovery required, a volume migration left it half way')
  if (isActive(vmi)) throw conflict(vm, 'VM is already running')
  const strategy = strategyOf(vm)
  const start: StateChangeRequest = { action: 'Start', ...(paused ? { data: { paused: 'true' } } : {}) }
  switch (strategy) {
    case 'Halted': {
      const spec = specFor(vm, 'Always')
      return paused ? { spec, requests: queue(vm, [start]) } : { spec }
    }
    case 'RerunOnFailure':
      if (vmi?.status?.phase === 'Failed')
        throw conflict(vm, 'RerunOnFailure does not support starting VM from failed state')
      return { requests: queue(vm, vmi ? [stopOf(vmi), start] : [start]) }
    case 'Manual':
      return { requests: queue(vm, vmi && isFinal(vmi) ? [stopOf(vmi), start] : [start]) }
    default:
      throw conflict(vm, `${strategy} does not support manual start requests`)
  }
}

export function stopChange(vm: Machine, vmi: Instance, { gracePeriod }: StopWish): RunChange {
  if (gracePeriod !== undefined && gracePeriod < 0)
    throw refuse.badRequest('gracePeriod has to be greater or equal to 0')
  const grace = gracePeriod !== undefined && vmi ? { graceSeconds: gracePeriod } : {}
  const strategy = strategyOf(vm)
  switch (strategy) {
    case 'Halted': {
      if (!vmi || isFinal(vmi)) throw conflict(vm, 'VM is not running')
      const present = Number(vmi.spec?.terminationGracePeriodSeconds ?? Number.POSITIVE_INFINITY)
      if (gracePeriod === undefined || gracePeriod >= present)
        throw conflict(vm, 'Halted only supports manual stop requests with a shorter graceperiod')
      return grace
    }
    case 'RerunOnFailure':
    case 'Manual':
      if (!vmi || isFinal(vmi)) throw conflict(vm, 'VM is not running')
      return { ...grace, requests: queue(vm, [stopOf(vmi)]) }
    default:
      return { ...grace, spec: specFor(vm, 'Halted') }
  }
}

export function restartChange(vm: Machine, vmi: Instance, { gracePeriodSeconds }: RestartWish): RunChange {
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds > 0)
    throw refuse.badRequest('For force restart, only gracePeriod=0 is supported for now')
  if (gracePeriodSeconds !== undefined && gracePeriodSeconds < 0)
    throw refuse.badRequest('gracePeriod has to be greater or equal to 0')
  const strategy = strategyOf(vm)
  if (strategy === 'Halted' || strategy === 'Once')
    throw conflict(vm, `RunStategy ${strategy} does not support manual restart requests`)
  if (!vmi)
    throw conflict(vm, `VM is not running: ${refuse.notFound(INSTANCE_NAME, vm.metadata.name ?? '').message}`)
  const requests = queue(vm, [stopOf(vmi), { action: 'Start' }])
  return gracePeriodSeconds === 0 ? { requests, graceSeconds: 0, endAtOnce: true } : { requests }
}
