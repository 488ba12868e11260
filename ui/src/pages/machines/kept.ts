// Machines kept as a whole: the snapshot of one with all its disks, and the way back, to the same machine or a new one.
import type { Language } from '../../../../src/words/say.ts'
import { call } from '../../data/api.ts'
import { KEPT_MACHINES, type KeptMachine, type Machine, pathOf, RETURNS } from '../../data/kinds.ts'
import type { Shown } from '../../data/machine-state.ts'
import { sayUi } from '../../words/say.ts'

const API_VERSION = 'snapshot.kubevirt.io/v1beta1'
const NAME_MAX = 63

export function keptState(language: Language, { metadata, status }: KeptMachine): Shown {
  if (metadata.deletionTimestamp) return { tone: 'busy', word: sayUi(language, 'state.deleting') }
  const message = status?.error?.message
  const more = message ? { message } : {}
  if (status?.readyToUse) return { tone: 'ok', word: sayUi(language, 'snapshots.state.ready') }
  if (status?.phase === 'Failed')
    return { tone: 'bad', word: sayUi(language, 'snapshots.state.failed'), ...more }
  return { tone: 'busy', word: sayUi(language, 'snapshots.state.waiting'), ...more }
}

/** Why the machine cannot be put back to what it was; only one that is off can. */
export function isOff({ status }: Machine): boolean {
  return status?.created !== true && (status?.printableStatus ?? 'Stopped') === 'Stopped'
}

/** `web-20260102-030405`: sorts, and fits into a name. */
export function keptName(machine: string, at: Date): string {
  const time = at.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
  return `${machine.slice(0, NAME_MAX - time.length - 1)}-${time}`
}

const machineRef = (name: string) => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name })

/** Throws ApiFailure. */
export function keep({ metadata }: Machine, name: string): Promise<unknown> {
  const { namespace, name: machine = '' } = metadata
  return call(pathOf(KEPT_MACHINES, namespace), {
    method: 'POST',
    body: {
      apiVersion: API_VERSION,
      kind: 'VirtualMachineSnapshot',
      metadata: { name, namespace },
      spec: { source: machineRef(machine) },
    },
  })
}

/** To the machine that it is of, or to a new one of another name. Throws ApiFailure. */
export function bringBack({ metadata }: KeptMachine, target: string): Promise<unknown> {
  const { namespace, name = '' } = metadata
  return call(pathOf(RETURNS, namespace), {
    method: 'POST',
    body: {
      apiVersion: API_VERSION,
      kind: 'VirtualMachineRestore',
      metadata: { name: keptName(target, new Date()), namespace },
      spec: { target: machineRef(target), virtualMachineSnapshotName: name },
    },
  })
}

/** The restore waits by itself until the snapshot is ready. Throws ApiFailure. */
export async function clone(machine: Machine, target: string): Promise<void> {
  const { namespace, name = '' } = machine.metadata
  const snapshot = keptName(name, new Date())
  await keep(machine, snapshot)
  await bringBack({ metadata: { name: snapshot, namespace } } as KeptMachine, target)
}
