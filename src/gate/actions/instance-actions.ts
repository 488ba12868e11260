// Actions on a running VirtualMachineInstance: what the agent of its node can do at once, and what the guest tells.
import type { AgentActions, MachineRef } from '../../base/agent-port.ts'
import { parseDuration } from '../../base/duration.ts'
import { type ApiError, refuse } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Failure, Result } from '../../base/result.ts'
import type { Client } from '../../client/client.ts'
import type { HttpResponse } from '../../host/host.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { answerJson, answerNothing, SAFE_HEADERS } from '../answers.ts'
import { type Ask, absentAsUndefined, agentOf, type GateDeps, gateClient } from '../ask.ts'
import { isDryRun, readJsonBody, wholeNumber } from '../body.ts'
import type { Place } from './machine-actions.ts'
import { INSTANCE_NAME } from './run-change.ts'

export const INSTANCE_PUTS = ['pause', 'unpause', 'softreboot', 'reset', 'freeze', 'unfreeze'] as const
export type InstanceAction = (typeof INSTANCE_PUTS)[number]
export const INSTANCE_GETS = ['guestosinfo', 'userlist', 'filesystemlist'] as const
type Question = (typeof INSTANCE_GETS)[number]

/** KubeVirt's own: a freeze that nobody ends, ends by itself. */
const UNFREEZE_DEFAULT_MS = 5 * 60_000

export function isInstanceAction(word: string): word is InstanceAction {
  return (INSTANCE_PUTS as readonly string[]).includes(word)
}
export function isInstanceQuestion(word: string): word is Question {
  return (INSTANCE_GETS as readonly string[]).includes(word)
}

export async function readInstance(
  client: Client,
  { namespace, name }: Place,
): Promise<VirtualMachineInstance> {
  const vmi = await absentAsUndefined(client.get(VirtualMachineInstance, name, { namespace }))
  if (!vmi) throw refuse.notFound(INSTANCE_NAME, name)
  return vmi
}

export interface Target {
  readonly nodeName: string
  readonly ref: MachineRef
}

export function targetOf(vmi: VirtualMachineInstance): Target {
  const { namespace = '', name = '', uid = '' } = vmi.metadata
  return { nodeName: vmi.status?.nodeName ?? '', ref: { namespace, name, uid } }
}

function conflict(vmi: VirtualMachineInstance, why: string): ApiError {
  return refuse.conflict(INSTANCE_NAME, vmi.metadata.name ?? '', why)
}

function requireRunning(vmi: VirtualMachineInstance, word: string): void {
  if (vmi.status?.phase !== 'Running') throw conflict(vmi, word)
}

export async function answerInstanceAction(deps: GateDeps, { request, info }: Ask): Promise<HttpResponse> {
  const body = await readJsonBody(request)
  const dryRun = isDryRun(body, info.query)
  await actOnInstance(deps, { place: info, action: info.subresource as InstanceAction, body, dryRun })
  return answerNothing(202)
}

export interface InstanceWish {
  readonly place: Place
  readonly action: InstanceAction
  readonly body: JsonObject
  readonly dryRun: boolean
}

export async function actOnInstance(deps: GateDeps, wish: InstanceWish): Promise<void> {
  const { action } = wish
  const vmi = await readInstance(gateClient(deps), wish.place)
  const thawMs = action === 'freeze' ? unfreezeTimeoutMs(wish.body) : 0
  checkFits(vmi, action)
  if (wish.dryRun) return checkByStatus(vmi, action)
  const done = await act(agentOf(deps).actions, targetOf(vmi), action, thawMs)
  if (!done.ok) throw refusalOf(vmi, action, done.failure)
}

function checkFits(vmi: VirtualMachineInstance, action: InstanceAction): void {
  requireRunning(vmi, action === 'pause' ? 'VM is not running' : 'VMI is not running')
  if (action === 'pause') {
    const { livenessProbe } = vmi.spec ?? {}
    if (livenessProbe && livenessProbe.guestAgentPing === undefined)
      throw refuse.forbidden(
        INSTANCE_NAME,
        vmi.metadata.name ?? '',
        'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported',
      )
  }
}

/** The status is a moment behind the machine, so that only a dry run goes by it. */
function checkByStatus(vmi: VirtualMachineInstance, action: InstanceAction): void {
  const paused = vmi.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True')
  if (action === 'pause' && paused) throw conflict(vmi, 'VMI is already paused')
  if (action === 'softreboot' && paused) throw conflict(vmi, 'VMI is paused')
  if (action === 'unpause' && !paused) throw conflict(vmi, 'VMI is not paused')
}

