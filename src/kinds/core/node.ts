// Nodes: the hosts of the cluster.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { nodeSpec, nodeStatus } from './node-body.ts'
import { checkNode } from './node-rules.ts'

const body = s.object({ spec: s.write(nodeSpec), status: s.write(nodeStatus) })
type NodeObject = KubeObject & Infer<typeof body>

const ROLE_PREFIX = 'node-role.kubernetes.io/'
const WIDE = { wide: true } as const

function statusText(node: NodeObject): string {
  const ready = (node.status?.conditions ?? []).find((one) => one.type === 'Ready')
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady']
  if (node.spec?.unschedulable) words.push('SchedulingDisabled')
  return words.join(',')
}

function rolesText(node: NodeObject): string {
  const roles = new Set<string>()
  for (const [key, value] of Object.entries(node.metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length)
      roles.add(key.slice(ROLE_PREFIX.length))
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value)
  }
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',')
}

function addressText(node: NodeObject, type: string): string {
  return (node.status?.addresses ?? []).find((one) => one.type === type)?.address || '<none>'
}

function kernelText(node: NodeObject): string {
  const { kernelVersion, architecture } = node.status?.nodeInfo ?? {}
  const kernel = kernelVersion || '<unknown>'
  return architecture ? `${kernel} (${architecture})` : kernel
}

export const Node = defineKind({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  scope: 'Cluster',
  doc: 'A host of the cluster.',
  body: () => body,
  rules: [checkNode],
  status: true,
  subresources: {
    proxy: {
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      kind: { group: '', version: 'v1', kind: 'NodeProxyOptions' },
      stream: true,
    },
  },
  selectableFields: ['spec.unschedulable'],
  columns: [
    nameColumn,
    column<NodeObject>('Status', 'Whether the node can take Pods.', statusText),
    column<NodeObject>('Roles', 'Roles of the node.', rolesText),
    ageColumn,
    column<NodeObject>(
      'Version',
      'Version of the agent.',
      (node) => node.status?.nodeInfo?.kubeletVersion ?? '',
    ),
    column<NodeObject>('Internal-IP', 'Address inside.', (node) => addressText(node, 'InternalIP'), WIDE),
    column<NodeObject>('External-IP', 'Address outside.', (node) => addressText(node, 'ExternalIP'), WIDE),
    column<NodeObject>(
      'OS-Image',
      'Operating system.',
      (node) => node.status?.nodeInfo?.osImage || '<unknown>',
      WIDE,
    ),
    column<NodeObject>('Kernel-Version', 'Kernel.', kernelText, WIDE),
    column<NodeObject>(
      'Container-Runtime',
      'What runs the Pods.',
      (node) => node.status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
      WIDE,
    ),
  ],
})
export type Node = KindOf<typeof Node>
