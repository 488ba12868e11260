// One request as gate/ gets it from the API server: who asks, what for, and what gate/ itself stands on.
import type { AgentActions, AgentDial, AgentUploads } from '../base/agent-port.ts'
import type { UserInfo } from '../base/call.ts'
import { ApiError, refuse } from '../base/errors.ts'
import type { MetricsView, SampleSink } from '../base/metrics-port.ts'
import type { Client } from '../client/client.ts'
import type { Host, HttpRequest } from '../host/host.ts'
import type { OpenInflater } from '../host/inflater.ts'
import type { Passwords } from '../host/passwords.ts'
import type { ClusterDoor } from './cluster-route.ts'

/** What method and path ask for; the API server's RequestInfo. */
export interface GateInfo {
  readonly isResource: boolean
  /** Path without the query, percent-decoded segment by segment. */
  readonly path: string
  readonly query: URLSearchParams
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Segments after the subresource. */
  readonly rest: readonly string[]
}

export interface Ask {
  readonly request: HttpRequest
  readonly user: UserInfo
  readonly info: GateInfo
}

/** The ways to the agents of the nodes. */
export interface GateAgent {
  readonly dial: AgentDial
  readonly actions: AgentActions
  readonly uploads: AgentUploads
}

export interface GateDeps {
  readonly host: Pick<Host, 'clock' | 'random' | 'files' | 'log' | 'meter'>
  readonly passwords: Passwords
  readonly openInflater: OpenInflater
  clientFor(user: UserInfo, fieldManager: string): Client
  /** Undefined as long as the agent of this host is not up. */
  agent(): GateAgent | undefined
  /** Folder with the built web interface: `index.html`, `assets/`. */
  readonly uiFolder: string
  readonly croftVersion: string
  /** What is measured of machines, volumes and nodes; absent: nothing is. */
  readonly metrics?: MetricsView
  /** Where samples of hosts that joined go. */
  readonly samples?: SampleSink
  /** Where hosts join; absent: nobody does. */
  readonly cluster?: ClusterDoor
}

/** Gate writes for people what they may ask for but not write themselves: the right to `start` is no right to edit. */
export const GATE_USER: UserInfo = {
  username: 'system:croft:gate',
  groups: ['system:masters', 'system:authenticated'],
}
export const FIELD_MANAGER = 'croft-gate'

export function gateClient(deps: GateDeps): Client {
  return deps.clientFor(GATE_USER, FIELD_MANAGER)
}

export function userClient(deps: GateDeps, user: UserInfo): Client {
  return deps.clientFor(user, FIELD_MANAGER)
}

export function agentOf(deps: GateDeps): GateAgent {
  const agent = deps.agent()
  if (!agent) throw refuse.unavailable('the agent of this host is still starting; try again', 1)
  return agent
}

export function requireKnown(user: UserInfo): void {
  if (user.groups.includes('system:unauthenticated')) throw refuse.unauthorized()
}

/** Undefined where the object does not exist. */
export async function absentAsUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return undefined
    throw error
  }
}
