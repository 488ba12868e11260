// VirtualMachineSnapshot: a machine with all its disks as it was at one instant; KubeVirt's
// snapshot.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { machineCondition, machineError, machineRef } from './machine-parts.ts'
import { machineSnapshotMutator, machineSnapshotRule } from './machine-rules.ts'

export const VirtualMachineSnapshot = defineKind({
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineSnapshot',
  plural: 'virtualmachinesnapshots',
  shortNames: ['vmsnapshot', 'vmsnapshots'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'A machine with all its disks as it was at one instant.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            deletionPolicy: s.oneOf(['Delete', 'Retain'], 'Whether the disks go with the object.'),
            failureDeadline: s.string('How long it may take, for instance 5m; 0 for as long as it takes.'),
            source: machineRef,
          },
          'What is to be kept; never changed.',
          { required: ['source'] },
        ),
        status: s.object(
          {
            conditions: s.list(machineCondition, 'Ready, Progressing and Failure.'),
            creationTime: s.time('When it was taken.'),
            error: machineError,
            indications: s.set(s.string(), 'Under which circumstances it was taken, for instance Online.'),
            phase: s.string('InProgress, Succeeded, Failed or Deleting.'),
            readyToUse: s.boolean('Whether the machine can be restored from it.'),
            snapshotVolumes: s.object(
              {
                excludedVolumes: s.set(s.string(), 'Volumes that could not be kept.'),
                includedVolumes: s.set(s.string(), 'Volumes that are kept.'),
              },
              'Which volumes are in it.',
            ),
            sourceIndications: s.list(
              s.object(
                { indication: s.string('Its word.'), message: s.string('What it means.') },
                undefined,
                {
                  required: ['indication', 'message'],
                },
              ),
              'The circumstances with their meaning.',
            ),
            sourceUID: s.string('Identity of the machine.'),
            virtualMachineSnapshotContentName: s.string('Object that holds the content.'),
          },
          'How it is doing.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  status: true,
  mutators: [machineSnapshotMutator],
  rules: [machineSnapshotRule],
  columns: [
    { name: 'SourceKind', type: 'string', description: 'Kind of the source.', value: '.spec.source.kind' },
    { name: 'SourceName', type: 'string', description: 'Name of the source.', value: '.spec.source.name' },
    { name: 'Phase', type: 'string', description: 'How far it has come.', value: '.status.phase' },
    {
      name: 'ReadyToUse',
      type: 'boolean',
      description: 'Whether it can be used.',
      value: '.status.readyToUse',
    },
    {
      name: 'CreationTime',
      type: 'date',
      description: 'When it was taken.',
      value: '.status.creationTime',
    },
    { name: 'Error', type: 'string', description: 'What went wrong.', value: '.status.error.message' },
  ],
})
export type VirtualMachineSnapshot = KindOf<typeof VirtualMachineSnapshot>
