// Cluster-wide settings of disk import.

import { s } from '../build.ts'
import { localObjectReference } from '../kubevirt/pod/references.ts'
import { containerResources } from '../kubevirt/pod/resources.ts'

export const filesystemOverhead = s.object({
  global: s.string(),
  storageClass: s.map(s.string()),
})

export const importProxy = s.object({
  HTTPProxy: s.string(),
  HTTPSProxy: s.string(),
  noProxy: s.string(),
  trustedCAProxy: s.string(),
})

export const customTLSProfile = s.object(
  {
    ciphers: s.list(s.string()),
    minTLSVersion: s.string(),
  },
  undefined,
  { required: ['ciphers', 'minTLSVersion'] },
)

export const intermediateTLSProfile = s.object({})

export const modernTLSProfile = s.object({})

export const oldTLSProfile = s.object({})

export const tlsSecurityProfile = s.object({
  custom: customTLSProfile,
  intermediate: intermediateTLSProfile,
  modern: modernTLSProfile,
  old: oldTLSProfile,
  type: s.string(),
})

export const cdiConfigSpec = s.object({
  dataVolumeTTLSeconds: s.integer(),
  featureGates: s.list(s.string()),
  filesystemOverhead: filesystemOverhead,
  imagePullSecrets: s.list(localObjectReference),
  importProxy: importProxy,
  insecureRegistries: s.list(s.string()),
  logVerbosity: s.integer(),
  podResourceRequirements: containerResources,
  preallocation: s.boolean(),
  scratchSpaceStorageClass: s.string(),
  tlsSecurityProfile: tlsSecurityProfile,
  uploadProxyURLOverride: s.string(),
  webhookPvcRendering: s.string(),
})

export const importStatus = s.object(
  {
    DataVolumeName: s.string(),
    Digest: s.string(),
  },
  undefined,
  { required: ['DataVolumeName', 'Digest'] },
)

export const cdiConfigStatus = s.object({
  defaultPodResourceRequirements: containerResources,
  filesystemOverhead: filesystemOverhead,
  imagePullSecrets: s.list(localObjectReference),
  importProxy: importProxy,
  preallocation: s.boolean(),
  scratchSpaceStorageClass: s.string(),
  uploadProxyCA: s.string(),
  uploadProxyURL: s.string(),
})
