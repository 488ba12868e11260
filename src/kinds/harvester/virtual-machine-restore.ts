// VirtualMachineRestore: a machine from a backup, as a new one or in place of the old; Harvester's
// harvesterhci.io/v1beta1. Upstream it has no status subresource.
import { s } from '../build.ts'
import { persistentVolumeClaimSpec } from '../core/claim-body.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { templateMetadata } from '../kubevirt/pod/template-metadata.ts'
import { machineRestoreRule } from './rules/machine-backup.ts'
import { harvesterCondition } from './schema/condition.ts'
import { backupSource } from './virtual-machine-backup.ts'

const volumeRestore = s.object(
  {
    longhornEngineName: s.string('Engine that fills the disk.'),
    persistentVolumeClaimSpec: s.object(
      { metadata: templateMetadata, spec: persistentVolumeClaimSpec },
      'The new claim.',
    ),
    progress: s.integer('Percent done.'),
    volumeBackupName: s.string('VolumeSnapshot that it is made from.'),
    volumeName: s.string('Name of the volume in the machine.'),
    volumeSize: s.integer('Bytes of the disk.', { format: 'int64' }),
  },
  'One disk.',
)

export const VirtualMachineRestore = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'VirtualMachineRestore',
  plural: 'virtualmachinerestores',
  shortNames: ['vmrestore', 'vmrestores'],
  scope: 'Namespaced',
  doc: 'Brings a machine back from a backup.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            deletionPolicy: s.string('delete or retain: what becomes of the disks that are replaced.'),
            haltAfterRestore: s.boolean('Leaves the machine stopped.'),
            keepMacAddress: s.boolean('A new machine keeps the addresses of its network cards.'),
            newVM: s.boolean('Makes a new machine.'),
            target: backupSource,
            virtualMachineBackupName: s.string('Backup that it is made from.'),
            virtualMachineBackupNamespace: s.string('Namespace of the backup.'),
          },
          'What is brought back, and how.',
          { required: ['target', 'virtualMachineBackupName', 'virtualMachineBackupNamespace'] },
        ),
        status: s.object(
          {
            complete: s.boolean('Whether it is done.'),
            conditions: s.list(harvesterCondition, 'Ready and InProgress.'),
            deletedVolumes: s.list(s.string(), 'Claims that were taken away.'),
            progress: s.integer('Percent done.'),
            restoreTime: s.time('When it was done.'),
            restores: s.list(volumeRestore, 'The disks.'),
            targetUID: s.string('Identity of the machine.'),
          },
          'How it is doing.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  rules: [machineRestoreRule],
  columns: [
    { name: 'TARGET_KIND', type: 'string', description: 'Kind of the target.', value: '.spec.target.kind' },
    { name: 'TARGET_NAME', type: 'string', description: 'Name of the target.', value: '.spec.target.name' },
    { name: 'COMPLETE', type: 'boolean', description: 'Whether it is done.', value: '.status.complete' },
    { name: 'AGE', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
    { name: 'ERROR', type: 'date', description: 'What went wrong.', value: '.status.error.message' },
  ],
})
export type VirtualMachineRestore = KindOf<typeof VirtualMachineRestore>
