// BackingImage: a read-only image shared by all volumes made from it; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { backingImageRule } from './rules/backing-image.ts'
import { backingImageSpec, backingImageStatus } from './schema/backing-image.ts'

export const BackingImage = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'BackingImage',
  plural: 'backingimages',
  shortNames: ['lhbi'],
  scope: 'Namespaced',
  doc: 'A read-only image that volumes start from.',
  body: () => s.object({ spec: backingImageSpec, status: backingImageStatus }),
  status: true,
  rules: [backingImageRule],
  columns: [
    { name: 'UUID', type: 'string', description: 'Identity of the content.', value: '.status.uuid' },
    {
      name: 'SourceType',
      type: 'string',
      description: 'How the content comes here.',
      value: '.spec.sourceType',
    },
    { name: 'Size', type: 'string', description: 'Bytes of the file.', value: '.status.size' },
    {
      name: 'VirtualSize',
      type: 'string',
      description: 'Bytes of the disk that a guest sees.',
      value: '.status.virtualSize',
    },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type BackingImage = KindOf<typeof BackingImage>
