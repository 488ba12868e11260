// Spec and status of a DataVolume: where a disk comes from and what claim it fills.

import { s } from '../build.ts'
import { labelSelector } from '../kubevirt/pod/affinity.ts'
import { persistentVolumeClaimSpec, volumeResourceRequirements } from '../kubevirt/pod/claim.ts'
import { typedLocalObjectReference, typedObjectReference } from '../kubevirt/pod/references.ts'

export const dataVolumeBlankImage = s.object({})

export const dataVolumeSourceUpload = s.object({})

export const dataVolumeSourceGCS = s.object(
  {
    secretRef: s.string(),
    url: s.string(),
  },
  undefined,
  { required: ['url'] },
)

export const dataVolumeSourceHTTP = s.object(
  {
    certConfigMap: s.string(),
    checksum: s.string(),
    extraHeaders: s.list(s.string()),
    insecureSkipVerify: s.boolean(),
    secretExtraHeaders: s.list(s.string()),
    secretRef: s.string(),
    url: s.string(),
  },
  undefined,
  { required: ['url'] },
)

export const dataVolumeSourceImageIO = s.object(
  {
    certConfigMap: s.string(),
    diskId: s.string(),
    insecureSkipVerify: s.boolean(),
    secretRef: s.string(),
    url: s.string(),
  },
  undefined,
  { required: ['url', 'diskId'] },
)

export const dataVolumeSourcePVC = s.object(
  {
    name: s.string(),
    namespace: s.string(),
  },
  undefined,
  { required: ['namespace', 'name'] },
)

export const platformOptions = s.object({
  architecture: s.string(),
})

export const dataVolumeSourceRegistry = s.object({
  certConfigMap: s.string(),
  imageStream: s.string(),
  platform: platformOptions,
  pullMethod: s.string(),
  secretRef: s.string(),
  url: s.string(),
})

export const dataVolumeSourceS3 = s.object(
  {
    certConfigMap: s.string(),
    secretRef: s.string(),
    url: s.string(),
  },
  undefined,
  { required: ['url'] },
)

export const dataVolumeSourceSnapshot = s.object(
  {
    name: s.string(),
    namespace: s.string(),
  },
  undefined,
  { required: ['namespace', 'name'] },
)

export const dataVolumeSourceVDDK = s.object({
  backingFile: s.string(),
  certConfigMap: s.string(),
  extraArgs: s.string(),
  initImageURL: s.string(),
  secretRef: s.string(),
  thumbprint: s.string(),
  url: s.string(),
  uuid: s.string(),
})

export const dataVolumeImportSource = s.object({
  blank: dataVolumeBlankImage,
  gcs: dataVolumeSourceGCS,
  http: dataVolumeSourceHTTP,
  imageio: dataVolumeSourceImageIO,
  pvc: dataVolumeSourcePVC,
  registry: dataVolumeSourceRegistry,
  s3: dataVolumeSourceS3,
  snapshot: dataVolumeSourceSnapshot,
  upload: dataVolumeSourceUpload,
  vddk: dataVolumeSourceVDDK,
})

export const dataVolumeSourceRef = s.object(
  {
    kind: s.string(),
    name: s.string(),
    namespace: s.string(),
  },
  undefined,
  { required: ['kind', 'name'] },
)

export const dataVolumeCheckpoint = s.object(
  {
    current: s.string(),
    previous: s.string(),
  },
  undefined,
  { required: ['previous', 'current'] },
)

export const storageSpec = s.object({
  accessModes: s.list(s.string()),
  dataSource: typedLocalObjectReference,
  dataSourceRef: typedObjectReference,
  resources: volumeResourceRequirements,
  selector: labelSelector,
  storageClassName: s.string(),
  volumeMode: s.string(),
  volumeName: s.string(),
})

export const dataVolumeSpec = s.object({
  checkpoints: s.list(dataVolumeCheckpoint),
  contentType: s.string(),
  finalCheckpoint: s.boolean(),
  preallocation: s.boolean(),
  priorityClassName: s.string(),
  pvc: persistentVolumeClaimSpec,
  serviceAccountName: s.string(),
  source: dataVolumeImportSource,
  sourceRef: dataVolumeSourceRef,
  storage: storageSpec,
})

export const dataVolumeCondition = s.object(
  {
    lastHeartbeatTime: s.time(),
    lastTransitionTime: s.time(),
    message: s.string(),
    reason: s.string(),
    status: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['type', 'status'] },
)

export const dataVolumeStatus = s.object({
  claimName: s.string(),
  conditions: s.list(dataVolumeCondition),
  phase: s.string(),
  progress: s.string(),
  restartCount: s.integer(),
})
