// Where the files of machines lie below the data folder, and where their sockets go when that path is long.
import { shortHash } from '../base/derived-name.ts'
import { SOCKET_PATH_MAX } from '../base/limits.ts'
import type { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { AgentOptions, MachineFolders } from './agent-options.ts'

/** Longest name of a socket in its folder, with the slash. */
const SOCKET_NAME_ROOM = '/rescue.sock'.length

export function machinesFolder({ dataFolder }: Pick<AgentOptions, 'dataFolder'>): string {
  return `${dataFolder}/machines`
}

/** Each survives single runs of its machine. */
export function machineStatesFolder({ dataFolder }: Pick<AgentOptions, 'dataFolder'>): string {
  return `${dataFolder}/machine-state`
}

export function machineFolder(options: Pick<AgentOptions, 'dataFolder'>, vmiUid: string): string {
  return `${machinesFolder(options)}/${vmiUid}`
}

/** A folder of its own below the machine's, because it belongs to the machine's user. */
export function socketFolder(
  options: Pick<AgentOptions, 'dataFolder' | 'runFolder'>,
  vmiUid: string,
): string {
  const near = `${machineFolder(options, vmiUid)}/q`
  const short = new TextEncoder().encode(near).length + SOCKET_NAME_ROOM <= SOCKET_PATH_MAX
  return short ? near : `${options.runFolder}/m/${shortHash(vmiUid, 10)}`
}

export function foldersOf(options: AgentOptions, vmi: VirtualMachineInstance): MachineFolders {
  const uid = vmi.metadata.uid ?? ''
  const owner = vmi.metadata.ownerReferences?.find((one) => one.controller && one.kind === 'VirtualMachine')
  return {
    folder: machineFolder(options, uid),
    sockets: socketFolder(options, uid),
    state: `${machineStatesFolder(options)}/${owner?.uid ?? uid}`,
  }
}
