// EngineImage: a version of the data path that volumes run with; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { engineImageSpec, engineImageStatus } from './schema/engine-image.ts'

export const EngineImage = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'EngineImage',
  plural: 'engineimages',
  shortNames: ['lhei'],
  scope: 'Namespaced',
  doc: 'A version of the data path.',
  body: () => s.object({ spec: engineImageSpec, status: engineImageStatus }),
  status: true,
  columns: [
    {
      name: 'Incompatible',
      type: 'boolean',
      description: 'True when this version cannot be used.',
      value: '.status.incompatible',
    },
    { name: 'State', type: 'string', description: 'Whether it is on every node.', value: '.status.state' },
    { name: 'Image', type: 'string', description: 'Name of the version.', value: '.spec.image' },
    { name: 'RefCount', type: 'integer', description: 'How many volumes use it.', value: '.status.refCount' },
    { name: 'BuildDate', type: 'date', description: 'When it was built.', value: '.status.buildDate' },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type EngineImage = KindOf<typeof EngineImage>
