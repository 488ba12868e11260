// The wish of a PersistentVolumeClaim, as core/v1 has it.

import { s } from '../../build.ts'
import { labelSelector } from './affinity.ts'
import { typedLocalObjectReference, typedObjectReference } from './references.ts'

export const volumeResourceRequirements = s.object({
  limits: s.map(s.quantity()),
  requests: s.map(s.quantity()),
})

export const persistentVolumeClaimSpec = s.object({
  accessModes: s.list(s.oneOf(['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'])),
  dataSource: typedLocalObjectReference,
  dataSourceRef: typedObjectReference,
  resources: volumeResourceRequirements,
  selector: labelSelector,
  storageClassName: s.string(),
  volumeAttributesClassName: s.string(),
  volumeMode: s.oneOf(['Block', 'Filesystem', 'FromStorageProfile']),
  volumeName: s.string(),
})

export const podClaimVolumeSource = s.object(
  {
    claimName: s.string(),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['claimName'] },
)
