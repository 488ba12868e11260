// VolumeAttachment: who wants a volume attached to which node; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { volumeAttachmentRule } from './rules/volume-attachment.ts'
import { volumeAttachmentSpec, volumeAttachmentStatus } from './schema/volume-attachment.ts'

export const VolumeAttachment = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  shortNames: ['lhva'],
  scope: 'Namespaced',
  doc: 'Who wants a volume attached where.',
  body: () => s.object({ spec: volumeAttachmentSpec, status: volumeAttachmentStatus }),
  status: true,
  rules: [volumeAttachmentRule],
  columns: [
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type VolumeAttachment = KindOf<typeof VolumeAttachment>
