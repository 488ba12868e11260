// Engine: the one writer of a volume while it is attached; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { engineSpec, engineStatus } from './schema/engine.ts'

export const Engine = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'Engine',
  plural: 'engines',
  shortNames: ['lhe'],
  scope: 'Namespaced',
  doc: 'The front end of an attached volume on one node.',
  body: () => s.object({ spec: engineSpec, status: engineStatus }),
  status: true,
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
    { name: 'Node', type: 'string', description: 'Node it is to run on.', value: '.spec.nodeID' },
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
export type Engine = KindOf<typeof Engine>
