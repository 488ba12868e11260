// The agent of a server's own host: in the same process, over the API without a network between.

import { assert } from '../base/assert.ts'
import type { UserInfo } from '../base/call.ts'
import type { SampleSink } from '../base/metrics-port.ts'
import type { Result } from '../base/result.ts'
import { nodeUser } from '../cluster/node-names.ts'
import type { Certificates } from '../host/certificates.ts'
import type { Host } from '../host/host.ts'
import type { LinkTls } from '../node/link/wire.ts'
import type { ControlPlane } from './control-plane.ts'
import { type RunningAgent, startNodeAgent } from './node-agent.ts'

export interface LocalAgentOptions {
  readonly host: Host
  readonly certificates: Certificates
  readonly plane: ControlPlane
  readonly dataFolder: string
  readonly nodeName: string
  readonly nodeIp: string
  readonly linkHost: string
  readonly clusterNetworks: readonly string[]
  readonly samples: SampleSink
}

export function startLocalAgent(options: LocalAgentOptions): Promise<Result<RunningAgent>> {
  const { plane, nodeName, ...rest } = options
  const { username, groups } = nodeUser(nodeName)
  // This process holds the state itself; rights could not keep anything from it.
  const user: UserInfo = { username, groups: [...groups, 'system:masters'] }
  return startNodeAgent({
    ...rest,
    nodeName,
    hasServer: true,
    client: plane.clientFor(user, 'croft-agent'),
    tls: () => linkTls(plane, 'node'),
  })
}

/** `node`: as this host's agent; `link`: as the server, who may ask agents for streams and actions. */
export function linkTls(plane: ControlPlane, as: 'node' | 'link'): LinkTls {
  const { authority, [as]: pair } = plane.identity
  assert(pair, 'a server with a node has its certificates')
  return { caPem: authority.certificatePem, certificatePem: pair.certificatePem, keyPem: pair.keyPem }
}
