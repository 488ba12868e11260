// Where the bytes behind disks and shares come from.

import { s } from '../build.ts'
import { podClaimVolumeSource } from './pod/claim.ts'
import { localObjectReference, objectFieldSelector, resourceFieldSelector } from './pod/references.ts'

export const cloudInitNoCloudSource = s.object({
  networkData: s.string(),
  networkDataBase64: s.string(),
  networkDataSecretRef: localObjectReference,
  secretRef: localObjectReference,
  userData: s.string(),
  userDataBase64: s.string(),
})

export const cloudInitConfigDriveSource = s.object({
  networkData: s.string(),
  networkDataBase64: s.string(),
  networkDataSecretRef: localObjectReference,
  secretRef: localObjectReference,
  userData: s.string(),
  userDataBase64: s.string(),
})

export const configMapVolumeSource = s.object({
  name: s.string(),
  optional: s.boolean(),
  volumeLabel: s.string(),
})

export const secretVolumeSource = s.object({
  optional: s.boolean(),
  secretName: s.string(),
  volumeLabel: s.string(),
})

export const serviceAccountVolumeSource = s.object({
  serviceAccountName: s.string(),
})

export const sysprepSource = s.object({
  configMap: localObjectReference,
  secret: localObjectReference,
})

export const containerDiskSource = s.object(
  {
    image: s.string(),
    imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never']),
    imagePullSecret: s.string(),
    path: s.string(),
  },
  undefined,
  { required: ['image'] },
)

export const dataVolumeSource = s.object(
  {
    hotpluggable: s.boolean(),
    name: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const downwardAPIVolumeFile = s.object(
  {
    fieldRef: objectFieldSelector,
    mode: s.integer(),
    path: s.string(),
    resourceFieldRef: resourceFieldSelector,
  },
  undefined,
  { required: ['path'] },
)

export const downwardAPIVolumeSource = s.object({
  fields: s.list(downwardAPIVolumeFile),
  volumeLabel: s.string(),
})

export const downwardMetricsVolumeSource = s.object({})

export const emptyDiskSource = s.object(
  {
    capacity: s.quantity(),
  },
  undefined,
  { required: ['capacity'] },
)

export const ephemeralVolumeSource = s.object({
  persistentVolumeClaim: podClaimVolumeSource,
})

export const hostDisk = s.object(
  {
    capacity: s.quantity(),
    path: s.string(),
    shared: s.boolean(),
    type: s.string(),
  },
  undefined,
  { required: ['path', 'type'] },
)

export const memoryDumpVolumeSource = s.object(
  {
    claimName: s.string(),
    hotpluggable: s.boolean(),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['claimName'] },
)

export const persistentVolumeClaimVolumeSource = s.object(
  {
    claimName: s.string(),
    hotpluggable: s.boolean(),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['claimName'] },
)

export const containerPathVolumeSource = s.object(
  {
    path: s.string(),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['path'] },
)

export const volume = s.object(
  {
    cloudInitConfigDrive: cloudInitConfigDriveSource,
    cloudInitNoCloud: cloudInitNoCloudSource,
    configMap: configMapVolumeSource,
    containerDisk: containerDiskSource,
    dataVolume: dataVolumeSource,
    downwardAPI: downwardAPIVolumeSource,
    downwardMetrics: downwardMetricsVolumeSource,
    emptyDisk: emptyDiskSource,
    ephemeral: ephemeralVolumeSource,
    hostDisk: hostDisk,
    memoryDump: memoryDumpVolumeSource,
    name: s.string(),
    persistentVolumeClaim: persistentVolumeClaimVolumeSource,
    secret: secretVolumeSource,
    serviceAccount: serviceAccountVolumeSource,
    sysprep: sysprepSource,
    containerPath: containerPathVolumeSource,
  },
  undefined,
  { required: ['name'] },
)
