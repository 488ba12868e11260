// VirtualMachineBackup: a machine kept, beside its data (`snapshot`) or in a backup target (`backup`); Harvester's
// harvesterhci.io/v1beta1. Upstream it has no status subresource.
import { s } from '../build.ts'
import { persistentVolumeClaimSpec } from '../core/claim-body.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { virtualMachineSpec } from '../kubevirt/machine-spec.ts'
import { templateMetadata } from '../kubevirt/pod/template-metadata.ts'
import { machineBackupMutator, machineBackupRule } from './rules/machine-backup.ts'
import { harvesterCondition } from './schema/condition.ts'

export const backupSource = s.object(
  {
    apiGroup: s.string('Group of the kind: kubevirt.io.'),
    kind: s.string('Kind: VirtualMachine.'),
    name: s.string('Name.'),
  },
  'A machine of the same namespace.',
  { required: ['kind', 'name'] },
)

const error = s.object(
  { message: s.string('What went wrong.'), time: s.time('When.') },
  'What went wrong last.',
)

const volumeBackup = s.object(
  {
    creationTime: s.time('When it was taken.'),
    csiDriverName: s.string('Driver of the disk.', { default: 'driver.longhorn.io' }),
    error,
    longhornBackupName: s.string('Backup in the target.'),
    name: s.string('VolumeSnapshot of the same namespace.'),
    persistentVolumeClaim: s.object(
      { metadata: templateMetadata, spec: persistentVolumeClaimSpec },
      'The claim as it was.',
    ),
    progress: s.integer('Percent done.'),
    readyToUse: s.boolean('Whether it can be used.'),
    volumeName: s.string('Name of the volume in the machine.'),
    volumeSize: s.integer('Bytes of the disk.', { format: 'int64' }),
  },
  'One disk.',
  { required: ['csiDriverName', 'persistentVolumeClaim', 'volumeName'] },
)

export const VirtualMachineBackup = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'VirtualMachineBackup',
  plural: 'virtualmachinebackups',
  shortNames: ['vmbackup', 'vmbackups'],
  scope: 'Namespaced',
  doc: 'A machine with all its disks as it was at one instant.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            fsFreezeDeadline: s.string('How long file systems may be at rest, for instance 30s.'),
            source: backupSource,
            type: s.oneOf(['backup', 'snapshot'], 'Where it is kept.', { default: 'backup' }),
          },
          'What is kept, and where.',
          { required: ['source'] },
        ),
        status: s.object(
          {
            backupTarget: s.object(
              {
                bucketName: s.string('Bucket.'),
                bucketRegion: s.string('Region.'),
                endpoint: s.string('Address.'),
              },
              'Where it is kept.',
            ),
            conditions: s.list(harvesterCondition, 'Ready and InProgress.'),
            creationTime: s.time('When it was taken.'),
            csiDriverVolumeSnapshotClassNames: s.map(s.string(), 'Snapshot class used, by driver.'),
            error,
            progress: s.integer('Percent done.'),
            readyToUse: s.boolean('Whether the machine can be restored from it.'),
            secretBackups: s.list(
              s.object(
                { data: s.map(s.bytes(), 'Its content.'), name: s.string('Name of the Secret.') },
                undefined,
                { required: ['name'] },
              ),
              'Secrets that the machine names.',
            ),
            source: s.object(
              { metadata: templateMetadata, spec: virtualMachineSpec },
              'The machine as it was.',
            ),
            sourceUID: s.string('Identity of the machine.'),
            volumeBackups: s.list(volumeBackup, 'The disks.'),
          },
          'How it is doing.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  mutators: [machineBackupMutator],
  rules: [machineBackupRule],
  columns: [
    { name: 'SOURCE_KIND', type: 'string', description: 'Kind of the source.', value: '.spec.source.kind' },
    { name: 'SOURCE_NAME', type: 'string', description: 'Name of the source.', value: '.spec.source.name' },
    { name: 'TYPE', type: 'string', description: 'Where it is kept.', value: '.spec.type' },
    {
      name: 'READY_TO_USE',
      type: 'boolean',
      description: 'Whether it can be used.',
      value: '.status.readyToUse',
    },
    { name: 'AGE', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
    { name: 'ERROR', type: 'string', description: 'What went wrong.', value: '.status.error.message' },
  ],
})
export type VirtualMachineBackup = KindOf<typeof VirtualMachineBackup>
