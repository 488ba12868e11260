// VirtualMachineSnapshotContent: what a VirtualMachineSnapshot holds, the machine's own words and its disks;
// KubeVirt's snapshot.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { persistentVolumeClaimSpec } from '../core/claim-body.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { templateMetadata } from '../kubevirt/pod/template-metadata.ts'
import { machineError } from './machine-parts.ts'

const virtualMachine = s.object(
  {
    metadata: templateMetadata,
    spec: s.anything('The machine as it was.'),
    status: s.anything('How it was doing.'),
  },
  'The machine.',
)

const volumeBackup = s.object(
  {
    persistentVolumeClaim: s.object(
      { metadata: templateMetadata, spec: persistentVolumeClaimSpec },
      'The claim as it was.',
    ),
    volumeName: s.string('Name of the volume in the machine.'),
    volumeSnapshotName: s.string('VolumeSnapshot of the same namespace.', { nullable: true }),
  },
  'One disk.',
  { required: ['persistentVolumeClaim', 'volumeName'] },
)

export const VirtualMachineSnapshotContent = defineKind({
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineSnapshotContent',
  plural: 'virtualmachinesnapshotcontents',
  shortNames: ['vmsnapshotcontent', 'vmsnapshotcontents'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'What a VirtualMachineSnapshot holds.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            source: s.object({ virtualMachine }, 'What it was taken of.'),
            virtualMachineSnapshotName: s.string('Snapshot that it belongs to.', { nullable: true }),
            volumeBackups: s.list(volumeBackup, 'The disks.'),
          },
          'The content.',
          { required: ['source'] },
        ),
        status: s.object(
          {
            creationTime: s.time('When it was taken.'),
            error: machineError,
            readyToUse: s.boolean('Whether it can be used.'),
            volumeSnapshotStatus: s.list(
              s.object(
                {
                  creationTime: s.time('When it was taken.'),
                  error: machineError,
                  readyToUse: s.boolean('Whether it can be used.'),
                  volumeSnapshotName: s.string('VolumeSnapshot.'),
                },
                undefined,
                { required: ['volumeSnapshotName'] },
              ),
              'How each disk is doing.',
            ),
          },
          'How it is doing.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  status: true,
  columns: [
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
export type VirtualMachineSnapshotContent = KindOf<typeof VirtualMachineSnapshotContent>
