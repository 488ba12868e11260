// VirtualMachineRestore: a machine as a snapshot holds it, in its old place or as a new one; KubeVirt's
// snapshot.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { machineCondition, machineRef } from './machine-parts.ts'
import { machineRestoreMutator, machineRestoreRule } from './machine-rules.ts'

export const VirtualMachineRestore = defineKind({
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineRestore',
  plural: 'virtualmachinerestores',
  shortNames: ['vmrestore', 'vmrestores'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'Brings a machine back as a snapshot holds it.',
  body: () =>
    s.object(
      {
        spec: s.object(
          {
            patches: s.list(s.string(), 'JSON patches of the machine, under spec, labels and annotations.'),
            target: machineRef,
            targetReadinessPolicy: s.oneOf(
              ['WaitGracePeriod', 'StopTarget', 'FailImmediate', 'WaitEventually'],
              'What happens while the target runs.',
            ),
            virtualMachineSnapshotName: s.string('Snapshot of the same namespace.'),
            volumeOwnershipPolicy: s.oneOf(['Vm', 'None'], 'Whether the new claims go with the machine.'),
            volumeRestoreOverrides: s.list(
              s.object({
                annotations: s.map(s.string(), 'Annotations of the claim.'),
                labels: s.map(s.string(), 'Labels of the claim.'),
                restoreName: s.string('Name of the claim.'),
                volumeName: s.string('Volume of the machine.'),
              }),
              'What is different for single volumes.',
            ),
            volumeRestorePolicy: s.oneOf(
              ['RandomizeNames', 'InPlace', 'PrefixTargetName'],
              'How the new claims are named.',
            ),
          },
          'What is brought back, and how.',
          { required: ['target', 'virtualMachineSnapshotName'] },
        ),
        status: s.object(
          {
            complete: s.boolean('Whether it is done.'),
            conditions: s.list(machineCondition, 'Ready, Progressing and Failure.'),
            deletedDataVolumes: s.set(s.string(), 'DataVolumes that were taken away.'),
            restoreTime: s.time('When it was done.'),
            restores: s.list(
              s.object(
                {
                  dataVolumeName: s.string('DataVolume that owns the claim.'),
                  persistentVolumeClaim: s.string('New claim.'),
                  volumeName: s.string('Volume of the machine.'),
                  volumeSnapshotName: s.string('VolumeSnapshot that it is made from.'),
                },
                undefined,
                { required: ['persistentVolumeClaim', 'volumeName', 'volumeSnapshotName'] },
              ),
              'The disks.',
            ),
          },
          'How it is doing.',
        ),
      },
      undefined,
      { required: ['spec'] },
    ),
  status: true,
  mutators: [machineRestoreMutator],
  rules: [machineRestoreRule],
  columns: [
    { name: 'TargetKind', type: 'string', description: 'Kind of the target.', value: '.spec.target.kind' },
    { name: 'TargetName', type: 'string', description: 'Name of the target.', value: '.spec.target.name' },
    { name: 'Complete', type: 'boolean', description: 'Whether it is done.', value: '.status.complete' },
    { name: 'RestoreTime', type: 'date', description: 'When it was done.', value: '.status.restoreTime' },
    {
      name: 'Error',
      type: 'string',
      description: 'What went wrong.',
      value: ".status.conditions[?(@.type=='Failure')].reason",
    },
  ],
})
export type VirtualMachineRestore = KindOf<typeof VirtualMachineRestore>
