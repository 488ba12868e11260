// VolumeSnapshotContent: a snapshot in the storage system, made by a class or named by a person; Kubernetes'
// snapshot.storage.k8s.io/v1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { contentRule } from './rules.ts'
import { snapshotError } from './volume-snapshot.ts'

export const VolumeSnapshotContent = defineKind({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshotContent',
  plural: 'volumesnapshotcontents',
  shortNames: ['vsc', 'vscs'],
  scope: 'Cluster',
  doc: 'A snapshot in the storage system.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            deletionPolicy: s.oneOf(['Delete', 'Retain'], 'Whether the data go with the object.'),
            driver: s.string('Driver that holds the data.'),
            source: s.object(
              {
                snapshotHandle: s.string('Snapshot that is there already, as the driver names it.'),
                volumeHandle: s.string('Volume that a snapshot is to be taken of.'),
              },
              'What it shows: exactly one of the two.',
            ),
            sourceVolumeMode: s.string('Filesystem or Block.'),
            volumeSnapshotClassName: s.string('Class that made it.'),
            volumeSnapshotRef: s.object(
              {
                apiVersion: s.string('Group and version.'),
                fieldPath: s.string('Not used.'),
                kind: s.string('Kind.'),
                name: s.string('Name.'),
                namespace: s.string('Namespace.'),
                resourceVersion: s.string('Not used.'),
                uid: s.string('Identity; empty until it is bound.'),
              },
              'VolumeSnapshot that it belongs to.',
            ),
          },
          'What it is.',
          { required: ['deletionPolicy', 'driver', 'source', 'volumeSnapshotRef'] },
        ),
        status: s.object(
          {
            creationTime: s.integer('When it was taken, in nanoseconds since 1970.', { format: 'int64' }),
            error: snapshotError,
            readyToUse: s.boolean('Whether it can be restored from.'),
            restoreSize: s.integer('Bytes of a volume made from it.', { format: 'int64', minimum: 0 }),
            snapshotHandle: s.string('Its name in the storage system.'),
            volumeGroupSnapshotHandle: s.string('Group that it was taken in.'),
          },
          'How it is doing.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  status: true,
  rules: [contentRule],
  columns: [
    {
      name: 'ReadyToUse',
      type: 'boolean',
      description: 'Whether it can be used.',
      value: '.status.readyToUse',
    },
    {
      name: 'RestoreSize',
      type: 'integer',
      description: 'Bytes of a volume from it.',
      value: '.status.restoreSize',
    },
    {
      name: 'DeletionPolicy',
      type: 'string',
      description: 'Whether data go with the object.',
      value: '.spec.deletionPolicy',
    },
    { name: 'Driver', type: 'string', description: 'Driver that holds the data.', value: '.spec.driver' },
    {
      name: 'VolumeSnapshotClass',
      type: 'string',
      description: 'Class that made it.',
      value: '.spec.volumeSnapshotClassName',
    },
    {
      name: 'VolumeSnapshot',
      type: 'string',
      description: 'Object that it belongs to.',
      value: '.spec.volumeSnapshotRef.name',
    },
    {
      name: 'VolumeSnapshotNamespace',
      type: 'string',
      description: 'Namespace of that.',
      value: '.spec.volumeSnapshotRef.namespace',
    },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type VolumeSnapshotContent = KindOf<typeof VolumeSnapshotContent>
