// Node: a node as storage sees it: its disks, their room, whether they take replicas; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { nodeRule } from './rules/node.ts'
import { nodeSpec, nodeStatus } from './schema/node.ts'

export const Node = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['lhn'],
  scope: 'Namespaced',
  doc: 'The disks of a node and whether they take replicas.',
  body: () => s.object({ spec: nodeSpec, status: nodeStatus }),
  status: true,
  rules: [nodeRule],
  columns: [
    {
      name: 'Ready',
      type: 'string',
      description: 'Whether the node can serve.',
      value: ".status.conditions[?(@.type=='Ready')].status",
    },
    {
      name: 'AllowScheduling',
      type: 'boolean',
      description: 'Whether new replicas may come here.',
      value: '.spec.allowScheduling',
    },
    {
      name: 'Schedulable',
      type: 'string',
      description: 'Whether new replicas can come here.',
      value: ".status.conditions[?(@.type=='Schedulable')].status",
    },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type Node = KindOf<typeof Node>
