// The wish of a PersistentVolumeClaim, as core/v1 has it.

import { s } from '../../build.ts'
import { labelSelector } from './affinity.ts'
import { typedLocalObjectReference, typedObjectReference } from './references.ts'

export const volumeResourceRequirements = s.object(
  {
    limits: s.map(s.quantity(), 'Most room it may get.'),
    requests: s.map(s.quantity(), 'Least room it must have, under the key storage.'),
  },
  'How much room a volume must have.',
)

export const persistentVolumeClaimSpec = s.object(
  {
    accessModes: s.list(
      s.oneOf(['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']),
      'How the volume is to be mounted.',
    ),
    dataSource: s.doc(typedLocalObjectReference, 'Object that the volume is filled from, in this namespace.'),
    dataSourceRef: s.doc(typedObjectReference, 'Object that the volume is filled from.'),
    resources: s.doc(volumeResourceRequirements, 'How much room it must have.'),
    selector: s.doc(labelSelector, 'Volumes to choose from.'),
    storageClassName: s.string('Class that the volume is made by.'),
    volumeAttributesClassName: s.string('Class of attributes that can be changed later.'),
    volumeMode: s.oneOf(['Block', 'Filesystem', 'FromStorageProfile'], 'Block or Filesystem.'),
    volumeName: s.string('Volume to bind to.'),
  },
  'A wish for a volume.',
)

export const podClaimVolumeSource = s.object(
  {
    claimName: s.string('Name of the claim.'),
    readOnly: s.boolean('True to mount it without writing.'),
  },
  'A claim that a volume stands for.',
  { required: ['claimName'] },
)
