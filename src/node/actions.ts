// Actions on running machines of this node, as the subresources of KubeVirt need them.
import type { AgentActions, MachineRef } from '../base/agent-port.ts'
import { type Failure, failed, ok, type Result } from '../base/result.ts'
import type { AgentOptions } from './agent-options.ts'
import { FREEZE_TIMEOUT_MS } from './machine/guest-agent.ts'
import { guestFileSystems, guestOsInfo, guestUsers } from './machine/guest-info.ts'
import type { Machine } from './machine/machine.ts'
import { deviceId } from './plan/disk-slot.ts'
import { notRunning, unknownNode } from './streams.ts'

const SCREENSHOT_TIMEOUT_MS = 10_000

export interface ActionPorts {
  readonly machineOf: (vmiUid: string) => Machine | undefined
  readonly setFrozen: (vmiUid: string, frozen: boolean) => void
}

export function agentActions(options: AgentOptions, ports: ActionPorts): AgentActions {
  const { host } = options
  const thaws = new Map<string, () => void>()

  const on = async <T>(
    nodeName: string,
    ref: MachineRef,
    act: (machine: Machine) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    if (nodeName !== options.nodeName) return failed(unknownNode(nodeName))
    const machine = ports.machineOf(ref.uid)
    return machine && machine.life.state !== 'ended' ? act(machine) : failed(notRunning())
  }
  const withAgent = <T>(
    nodeName: string,
    ref: MachineRef,
    act: (machine: Machine) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    on(nodeName, ref, (machine) => (machine.agentOpen ? act(machine) : Promise.resolve(failed(noAgent()))))

  const isFrozen = async (machine: Machine): Promise<Result<boolean>> => {
    const state = await machine.agent.execute('guest-fsfreeze-status', {})
    return state.ok ? ok(state.value === 'frozen') : state
  }

  /** As KubeVirt: file systems that write already are no failure. */
  const thaw = async (machine: Machine): Promise<Result<void>> => {
    const { uid } = machine.owner
    thaws.get(uid)?.()
    thaws.delete(uid)
    const frozen = await isFrozen(machine)
    if (frozen.ok && !frozen.value) {
      ports.setFrozen(uid, false)
      return ok(undefined)
    }
    const answer = await machine.agent.execute('guest-fsfreeze-thaw', {}, FREEZE_TIMEOUT_MS)
    if (!answer.ok) return answer
    ports.setFrozen(uid, false)
    return ok(undefined)
  }

  return {
    pause: (node, ref) => on(node, ref, (machine) => machine.pause()),
    unpause: (node, ref) => on(node, ref, (machine) => machine.unpause()),
    reset: (node, ref) => on(node, ref, (machine) => machine.reset()),
    softReboot: (node, ref) => on(node, ref, softReboot),
    freeze: (node, ref, unfreezeTimeoutMs) =>
      withAgent(node, ref, async (machine) => {
        const { uid } = machine.owner
        // A frozen guest refuses a second freeze; KubeVirt only starts its time limit anew.
        const frozen = await isFrozen(machine)
        const answer =
          frozen.ok && frozen.value
            ? ok(undefined)
            : await machine.agent.execute('guest-fsfreeze-freeze', {}, FREEZE_TIMEOUT_MS)
        if (!answer.ok) return answer
        ports.setFrozen(uid, true)
        thaws.get(uid)?.()
        // A forgotten freeze would stop the guest's writes for ever.
        if (unfreezeTimeoutMs > 0)
          thaws.set(
            uid,
            host.clock.after(unfreezeTimeoutMs, () => void thaw(machine)),
          )
        return ok(undefined)
      }),
    unfreeze: (node, ref) => withAgent(node, ref, thaw),
    guestOsInfo: (node, ref) => withAgent(node, ref, (machine) => guestOsInfo(machine.agent)),
    userList: (node, ref) => withAgent(node, ref, (machine) => guestUsers(machine.agent)),
    filesystemList: (node, ref) => withAgent(node, ref, (machine) => guestFileSystems(machine.agent)),
    screenshot: (node, ref) => on(node, ref, (machine) => screenshot(options, machine)),
    eject: (node, ref, disk) =>
      on(node, ref, async (machine) => {
        const drive = machine.plan.disks.find((one) => one.name === disk)
        if (drive?.kind !== 'cdrom')
          return failed({
            reason: 'QmpFailed',
            message: `${disk} is not a CD-ROM drive of this machine`,
            retry: 'never',
          })
        const answer = await machine.execute('eject', { id: deviceId(disk), force: true })
        return answer.ok ? ok(undefined) : failed({ ...answer.failure, reason: 'QmpFailed' })
      }),
  }
}

function noAgent(): Failure {
  return { reason: 'AgentNotConnected', message: 'VMI does not have guest agent connected', retry: 'later' }
}

async function softReboot(machine: Machine): Promise<Result<void>> {
  const run = await machine.askRun()
  if (!run.ok) return run
  if (run.value !== 'running')
    return failed({ reason: 'AlreadyPaused', message: 'VMI is paused', retry: 'never' })
  if (machine.agentOpen) {
    const told = await machine.agent.tell('guest-shutdown', { mode: 'reboot' })
    if (told.ok) return told
  }
  if (machine.plan.argv.some((word) => word.includes('acpi=off')))
    return failed({
      reason: 'AgentNorAcpi',
      message: 'VMI neither have the agent connected nor the ACPI feature enabled',
      retry: 'never',
    })
  return machine.powerCycle()
}

async function screenshot({ host }: AgentOptions, machine: Machine): Promise<Result<Uint8Array>> {
  const { vnc } = machine.plan.sockets
  if (vnc === undefined)
    return failed({ reason: 'NoGraphicsDevice', message: 'No graphics devices are present.', retry: 'never' })
  const path = vnc.replace(/vnc\.sock$/, 'screen.png')
  const shot = await machine.execute('screendump', { filename: path, format: 'png' }, SCREENSHOT_TIMEOUT_MS)
  if (!shot.ok) return failed({ ...shot.failure, reason: 'QmpFailed' })
  const stat = await host.files.stat(path)
  // The folder belongs to the machine's user: whatever is no plain file there is not opened.
  const read = stat.ok && stat.value.kind === 'file' ? await host.files.read(path) : undefined
  await host.files.remove(path)
  return read ?? failed({ reason: 'QmpFailed', message: 'QEMU made no picture', retry: 'later' })
}
