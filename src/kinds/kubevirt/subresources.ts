// The actions on machines: routes under subresources.kubevirt.io, as discovery lists them and gate/ serves them.
import type { Schema } from '../../base/schema.ts'
import {
  evacuateCancelOptions,
  freezeUnfreezeTimeout,
  migrateOptions,
  pauseOptions,
  restartOptions,
  startOptions,
  stopOptions,
  unpauseOptions,
} from './action-options.ts'
import { addVolumeOptions, removeVolumeOptions } from './volume-requests.ts'

export const SUBRESOURCES_GROUP = 'subresources.kubevirt.io'
/** Both versions serve the same routes. */
export const SUBRESOURCES_VERSIONS = ['v1', 'v1alpha3'] as const

export interface KubevirtSubresource {
  /** `resource/action`, the name that RBAC and discovery use. */
  readonly name: string
  readonly kind: 'VirtualMachine' | 'VirtualMachineInstance'
  readonly method: 'GET' | 'PUT'
  /** RBAC verb: get for GET, update for PUT. */
  readonly verb: 'get' | 'update'
  /** A WebSocket of binary frames, subprotocol `plain.kubevirt.io` or none. */
  readonly stream: boolean
  /** What may follow the action in the path, for instance a port. */
  readonly rest?: string
  /** Form of the body of a PUT; the body may be empty. */
  readonly body?: Schema
  readonly doc: string
}

type Row = readonly [action: string, doc: string, more?: Partial<KubevirtSubresource>]

function put(kind: KubevirtSubresource['kind'], [action, doc, more]: Row): KubevirtSubresource {
  return {
    name: `${plural(kind)}/${action}`,
    kind,
    method: 'PUT',
    verb: 'update',
    stream: false,
    doc,
    ...more,
  }
}
function get(kind: KubevirtSubresource['kind'], [action, doc, more]: Row): KubevirtSubresource {
  return { name: `${plural(kind)}/${action}`, kind, method: 'GET', verb: 'get', stream: false, doc, ...more }
}
function plural(kind: KubevirtSubresource['kind']): string {
  return kind === 'VirtualMachine' ? 'virtualmachines' : 'virtualmachineinstances'
}

const machinePuts: readonly Row[] = [
  ['start', 'Starts a stopped machine.', { body: startOptions }],
  ['stop', 'Shuts a machine down and keeps it stopped.', { body: stopOptions }],
  ['restart', 'Ends the run and begins another.', { body: restartOptions }],
  ['migrate', 'Moves a running machine to another node.', { body: migrateOptions }],
  [
    'addvolume',
    'Plugs a volume into a running machine and keeps it in its template.',
    { body: addVolumeOptions },
  ],
  ['removevolume', 'Unplugs a volume and takes it out of the template.', { body: removeVolumeOptions }],
  ['memorydump', 'Writes the memory of the guest into a claim.'],
  ['removememorydump', 'Forgets a memory dump.'],
  [
    'evacuate/cancel',
    'Takes back the wish to empty the node of this machine.',
    { body: evacuateCancelOptions },
  ],
]
const machineGets: readonly Row[] = [
  ['expand-spec', 'The machine with its instance type and preference merged in.'],
  ['objectgraph', 'The objects that the machine hangs on.'],
  [
    'portforward',
    'A TCP or UDP stream to a port of the guest.',
    { stream: true, rest: '{port}[/{tcp|udp}]' },
  ],
]
const instancePuts: readonly Row[] = [
  ['pause', 'Stops the processors of the guest.', { body: pauseOptions }],
  ['unpause', 'Lets the processors go on.', { body: unpauseOptions }],
  ['freeze', 'Brings the file systems of the guest to rest.', { body: freezeUnfreezeTimeout }],
  ['unfreeze', 'Ends a freeze.'],
  ['reset', 'Resets the guest at once, like the button.'],
  ['softreboot', 'Asks the guest to restart.'],
  ['addvolume', 'Plugs a volume into this run only.', { body: addVolumeOptions }],
  ['removevolume', 'Unplugs a volume from this run.', { body: removeVolumeOptions }],
  ['evacuate/cancel', 'Takes back the wish to empty the node of this run.', { body: evacuateCancelOptions }],
]
const instanceGets: readonly Row[] = [
  ['console', 'The serial console.', { stream: true }],
  ['vnc', 'The screen, as RFB.', { stream: true }],
  ['vnc/screenshot', 'The screen as a PNG picture.'],
  [
    'portforward',
    'A TCP or UDP stream to a port of the guest.',
    { stream: true, rest: '{port}[/{tcp|udp}]' },
  ],
  ['usbredir', 'A USB device of the client for the guest.', { stream: true }],
  ['vsock', 'A stream to a vsock port of the guest.', { stream: true }],
  ['guestosinfo', 'What the guest agent tells of the operating system.'],
  ['userlist', 'Who is logged in, as the guest agent tells.'],
  ['filesystemlist', 'File systems, as the guest agent tells.'],
  ['objectgraph', 'The objects that the run hangs on.'],
]

export const kubevirtSubresources: readonly KubevirtSubresource[] = [
  ...machinePuts.map((row) => put('VirtualMachine', row)),
  ...machineGets.map((row) => get('VirtualMachine', row)),
  ...instancePuts.map((row) => put('VirtualMachineInstance', row)),
  ...instanceGets.map((row) => get('VirtualMachineInstance', row)),
]

/** The route behind a path, for instance `('virtualmachines', 'start')`. The longest action that fits wins. */
export function findKubevirtSubresource(resource: string, rest: string): KubevirtSubresource | undefined {
  const fitting = kubevirtSubresources.filter(({ name, rest: open }) => {
    const wanted = `${resource}/${rest}`
    return wanted === name || (open !== undefined && wanted.startsWith(`${name}/`))
  })
  return fitting.toSorted((a, b) => b.name.length - a.name.length)[0]
}
