// Where the agents of other nodes are reached: as their Nodes tell it. The cache goes on answering while the API is
// away.
import { Node } from '../../kinds/core/node.ts'
import type { Look } from '../../kinds/decide.ts'
import type { LinkAddress } from './link-client.ts'

/** The kubelet's own port. */
export const LINK_PORT = 10_250

export function addressOfNode(node: Node | undefined): LinkAddress | undefined {
  const host = node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address
  const port = Number(node?.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0)
  return host === undefined || port === 0 ? undefined : { host, port }
}

/** The informers must watch Nodes. */
export function peersOf(look: Look): (nodeName: string) => LinkAddress | undefined {
  return (nodeName) => addressOfNode(look.get(Node, undefined, nodeName))
}

export function nodeNames(look: Look): readonly string[] {
  return look.list(Node).flatMap(({ metadata }) => metadata.name ?? [])
}
