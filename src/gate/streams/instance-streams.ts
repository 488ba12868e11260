// The WebSockets of machines: serial console, screen, ports of the guest. Every refusal comes before the upgrade, as a
// Status, because a client shows no reason of a socket that closes.
import type { AgentTarget } from '../../base/agent-port.ts'
import { type ApiError, refuse } from '../../base/errors.ts'
import type { Failure } from '../../base/result.ts'
import type { UpgradeAnswer, WebSocketPeer } from '../../host/host.ts'
import type { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { readInstance, targetOf } from '../actions/instance-actions.ts'
import { INSTANCE_NAME } from '../actions/run-change.ts'
import { type Ask, agentOf, type GateDeps, gateClient } from '../ask.ts'
import { pipe } from './pipe.ts'

/** `plain.kubevirt.io` is what clients of KubeVirt say, `binary` what noVNC does; the bytes are the same. */
const PROTOCOLS = ['plain.kubevirt.io', 'binary']
const EVICTED = 4001

export function isInstanceStream(word: string): boolean {
  return word === 'console' || word === 'vnc' || word === 'portforward'
}

export function chooseProtocol(offered: readonly string[]): string | undefined {
  return PROTOCOLS.find((known) => offered.includes(known))
}

/** Who looks at which screen: a newcomer takes it over. */
export type Screens = Map<string, WebSocketPeer>

export async function openInstanceStream(
  deps: GateDeps,
  screens: Screens,
  { request, info }: Ask,
  protocols: readonly string[],
): Promise<UpgradeAnswer> {
  const wish = readWish(info.subresource, info.rest)
  const vmi = await readInstance(gateClient(deps), info)
  checkFits(vmi, wish.type)
  const { nodeName, ref } = targetOf(vmi)
  const keeps = wish.type === 'vnc' && info.query.get('preserveSession') === 'true'
  if (keeps && screens.has(ref.uid))
    throw refuse.unavailable(
      'session exists: somebody looks at this screen and it was asked not to take it over',
    )
  const opened = await agentOf(deps).dial.open(nodeName, { ...ref, ...wish })
  if (!opened.ok) throw refusalOf(vmi, opened.failure)
  const stream = opened.value
  // A client that goes away before the upgrade is done never talks.
  request.signal.addEventListener('abort', () => stream.close(), { once: true })
  return {
    protocol: chooseProtocol(protocols),
    talk: async (socket) => {
      if (wish.type === 'vnc') takeOver(screens, ref.uid, socket)
      try {
        await pipe(socket, stream)
      } finally {
        if (screens.get(ref.uid) === socket) screens.delete(ref.uid)
      }
    },
  }
}

function takeOver(screens: Screens, uid: string, socket: WebSocketPeer): void {
  screens.get(uid)?.close(EVICTED, 'somebody else opened the screen')
  screens.set(uid, socket)
}

type Wish = Pick<AgentTarget, 'type' | 'port'>

function readWish(subresource: string, rest: readonly string[]): Wish {
  if (subresource === 'vnc') return { type: 'vnc' }
  if (subresource === 'console') return { type: 'serial' }
  const [port = '', protocol = 'tcp'] = rest
  return { type: 'port', port: readPort(port, protocol) }
}

export function readPort(text: string, protocol: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535)
    throw refuse.badRequest(`"${text}" is no port: it must be a number from 1 to 65535`)
  if (protocol.toLowerCase() !== 'tcp') throw refuse.badRequest(`only tcp is forwarded, not "${protocol}"`)
  return port
}

function checkFits(vmi: VirtualMachineInstance, type: Wish['type']): void {
  const { phase, conditions } = vmi.status ?? {}
  if (phase === 'Failed')
    throw refuse.conflict(INSTANCE_NAME, vmi.metadata.name ?? '', 'VMI is in failed status')
  if (phase !== 'Running') throw refuse.badRequest('VMI is not running')
  const { devices } = vmi.spec?.domain ?? {}
  if (type === 'serial' && devices?.autoattachSerialConsole === false)
    throw refuse.badRequest('No serial consoles are present.')
  if (type === 'vnc' && devices?.autoattachGraphicsDevice === false)
    throw refuse.badRequest('No graphics devices are present.')
  if (type === 'port' && conditions?.some((one) => one.type === 'Paused' && one.status === 'True'))
    throw refuse.conflict(INSTANCE_NAME, vmi.metadata.name ?? '', 'VMI is paused')
}

export function refusalOf(vmi: VirtualMachineInstance, { reason, message }: Failure): ApiError {
  switch (reason) {
    case 'MachineNotRunning':
      return refuse.badRequest('VMI is not running')
    case 'NoSerialConsole':
      return refuse.badRequest('No serial consoles are present.')
    case 'NoGraphicsDevice':
      return refuse.badRequest('No graphics devices are present.')
    case 'NoInterface':
    case 'PortUnreachable':
      return refuse.badRequest(message)
    case 'NodeUnknown':
      return refuse.unavailable(message, 5)
    default:
      return refuse.internal(`${vmi.metadata.name}: ${message}`)
  }
}
