// A node writes of itself: Kubernetes' NodeRestriction, and the same for what Croft's agents write. It narrows what the
// role of group system:nodes allows; whoever is in system:masters is no stolen node certificate.
//
// Not narrowed: VolumeEpochs (any engine's node commits them, by compare-and-swap), the shared status of BackingImages,
// Snapshots and Volumes, addresses, events, and which Secrets are read by name.

import { deepEqual } from '../../base/equality.ts'
import { refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { resourceOf, type Work } from '../core.ts'

const GROUP = 'system:nodes'
const PREFIX = 'system:node:'

interface Write {
  readonly node: string
  /** The object as it will be; undefined for a deletion. */
  readonly next: KubeObject | undefined
  readonly previous: KubeObject | undefined
}

/** Why this write is not the node's to make; undefined when it is. */
type Rule = (write: Write) => string | undefined

const RULES: Readonly<Record<string, Rule>> = {
  'nodes.': ({ node, next, previous }) => {
    if (next === undefined) return 'a node may not be deleted by a node'
    if (next.metadata.name !== node) return `node ${node} may only write its own Node`
    if (previous !== undefined && !deepEqual(next['spec'], previous['spec']))
      return 'taints, cordons and the like are not for nodes to set'
    return undefined
  },
  'leases.coordination.k8s.io': ({ node, next, previous }) => {
    const { name, namespace } = (next ?? previous)?.metadata ?? {}
    return name === node && namespace === 'kube-node-lease'
      ? undefined
      : `node ${node} may only write its own Lease`
  },
  'nodes.longhorn.io': ({ node, next }) =>
    next?.metadata.name === node ? undefined : `node ${node} may only write its own Longhorn Node`,
  'pods.': ({ node, previous }) =>
    textAt(previous, 'spec', 'nodeName') === node
      ? undefined
      : `node ${node} may only write Pods bound to it`,
  'virtualmachineinstances.kubevirt.io': ({ node, previous }) =>
    textAt(previous, 'status', 'nodeName') === node
      ? undefined
      : `node ${node} may only write instances on it`,
  'replicas.longhorn.io': ({ node, previous }) =>
    textAt(previous, 'spec', 'nodeID') === node
      ? undefined
      : `node ${node} may only write replicas on its disks`,
  // One that is being taken away is named by nobody; its agent still reports its end.
  'engines.longhorn.io': ({ node, previous }) =>
    ['', node].includes(textAt(previous, 'spec', 'nodeID')) || textAt(previous, 'status', 'ownerID') === node
      ? undefined
      : `node ${node} may only write engines that run on it`,
}

function textAt(object: KubeObject | undefined, part: string, field: string): string {
  const value = (object?.[part] as Readonly<Record<string, unknown>> | undefined)?.[field]
  return typeof value === 'string' ? value : ''
}

/** Throws 403 for a write that is another node's, or a person's. */
export function restrictNode(
  work: Work,
  next: KubeObject | undefined,
  previous: KubeObject | undefined,
): void {
  const { username, groups } = work.user
  if (!groups.includes(GROUP) || groups.includes('system:masters') || !username.startsWith(PREFIX)) return
  const { plural, group } = work.served.kind
  const rule = RULES[`${plural}.${group}`]
  const why = rule?.({ node: username.slice(PREFIX.length), next, previous })
  if (why === undefined) return
  throw refuse.forbidden(resourceOf(work.served), (next ?? previous)?.metadata.name ?? '', why)
}
