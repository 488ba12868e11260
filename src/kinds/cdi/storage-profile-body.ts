// Spec and status of a StorageProfile.
import { s } from '../build.ts'

const claimPropertySet = s.object(
  {
    accessModes: s.list(s.string(), 'Access modes that a volume of this kind can have.'),
    volumeMode: s.string('Block or Filesystem.'),
  },
  'One way in which volumes can be had; the first is preferred.',
  { required: ['accessModes', 'volumeMode'] },
)
const claimPropertySets = s.list(
  claimPropertySet,
  'Ways in which volumes can be had, the preferred one first.',
)

export const storageProfileSpec = s.object(
  {
    claimPropertySets,
    cloneStrategy: s.string('How volumes are copied: copy, snapshot or csi-clone.'),
    dataImportCronSourceFormat: s.string('Whether golden disks are kept as pvc or as snapshot.'),
    snapshotClass: s.string('Class of snapshots that copying makes use of.'),
  },
  'What an administrator says; it goes before what was found out.',
)

export const storageProfileStatus = s.object(
  {
    claimPropertySets,
    cloneStrategy: s.string('How volumes are copied.'),
    dataImportCronSourceFormat: s.string('How golden disks are kept.'),
    provisioner: s.string('Driver of the class.'),
    snapshotClass: s.string('Class of snapshots in use.'),
    storageClass: s.string('The class.'),
  },
  'What is in force.',
)
