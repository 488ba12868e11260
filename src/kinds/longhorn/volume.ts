// Volume: a block volume made of replicas and, while attached, one engine; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { volumeMutator, volumeRule } from './rules/volume.ts'
import { volumeSpec, volumeStatus } from './schema/volume.ts'

export const Volume = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'Volume',
  plural: 'volumes',
  shortNames: ['lhv'],
  scope: 'Namespaced',
  doc: 'A replicated block volume of the cluster.',
  body: () => s.object({ spec: volumeSpec, status: volumeStatus }),
  status: true,
  mutators: [volumeMutator],
  rules: [volumeRule],
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
      description: 'Attached, detached or on the way.',
      value: '.status.state',
    },
    {
      name: 'Robustness',
      type: 'string',
      description: 'Whether all copies are there.',
      value: '.status.robustness',
    },
    {
      name: 'Scheduled',
      type: 'string',
      description: 'Whether every copy has found a disk.',
      value: ".status.conditions[?(@.type=='Schedulable')].status",
    },
    { name: 'Size', type: 'string', description: 'Bytes.', value: '.spec.size' },
    { name: 'Node', type: 'string', description: 'Node it is attached to.', value: '.status.currentNodeID' },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type Volume = KindOf<typeof Volume>
