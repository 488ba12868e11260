// CDI: the object that says that disks can be imported; cdi.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { cdiSpec, cdiStatus } from './cdi-body.ts'

export const CDI = defineKind({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'CDI',
  plural: 'cdis',
  shortNames: ['cdi', 'cdis'],
  scope: 'Cluster',
  doc: 'That disks can be imported, and how import is set up; there is one, cdi.',
  body: () => s.object({ spec: cdiSpec, status: cdiStatus }, undefined, { required: ['spec'] }),
  status: true,
  columns: [
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
    { name: 'Phase', type: 'string', description: 'Whether images can be imported.', value: '.status.phase' },
  ],
})
export type CDI = KindOf<typeof CDI>
