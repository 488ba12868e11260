// Requests to plug volumes in and out of a running machine, and what is known of a claim.

import { s } from '../build.ts'
import { disk } from './domain/disks.ts'
import { dataVolumeSource, persistentVolumeClaimVolumeSource } from './volumes.ts'

export const hotplugVolumeSource = s.object({
  dataVolume: dataVolumeSource,
  persistentVolumeClaim: persistentVolumeClaimVolumeSource,
})

export const addVolumeOptions = s.object(
  {
    disk: disk,
    dryRun: s.list(s.string()),
    name: s.string(),
    volumeSource: hotplugVolumeSource,
  },
  undefined,
  { required: ['name', 'disk', 'volumeSource'] },
)

export const removeVolumeOptions = s.object(
  {
    dryRun: s.list(s.string()),
    name: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const virtualMachineVolumeRequest = s.object({
  addVolumeOptions: addVolumeOptions,
  removeVolumeOptions: removeVolumeOptions,
})

export const persistentVolumeClaimInfo = s.object({
  accessModes: s.list(s.oneOf(['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'])),
  capacity: s.map(s.quantity()),
  claimName: s.string(),
  filesystemOverhead: s.string(),
  preallocated: s.boolean(),
  requests: s.map(s.quantity()),
  volumeMode: s.oneOf(['Block', 'Filesystem', 'FromStorageProfile']),
})

export const storageMigratedVolumeInfo = s.object(
  {
    destinationPVCInfo: persistentVolumeClaimInfo,
    sourcePVCInfo: persistentVolumeClaimInfo,
    volumeName: s.string(),
  },
  undefined,
  { required: ['volumeName'] },
)

export const changedBlockTrackingStatus = s.object(
  {
    state: s.string(),
  },
  undefined,
  { required: ['state'] },
)
