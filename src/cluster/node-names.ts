// How nodes and servers are named in certificates: as Kubernetes' own, `system:node:<name>` in group system:nodes. The
// server has a certificate of its own for what it asks of agents, without any right in the API.
import type { UserInfo } from '../base/call.ts'
import type { CertificateFacts } from '../host/certificates.ts'
import type { LeafRequest } from './pki.ts'

export const NODES_GROUP = 'system:nodes'
export const SERVERS_GROUP = 'croft:servers'
const NODE_PREFIX = 'system:node:'
const NAME_MAX = 63
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

export function nodeUser(nodeName: string): UserInfo {
  return { username: NODE_PREFIX + nodeName, groups: [NODES_GROUP, 'system:authenticated'] }
}

/** Undefined for whoever is no node. */
export function nodeOf({ username, groups }: Pick<UserInfo, 'username' | 'groups'>): string | undefined {
  return groups.includes(NODES_GROUP) && username.startsWith(NODE_PREFIX)
    ? username.slice(NODE_PREFIX.length)
    : undefined
}

/** Why this cannot be the name of a node; undefined when it can. */
export function whyNoNodeName(name: string): string | undefined {
  if (name.length <= NAME_MAX && NAME.test(name)) return undefined
  return `"${name}" is no name for a node: up to ${NAME_MAX} lower-case letters, digits, "-" and "."`
}

export function nodeLeaf(nodeName: string, addresses: readonly string[]): LeafRequest {
  return {
    commonName: NODE_PREFIX + nodeName,
    organizations: [NODES_GROUP],
    dnsNames: [nodeName],
    ipAddresses: addresses,
    usage: 'both',
  }
}

/** For what the server asks of agents: streams, actions, uploads. */
export function serverLeaf(serverName: string): LeafRequest {
  return { commonName: `croft:server:${serverName}`, organizations: [SERVERS_GROUP], usage: 'client' }
}

export type LinkCaller = { readonly is: 'node'; readonly name: string } | { readonly is: 'server' }

/** Who calls over the link, by a certificate that is known to be trusted; undefined for everybody else. */
export function callerOf(facts: CertificateFacts): LinkCaller | undefined {
  if (facts.organizations.includes(SERVERS_GROUP)) return { is: 'server' }
  const name = nodeOf({ username: facts.commonName, groups: facts.organizations })
  return name === undefined ? undefined : { is: 'node', name }
}
