// Replica: one copy of a volume on one disk of one node; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { replicaRule } from './rules/replica.ts'
import { replicaSpec, replicaStatus } from './schema/replica.ts'

export const Replica = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'Replica',
  plural: 'replicas',
  shortNames: ['lhr'],
  scope: 'Namespaced',
  doc: 'One copy of a volume on one disk.',
  body: () => s.object({ spec: replicaSpec, status: replicaStatus }),
  status: true,
  rules: [replicaRule],
  columns: [
    {
      name: 'Data Engine',
      type: 'string',
      description: 'Generation of the data path.',
      value: '.spec.dataEngine',
    },
    {
      name: 'State',
      type: 'string',
      description: 'Running, stopped or on the way.',
      value: '.status.currentState',
    },
    { name: 'Node', type: 'string', description: 'Node of the disk.', value: '.spec.nodeID' },
    { name: 'Disk', type: 'string', description: 'UUID of the disk.', value: '.spec.diskID' },
    {
      name: 'InstanceManager',
      type: 'string',
      description: 'Owner of the process.',
      value: '.status.instanceManagerName',
    },
    { name: 'Image', type: 'string', description: 'Engine image in use.', value: '.status.currentImage' },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type Replica = KindOf<typeof Replica>
