// Snapshot: a volume as it was at one instant; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { snapshotMutator, snapshotRule } from './rules/snapshot.ts'

const snapshotSpec = s.object(
  {
    createSnapshot: s.boolean('Whether it is to be made; false for one that was found on the replicas.'),
    labels: s.map(s.string(), 'Labels that the snapshot carries in the replicas.', { nullable: true }),
    volume: s.string('Volume that it is of; never changed.'),
  },
  'What is to be kept.',
  { required: ['volume'] },
)

const snapshotStatus = s.object(
  {
    checksum: s.string('Sum of its content.'),
    children: s.map(s.boolean(), 'Snapshots that stand on it.', { nullable: true }),
    creationTime: s.string('When it was taken.'),
    error: s.string('Why it could not be made or is not usable.'),
    labels: s.map(s.string(), 'Labels in force.', { nullable: true }),
    markRemoved: s.boolean('Whether it is on its way out.'),
    ownerID: s.string('Node that looks after it.'),
    parent: s.string('Snapshot that it stands on.'),
    readyToUse: s.boolean('Whether it can be restored from.'),
    restoreSize: s.integer('Bytes of a volume made from it.', { format: 'int64' }),
    size: s.integer('Bytes that it takes itself.', { format: 'int64' }),
    userCreated: s.boolean('Whether somebody asked for it.'),
  },
  'How the snapshot is doing.',
)

export const Snapshot = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'Snapshot',
  plural: 'snapshots',
  shortNames: ['lhsnap'],
  scope: 'Namespaced',
  doc: 'A volume as it was at one instant.',
  body: () => s.object({ spec: snapshotSpec, status: snapshotStatus }),
  status: true,
  mutators: [snapshotMutator],
  rules: [snapshotRule],
  columns: [
    { name: 'Volume', type: 'string', description: 'Its volume.', value: '.spec.volume' },
    {
      name: 'CreationTime',
      type: 'string',
      description: 'When it was taken.',
      value: '.status.creationTime',
    },
    {
      name: 'ReadyToUse',
      type: 'boolean',
      description: 'Whether it can be used.',
      value: '.status.readyToUse',
    },
    {
      name: 'RestoreSize',
      type: 'string',
      description: 'Bytes of a volume made from it.',
      value: '.status.restoreSize',
    },
    { name: 'Size', type: 'string', description: 'Bytes that it takes.', value: '.status.size' },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type Snapshot = KindOf<typeof Snapshot>
