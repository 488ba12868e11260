// What commands say about machines: state in words, conditions that explain it, the wait until it is so.
import type { KindOf } from '../kinds/kind.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { Key } from '../words/catalogue.ts'
import { say } from '../words/say.ts'
import { CliError } from './cli-error.ts'
import { type Call, EXIT, type World } from './command.ts'
import type { Connection } from './connect.ts'
import { waitFor } from './progress.ts'

export type Machine = KindOf<typeof VirtualMachine>
export type Instance = KindOf<typeof VirtualMachineInstance>

/** A guest that boots by emulation, with its image still to be fetched. Milliseconds. */
export const START_TIMEOUT_MS = 5 * 60_000
/** A guest gets terminationGracePeriodSeconds, three minutes by KubeVirt's habit. Milliseconds. */
export const STOP_TIMEOUT_MS = 4 * 60_000

type MachineState = Extract<Key, `state.vm.${string}`>

const STATES: Readonly<Record<string, MachineState>> = {
  Stopped: 'state.vm.Stopped',
  Provisioning: 'state.vm.Provisioning',
  Starting: 'state.vm.Starting',
  Running: 'state.vm.Running',
  Paused: 'state.vm.Paused',
  Stopping: 'state.vm.Stopping',
  Terminating: 'state.vm.Terminating',
  Migrating: 'state.vm.Migrating',
  CrashLoopBackOff: 'state.vm.CrashLoopBackOff',
  Unknown: 'state.vm.Unknown',
  ErrorUnschedulable: 'state.vm.ErrorUnschedulable',
  ErrorPvcNotFound: 'state.vm.ErrorPvcNotFound',
  DataVolumeError: 'state.vm.DataVolumeError',
  WaitingForVolumeBinding: 'state.vm.WaitingForVolumeBinding',
}

/** State in the reader's language; the API's own word where there is none. */
export function stateText({ language }: World, machine: Machine | undefined): string {
  const state = machine?.status?.printableStatus ?? ''
  const key = STATES[state]
  return key === undefined ? state : say(language, key)
}

/** Others, for instance LiveMigratable, may be False of a machine that is well. */
const EXPLAINING = new Set(['Ready', 'PodScheduled', 'DataVolumesReady', 'Synchronized', 'Initialized'])

/** What a condition says of why it is not so yet. */
export function reasonText(machine: Machine | undefined): string {
  const conditions = machine?.status?.conditions ?? []
  const failure = conditions.find(({ type, status }) => type === 'Failure' && status === 'True')
  const unready = conditions.find(
    ({ type, status, message }) => EXPLAINING.has(type) && status === 'False' && Boolean(message),
  )
  return failure?.message ?? unready?.message ?? ''
}

export function machineStep(world: World, machine: Machine | undefined): string {
  const name = machine?.metadata.name ?? ''
  const reason = reasonText(machine)
  return `${name}: ${stateText(world, machine) || say(world.language, 'state.vm.Starting')}${reason === '' ? '' : ` (${reason})`}`
}

export interface MachineWait {
  readonly what: string
  readonly timeoutMs: number
  readonly done: (machine: Machine | undefined) => boolean
  /** Waiting for a run to begin ends where the guest fails again and again. */
  readonly starts?: boolean
}

export function waitForMachine(
  world: World,
  connection: Connection,
  name: string,
  wait: MachineWait,
): Promise<Machine | undefined> {
  const { client, namespace } = connection
  const next = `croft why vm/${name} -n ${namespace}`
  return waitFor(world, {
    client,
    kind: VirtualMachine,
    name,
    namespace,
    timeoutMs: wait.timeoutMs,
    what: wait.what,
    next,
    look(machine) {
      if (wait.done(machine)) return { done: true, step: '' }
      if (machine === undefined)
        throw new CliError({
          what: `Machine "${name}" was deleted meanwhile.`,
          code: EXIT.notFound,
          reason: 'NotFound',
        })
      if (wait.starts && machine.status?.printableStatus === 'CrashLoopBackOff')
        throw new CliError({
          what: `${name}: ${stateText(world, machine)}`,
          why: reasonText(machine),
          next,
          code: EXIT.failed,
          reason: 'CrashLoopBackOff',
        })
      return { done: false, step: machineStep(world, machine) }
    },
  })
}

export const isRunning = (machine: Machine | undefined): boolean =>
  machine?.status?.printableStatus === 'Running'

export function timeoutOf(call: Call, otherwiseMs: number): number {
  return call.duration('timeout') ?? otherwiseMs
}

/** Path of an action, for instance `('virtualmachines', 'web', 'start')`. */
export function actionPath({ namespace }: Connection, plural: string, name: string, action: string): string {
  const words = ['apis', 'subresources.kubevirt.io', 'v1', 'namespaces', namespace, plural, name]
  return `/${words.map(encodeURIComponent).join('/')}/${action}`
}
