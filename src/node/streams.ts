// Streams to machines of this node: serial console, screen, log, ports of the guest.
import type { AgentDial, AgentStream, AgentTarget } from '../base/agent-port.ts'
import { type Failure, failed, type Result } from '../base/result.ts'
import type { AgentOptions } from './agent-options.ts'
import { machineFolder } from './folders.ts'
import type { Machine } from './machine/machine.ts'
import { noSerial, readLog } from './machine/serial.ts'

const DIAL_TIMEOUT_MS = 5_000

export function agentDial(
  options: AgentOptions,
  machineOf: (vmiUid: string) => Machine | undefined,
): AgentDial {
  return {
    async open(nodeName: string, target: AgentTarget): Promise<Result<AgentStream>> {
      if (nodeName !== options.nodeName) return failed(unknownNode(nodeName))
      const machine = machineOf(target.uid)
      if (target.type === 'agent-log') return openLog(options, machine, target)
      if (!machine || machine.life.state === 'ended') return failed(notRunning())
      if (target.type === 'serial')
        return machine.serial ? machine.serial.open({ replay: target.noReplay !== true }) : noSerial()
      if (target.type === 'vnc') return openVnc(options, machine)
      return openPort(options, machine, target.port ?? 0)
    },
  }
}

function openLog(
  options: AgentOptions,
  machine: Machine | undefined,
  target: AgentTarget,
): Promise<Result<AgentStream>> {
  const wish = {
    follow: target.follow === true,
    ...(target.tailLines === undefined ? {} : { tailLines: target.tailLines }),
  }
  if (machine?.serial && machine.life.state !== 'ended') return machine.serial.log(wish)
  // What a machine said last is worth most after its end.
  return readLog(options.host, `${machineFolder(options, target.uid)}/serial.log`, wish.tailLines)
}

async function openVnc({ host }: AgentOptions, machine: Machine): Promise<Result<AgentStream>> {
  const { vnc } = machine.plan.sockets
  if (vnc === undefined)
    return failed({ reason: 'NoGraphicsDevice', message: 'No graphics devices are present.', retry: 'never' })
  return host.net.dial({ unix: vnc }, DIAL_TIMEOUT_MS)
}

async function openPort(
  { host }: AgentOptions,
  machine: Machine,
  port: number,
): Promise<Result<AgentStream>> {
  const reach = machine.networks.find((one) => one.reach !== undefined)?.reach
  if (!reach)
    return failed({
      reason: 'NoInterface',
      message: 'the guest has no interface that this node reaches',
      retry: 'never',
    })
  const mapped = reach.ports === undefined ? port : reach.ports[port]
  if (mapped === undefined)
    return failed({
      reason: 'PortUnreachable',
      message: `port ${port} is not forwarded to the guest: add it to the ports of its interface`,
      retry: 'never',
    })
  const dialled = await host.net.dial({ host: reach.host, port: mapped }, DIAL_TIMEOUT_MS)
  if (dialled.ok) return dialled
  return failed({
    reason: 'PortUnreachable',
    message: `port ${port} of the guest does not answer: ${dialled.failure.message}`,
    retry: 'later',
  })
}

export function unknownNode(nodeName: string): Failure {
  return { reason: 'NodeUnknown', message: `there is no way to node ${nodeName} from here`, retry: 'later' }
}

export function notRunning(): Failure {
  return { reason: 'MachineNotRunning', message: 'VMI is not running', retry: 'later' }
}
