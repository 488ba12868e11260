// VolumeEpoch: the record that decides who may write a volume and which replicas hold its newest data.
// It is changed only by compare-and-swap on its resourceVersion; nothing about a volume is written to disk by a new
// engine before its epoch is committed here.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { volumeEpochRule } from './rules.ts'

const engine = s.object(
  {
    name: s.string('Name of the Engine object.'),
    incarnation: s.string('Random word of this start of the engine; never used again.'),
    nodeID: s.string('Node that the engine runs on.'),
  },
  'The one engine that may write in this epoch.',
  { required: ['name', 'incarnation', 'nodeID'] },
)

const member = s.object(
  {
    replica: s.string('Name of the Replica object.'),
    incarnation: s.string('Random word of the export that the replica serves in this epoch.'),
  },
  'A replica that has every acknowledged write.',
  { required: ['replica', 'incarnation'] },
)

const operation = s.object(
  {
    type: s.string('What is under way, for instance rebuild, expand, snapshot or repair.'),
    id: s.string('Identity of this operation, so that an interrupted one is told from the next.'),
    replica: s.string('Replica that it is about, where it is about one.'),
    sizeBytes: s.integer('Size to reach, for an expansion.', { format: 'int64' }),
    startedAt: s.time('When it began.'),
  },
  'An operation over all replicas that must be finished or undone before another begins.',
  { required: ['type', 'id'] },
)

export const VolumeEpoch = defineKind({
  group: 'storage.croft.io',
  version: 'v1alpha1',
  kind: 'VolumeEpoch',
  plural: 'volumeepochs',
  shortNames: ['vepoch'],
  scope: 'Namespaced',
  rules: [volumeEpochRule],
  doc: 'Who may write a volume, and which of its replicas are in step.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            epoch: s.integer('Counts the engines of this volume; rises by one with each, never falls.', {
              format: 'int64',
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
            }),
            engine,
            inSync: s.keyedList(
              member,
              ['replica'],
              'The committed set: replicas with every acknowledged write.',
            ),
            size: s.integer('Size of the volume in bytes that all members of the set agree on.', {
              format: 'int64',
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
            }),
            cleanShutdown: s.boolean(
              'True when the last engine flushed and closed; false means that members may differ in the last writes.',
            ),
            operation,
          },
          'The committed record.',
          { required: ['epoch', 'inSync'] },
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  columns: [
    { name: 'Epoch', type: 'integer', description: 'Number of the epoch.', value: '.spec.epoch' },
    { name: 'Engine', type: 'string', description: 'Engine that may write.', value: '.spec.engine.name' },
    { name: 'Node', type: 'string', description: 'Node of the engine.', value: '.spec.engine.nodeID' },
    {
      name: 'InSync',
      type: 'string',
      description: 'Replicas in step.',
      value: '.spec.inSync[*].replica',
    },
    { name: 'Clean', type: 'boolean', description: 'Closed cleanly.', value: '.spec.cleanShutdown' },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type VolumeEpoch = KindOf<typeof VolumeEpoch>
