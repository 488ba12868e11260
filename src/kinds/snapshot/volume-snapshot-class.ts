// VolumeSnapshotClass: a way to make snapshots; Kubernetes' snapshot.storage.k8s.io/v1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { snapshotClassRule } from './rules.ts'

/** The annotation that makes a class the default one of its driver. */
export const DEFAULT_SNAPSHOT_CLASS = 'snapshot.storage.kubernetes.io/is-default-class'

export const VolumeSnapshotClass = defineKind({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshotClass',
  plural: 'volumesnapshotclasses',
  shortNames: ['vsclass', 'vsclasses'],
  scope: 'Cluster',
  doc: 'A way to make snapshots of volumes.',
  body: () =>
    s.object(
      {
        deletionPolicy: s.oneOf(['Delete', 'Retain'], 'Whether the data go with the object.'),
        driver: s.string('Driver that makes the snapshots.'),
        parameters: s.map(s.string(), 'What the driver is told, for instance type=snap.'),
      },
      undefined,
      { required: ['deletionPolicy', 'driver'] },
    ),
  rules: [snapshotClassRule],
  columns: [
    { name: 'Driver', type: 'string', description: 'Driver that makes them.', value: '.driver' },
    {
      name: 'DeletionPolicy',
      type: 'string',
      description: 'Whether data go with the object.',
      value: '.deletionPolicy',
    },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type VolumeSnapshotClass = KindOf<typeof VolumeSnapshotClass>
