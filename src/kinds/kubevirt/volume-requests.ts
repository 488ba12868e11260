// Requests to plug volumes in and out of a running machine, and what is known of a claim.

import { s } from '../build.ts'
import { disk } from './domain/disks.ts'
import { dataVolumeSource, persistentVolumeClaimVolumeSource } from './volumes.ts'

export const hotplugVolumeSource = s.object(
  {
    dataVolume: s.doc(dataVolumeSource, 'A DataVolume.'),
    persistentVolumeClaim: s.doc(persistentVolumeClaimVolumeSource, 'A claim.'),
  },
  'What is plugged in.',
)

export const addVolumeOptions = s.object(
  {
    disk: s.doc(disk, 'How the guest sees it.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    name: s.string('Name of the volume.'),
    volumeSource: s.doc(hotplugVolumeSource, 'Where its bytes come from.'),
  },
  'Plugs a volume in.',
  { required: ['name', 'disk', 'volumeSource'] },
)

export const removeVolumeOptions = s.object(
  {
    dryRun: s.list(s.string(), 'All, to only check.'),
    name: s.string('Name of the volume.'),
  },
  'Unplugs a volume.',
  { required: ['name'] },
)

export const virtualMachineVolumeRequest = s.object(
  {
    addVolumeOptions: s.doc(addVolumeOptions, 'A volume to plug in.'),
    removeVolumeOptions: s.doc(removeVolumeOptions, 'A volume to unplug.'),
  },
  'A request that is not carried out yet.',
)

export const persistentVolumeClaimInfo = s.object(
  {
    accessModes: s.list(
      s.oneOf(['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']),
      'How the volume can be mounted.',
    ),
    capacity: s.map(s.quantity(), 'Room the volume has.'),
    claimName: s.string('Name of the claim.'),
    filesystemOverhead: s.string('Share that the file system takes.'),
    preallocated: s.boolean('Whether its room is taken at once.'),
    requests: s.map(s.quantity(), 'Room that was asked for.'),
    volumeMode: s.oneOf(['Block', 'Filesystem', 'FromStorageProfile'], 'Block or Filesystem.'),
  },
  'What is known of a claim.',
)

export const storageMigratedVolumeInfo = s.object(
  {
    destinationPVCInfo: s.doc(persistentVolumeClaimInfo, 'Claim it moves to.'),
    sourcePVCInfo: s.doc(persistentVolumeClaimInfo, 'Claim it comes from.'),
    volumeName: s.string('Name of the volume.'),
  },
  'A volume that moves to another claim.',
  { required: ['volumeName'] },
)

export const changedBlockTrackingStatus = s.object(
  {
    state: s.string('How far this has come.'),
  },
  'Whether changed blocks are remembered.',
  { required: ['state'] },
)
