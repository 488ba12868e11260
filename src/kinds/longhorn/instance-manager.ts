// InstanceManager: what runs the processes of engines and replicas on one node; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { instanceManagerSpec, instanceManagerStatus } from './schema/instance-manager.ts'

export const InstanceManager = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'InstanceManager',
  plural: 'instancemanagers',
  shortNames: ['lhim'],
  scope: 'Namespaced',
  doc: 'The processes of engines and replicas on a node.',
  body: () => s.object({ spec: instanceManagerSpec, status: instanceManagerStatus }),
  status: true,
  columns: [
    {
      name: 'Data Engine',
      type: 'string',
      description: 'Generation of the data path.',
      value: '.spec.dataEngine',
    },
    { name: 'State', type: 'string', description: 'Running or not.', value: '.status.currentState' },
    { name: 'Type', type: 'string', description: 'Engines, replicas or both.', value: '.spec.type' },
    { name: 'Node', type: 'string', description: 'Node it runs on.', value: '.spec.nodeID' },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type InstanceManager = KindOf<typeof InstanceManager>
