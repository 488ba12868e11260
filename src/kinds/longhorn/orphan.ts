// Orphan: data on a disk that belongs to no replica; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { condition } from './schema/condition.ts'

export const Orphan = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'Orphan',
  plural: 'orphans',
  shortNames: ['lho'],
  scope: 'Namespaced',
  doc: 'Data on a disk that belongs to no replica; deleting the object deletes the data.',
  body: () =>
    s.object({
      spec: s.object(
        {
          dataEngine: s.oneOf(['v1', 'v2'], 'Generation of the data path.'),
          nodeID: s.string('Node that it was found on.'),
          orphanType: s.string('replica-data, engine-instance or replica-instance.'),
          parameters: s.map(s.string(), 'Where it lies: DataName, DiskName, DiskUUID, DiskPath, DiskType.'),
        },
        'What was found, and where.',
      ),
      status: s.object(
        {
          conditions: s.list(condition, 'Whether it can be deleted, and why not.', { nullable: true }),
          ownerID: s.string('Node that looks after it.'),
        },
        'How it is doing.',
      ),
    }),
  status: true,
  columns: [
    { name: 'Type', type: 'string', description: 'What it is.', value: '.spec.orphanType' },
    { name: 'Node', type: 'string', description: 'Where it lies.', value: '.spec.nodeID' },
  ],
})
export type Orphan = KindOf<typeof Orphan>
