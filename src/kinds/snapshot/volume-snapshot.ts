// VolumeSnapshot: a claim's volume as it was at one instant; Kubernetes' snapshot.storage.k8s.io/v1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { volumeSnapshotMutator, volumeSnapshotRule } from './rules.ts'

export const snapshotError = s.object(
  { message: s.string('What went wrong.'), time: s.time('When.') },
  'What went wrong last.',
)

export const VolumeSnapshot = defineKind({
  group: 'snapshot.storage.k8s.io',
  version: 'v1',
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
  shortNames: ['vs'],
  scope: 'Namespaced',
  doc: 'The volume of a claim as it was at one instant.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            source: s.object(
              {
                persistentVolumeClaimName: s.string('Claim of the same namespace that it is taken of.'),
                volumeSnapshotContentName: s.string('Content that is there already.'),
              },
              'What it shows: exactly one of the two.',
            ),
            volumeSnapshotClassName: s.string('How it is made; without one the default class of the driver.'),
          },
          'What is to be kept.',
          { required: ['source'] },
        ),
        status: s.object(
          {
            boundVolumeSnapshotContentName: s.string('Content that belongs to it.'),
            creationTime: s.time('When it was taken.'),
            error: snapshotError,
            readyToUse: s.boolean('Whether it can be restored from.'),
            restoreSize: s.quantity('Smallest size of a claim made from it.'),
            volumeGroupSnapshotName: s.string('Group that it was taken in.'),
          },
          'How it is doing.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  status: true,
  mutators: [volumeSnapshotMutator],
  rules: [volumeSnapshotRule],
  columns: [
    {
      name: 'ReadyToUse',
      type: 'boolean',
      description: 'Whether it can be used.',
      value: '.status.readyToUse',
    },
    {
      name: 'SourcePVC',
      type: 'string',
      description: 'Claim that it is of.',
      value: '.spec.source.persistentVolumeClaimName',
    },
    {
      name: 'SourceSnapshotContent',
      type: 'string',
      description: 'Content that it was made for.',
      value: '.spec.source.volumeSnapshotContentName',
    },
    {
      name: 'RestoreSize',
      type: 'string',
      description: 'Smallest size of a claim from it.',
      value: '.status.restoreSize',
    },
    {
      name: 'SnapshotClass',
      type: 'string',
      description: 'How it is made.',
      value: '.spec.volumeSnapshotClassName',
    },
    {
      name: 'SnapshotContent',
      type: 'string',
      description: 'Its content.',
      value: '.status.boundVolumeSnapshotContentName',
    },
    {
      name: 'CreationTime',
      type: 'date',
      description: 'When it was taken.',
      value: '.status.creationTime',
    },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type VolumeSnapshot = KindOf<typeof VolumeSnapshot>
