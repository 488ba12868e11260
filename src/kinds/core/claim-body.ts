// Wanted and observed state of a PersistentVolumeClaim.
import { s } from '../build.ts'
import { accessMode } from './access-mode.ts'
import { labelSelector } from './meta-types.ts'
import { typedLocalObjectReference, typedObjectReference } from './references.ts'
import { volumeResourceRequirements } from './resources.ts'

export const persistentVolumeClaimSpec = s.object(
  {
    accessModes: s.list(accessMode, 'Ways in which the volume is to be mounted.'),
    selector: s.doc(labelSelector, 'Labels that the volume must have.'),
    resources: s.write(s.doc(volumeResourceRequirements, 'Size of the volume.')),
    volumeName: s.string('PersistentVolume that the claim is bound to.'),
    storageClassName: s.keep(
      s.string('StorageClass; the default class where it is absent, none where it is empty.'),
    ),
    volumeMode: s.keep(s.oneOf(['Block', 'Filesystem'], 'Filesystem or Block.', { default: 'Filesystem' })),
    dataSource: s.doc(typedLocalObjectReference, 'What the volume is filled with.'),
    dataSourceRef: s.doc(typedObjectReference, 'What the volume is filled with, of any kind.'),
    volumeAttributesClassName: s.keep(s.string('VolumeAttributesClass of the volume.')),
  },
  'Wanted state of a PersistentVolumeClaim.',
)

export const persistentVolumeClaimCondition = s.object({
  type: s.write(s.string()),
  status: s.write(s.string()),
  lastProbeTime: s.write(s.time()),
  lastTransitionTime: s.write(s.time()),
  reason: s.string(),
  message: s.string(),
})

export const modifyVolumeStatus = s.object({
  targetVolumeAttributesClassName: s.string(),
  status: s.write(s.string()),
})

export const persistentVolumeClaimStatus = s.object(
  {
    phase: s.oneOf(['Bound', 'Lost', 'Pending'], 'Pending, Bound or Lost.'),
    accessModes: s.list(accessMode, 'Ways in which the bound volume can be mounted.'),
    capacity: s.map(s.quantity(), 'Size of the bound volume.'),
    conditions: s.keyedList(persistentVolumeClaimCondition, ['type'], 'Observations such as Resizing.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
    allocatedResources: s.map(s.quantity(), 'Size that is being made.'),
    allocatedResourceStatuses: s.map(s.string(), 'State of a change of size.'),
    currentVolumeAttributesClassName: s.keep(s.string('VolumeAttributesClass in force.')),
    modifyVolumeStatus: s.doc(modifyVolumeStatus, 'State of a change of the VolumeAttributesClass.'),
  },
  'Observed state of a PersistentVolumeClaim.',
)
