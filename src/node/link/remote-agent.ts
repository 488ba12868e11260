// The agents of all nodes as the doors of the API use them: the one of this host directly, all others over the link.
// And the other end of it: a server's wish over the link, done by the local agent.
import { Buffer } from 'node:buffer'
import type { AgentActions, AgentDial, AgentUploads, MachineRef } from '../../base/agent-port.ts'
import type { JsonObject } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { LinkClient } from './link-client.ts'
import { ACTION_PREFIX, type ServerFacing } from './link-server.ts'

/** A guest agent that freezes file systems takes its time. Milliseconds. */
const ACTION_TIMEOUT_MS = 60_000

export interface NodeAgent {
  readonly dial: AgentDial
  readonly actions: AgentActions
  readonly uploads: AgentUploads
}

/** `local` is undefined as long as the agent of this host is not up. */
export function agentsOfAllNodes(
  nodeName: string,
  local: () => NodeAgent | undefined,
  client: LinkClient,
): NodeAgent {
  const far = remoteAgent(client)
  const of = (name: string): NodeAgent => (name === nodeName ? (local() ?? far) : far)
  return {
    dial: { open: (name, target) => of(name).dial.open(name, target) },
    uploads: { receive: (request) => of(request.nodeName).uploads.receive(request) },
    actions: {
      pause: (name, machine) => of(name).actions.pause(name, machine),
      unpause: (name, machine) => of(name).actions.unpause(name, machine),
      reset: (name, machine) => of(name).actions.reset(name, machine),
      softReboot: (name, machine) => of(name).actions.softReboot(name, machine),
      freeze: (name, machine, ms) => of(name).actions.freeze(name, machine, ms),
      unfreeze: (name, machine) => of(name).actions.unfreeze(name, machine),
      guestOsInfo: (name, machine) => of(name).actions.guestOsInfo(name, machine),
      userList: (name, machine) => of(name).actions.userList(name, machine),
      filesystemList: (name, machine) => of(name).actions.filesystemList(name, machine),
      screenshot: (name, machine) => of(name).actions.screenshot(name, machine),
      eject: (name, machine, disk) => of(name).actions.eject(name, machine, disk),
    },
  }
}

function remoteAgent(client: LinkClient): NodeAgent {
  const ask = async <T>(nodeName: string, action: string, machine: MachineRef, more: JsonObject = {}) => {
    const { namespace, name, uid } = machine
    const body = { machine: { namespace, name, uid }, ...more }
    const answer = await client.call(nodeName, ACTION_PREFIX + action, body, ACTION_TIMEOUT_MS)
    return answer.ok ? ok(answer.value['value'] as unknown as T) : answer
  }
  return {
    dial: { open: (nodeName, target) => client.open(nodeName, target) },
    uploads: { receive: (request) => client.upload(request) },
    actions: {
      pause: (node, machine) => ask<void>(node, 'pause', machine),
      unpause: (node, machine) => ask<void>(node, 'unpause', machine),
      reset: (node, machine) => ask<void>(node, 'reset', machine),
      softReboot: (node, machine) => ask<void>(node, 'softReboot', machine),
      freeze: (node, machine, ms) => ask<void>(node, 'freeze', machine, { unfreezeTimeoutMs: ms }),
      unfreeze: (node, machine) => ask<void>(node, 'unfreeze', machine),
      guestOsInfo: (node, machine) => ask(node, 'guestOsInfo', machine),
      userList: (node, machine) => ask(node, 'userList', machine),
      filesystemList: (node, machine) => ask(node, 'filesystemList', machine),
      eject: (node, machine, disk) => ask<void>(node, 'eject', machine, { disk }),
      async screenshot(node, machine) {
        const picture = await ask<string>(node, 'screenshot', machine)
        return picture.ok ? ok(new Uint8Array(Buffer.from(picture.value, 'base64'))) : picture
      },
    },
  }
}

/** What the agent of this node does for servers. */
export function serverFacing(nodeName: string, { dial, uploads, actions }: NodeAgent): ServerFacing {
  return { dial, uploads, act: (action, body) => act(nodeName, actions, action, body) }
}

async function act(
  nodeName: string,
  actions: AgentActions,
  action: string,
  body: JsonObject,
): Promise<Result<JsonObject>> {
  const machine = body['machine'] as unknown as MachineRef
  switch (action) {
    case 'pause':
    case 'unpause':
    case 'reset':
    case 'softReboot':
    case 'unfreeze':
      return wrapped(await actions[action](nodeName, machine))
    case 'freeze':
      return wrapped(await actions.freeze(nodeName, machine, Number(body['unfreezeTimeoutMs'] ?? 0)))
    case 'guestOsInfo':
    case 'userList':
    case 'filesystemList':
      return wrapped(await actions[action](nodeName, machine))
    case 'eject':
      return wrapped(await actions.eject(nodeName, machine, String(body['disk'] ?? '')))
    case 'screenshot': {
      const picture = await actions.screenshot(nodeName, machine)
      return picture.ok ? wrapped(ok(Buffer.from(picture.value).toString('base64'))) : picture
    }
    default:
      return failed({
        reason: 'NoSuchMethod',
        message: `this agent knows no action ${action}`,
        retry: 'never',
      })
  }
}

function wrapped(result: Result<unknown>): Result<JsonObject> {
  return result.ok ? ok(result.value === undefined ? {} : ({ value: result.value } as JsonObject)) : result
}