function act(
  actions: AgentActions,
  { nodeName, ref }: Target,
  action: InstanceAction,
  thawMs: number,
): Promise<Result<void>> {
  switch (action) {
    case 'pause':
      return actions.pause(nodeName, ref)
    case 'unpause':
      return actions.unpause(nodeName, ref)
    case 'softreboot':
      return actions.softReboot(nodeName, ref)
    case 'reset':
      return actions.reset(nodeName, ref)
    case 'freeze':
      return actions.freeze(nodeName, ref, thawMs)
    case 'unfreeze':
      return actions.unfreeze(nodeName, ref)
  }
}

/** `unfreezeTimeout` is a duration like `5m`; the older field counts seconds. 0 means never. */
function unfreezeTimeoutMs(body: JsonObject): number {
  const seconds = wholeNumber(body, 'unfreezeTimeoutInSeconds')
  if (seconds !== undefined) return checkedTimeout(seconds * 1000)
  const text = body['unfreezeTimeout']
  if (text === undefined || text === null) return UNFREEZE_DEFAULT_MS
  const ms = typeof text === 'string' ? parseDuration(text) : undefined
  if (ms === undefined) throw refuse.badRequest('unfreezeTimeout must be a duration like "5m" or "30s"')
  return checkedTimeout(ms)
}

function checkedTimeout(ms: number): number {
  if (ms < 0) throw refuse.badRequest('unfreezeTimeout may not be negative')
  return ms
}

/** The failures of an agent in KubeVirt's words. */
export function refusalOf(vmi: VirtualMachineInstance, action: string, failure: Failure): ApiError {
  switch (failure.reason) {
    case 'MachineNotRunning':
      return conflict(vmi, action === 'pause' ? 'VM is not running' : 'VMI is not running')
    case 'AlreadyPaused':
      return conflict(vmi, action === 'pause' ? 'VMI is already paused' : 'VMI is paused')
    case 'NotPaused':
      return conflict(vmi, 'VMI is not paused')
    case 'AgentNotConnected':
      return action.endsWith('freeze')
        ? refuse.internal('VMI does not have guest agent connected: install qemu-guest-agent in the guest')
        : conflict(vmi, 'VMI does not have guest agent connected')
    case 'AgentNorAcpi':
      return conflict(vmi, 'VMI neither have the agent connected nor the ACPI feature enabled')
    case 'NodeUnknown':
      return refuse.unavailable(failure.message, 5)
    default:
      return refuse.internal(failure.message)
  }
}

export async function answerInstanceQuestion(deps: GateDeps, { info }: Ask): Promise<HttpResponse> {
  const vmi = await readInstance(gateClient(deps), info)
  requireRunning(vmi, 'VMI is not running')
  const { actions } = agentOf(deps)
  const { nodeName, ref } = targetOf(vmi)
  const question = info.subresource as Question
  const value = <T>(result: Result<T>): T => {
    if (!result.ok) throw refusalOf(vmi, question, result.failure)
    return result.value
  }
  if (question === 'userlist') {
    const items = value(await actions.userList(nodeName, ref))
    return answerJson(200, listOf('VirtualMachineInstanceGuestOSUserList', items))
  }
  if (question === 'filesystemlist') {
    const items = value(await actions.filesystemList(nodeName, ref))
    return answerJson(200, listOf('VirtualMachineInstanceFileSystemList', items))
  }
  const facts = value(await actions.guestOsInfo(nodeName, ref))
  // Users and file systems are extras of this answer: an agent that does not know them still tells the rest.
  const users = await actions.userList(nodeName, ref)
  const disks = await actions.filesystemList(nodeName, ref)
  return answerJson(200, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    ...facts,
    supportedCommands: facts.supportedCommands.map((name) => ({ name, enabled: true })),
    ...(users.ok ? { userList: users.value } : {}),
    fsInfo: { disks: disks.ok ? disks.value : [] },
  })
}

function listOf(kind: string, items: readonly unknown[]): object {
  return { apiVersion: 'kubevirt.io/v1', kind, metadata: {}, items }
}

export async function answerScreenshot(deps: GateDeps, { info }: Ask): Promise<HttpResponse> {
  const vmi = await readInstance(gateClient(deps), info)
  requireRunning(vmi, 'VMI is not running')
  const { nodeName, ref } = targetOf(vmi)
  const shot = await agentOf(deps).actions.screenshot(nodeName, ref)
  if (!shot.ok) {
    if (shot.failure.reason === 'NoGraphicsDevice')
      throw refuse.badRequest('No graphics devices are present.')
    throw refusalOf(vmi, 'vnc', shot.failure)
  }
  return { status: 200, headers: { ...SAFE_HEADERS, 'content-type': 'image/png' }, body: shot.value }
}
