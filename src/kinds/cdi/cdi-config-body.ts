// Cluster-wide settings of disk import.

import { s } from '../build.ts'
import { localObjectReference } from '../kubevirt/pod/references.ts'
import { containerResources } from '../kubevirt/pod/resources.ts'

export const filesystemOverhead = s.object(
  {
    global: s.string('For all classes; 0.06 when empty.'),
    storageClass: s.map(s.string(), 'By class.'),
  },
  'Share that file systems take of a volume, as a fraction.',
)

export const importProxy = s.object(
  {
    HTTPProxy: s.string('Proxy for http.'),
    HTTPSProxy: s.string('Proxy for https.'),
    noProxy: s.string('Hosts that are reached without it.'),
    trustedCAProxy: s.string('ConfigMap with certificates to trust.'),
  },
  'Proxy for transfers.',
)

export const customTLSProfile = s.object(
  {
    ciphers: s.list(s.string(), 'Ciphers that are allowed.'),
    minTLSVersion: s.string('Oldest version that is allowed.'),
  },
  'Chosen by hand.',
  { required: ['ciphers', 'minTLSVersion'] },
)

export const intermediateTLSProfile = s.object({}, 'For most clients.')

export const modernTLSProfile = s.object({}, 'For new clients only.')

export const oldTLSProfile = s.object({}, 'For very old clients.')

export const tlsSecurityProfile = s.object(
  {
    custom: s.doc(customTLSProfile, 'Chosen by hand.'),
    intermediate: s.doc(intermediateTLSProfile, 'For most clients.'),
    modern: s.doc(modernTLSProfile, 'For new clients only.'),
    old: s.doc(oldTLSProfile, 'For very old clients.'),
    type: s.string('Old, Intermediate, Modern or Custom.'),
  },
  'How connections are encrypted.',
)

export const cdiConfigSpec = s.object(
  {
    dataVolumeTTLSeconds: s.integer('No longer used.'),
    featureGates: s.list(s.string(), 'Names of features.'),
    filesystemOverhead: s.doc(filesystemOverhead, 'Share that file systems take.'),
    imagePullSecrets: s.list(localObjectReference, 'Secrets for fetching images.'),
    importProxy: s.doc(importProxy, 'Proxy for transfers.'),
    insecureRegistries: s.list(s.string(), 'Registries that are reached without encryption.'),
    logVerbosity: s.integer('How much is logged.'),
    podResourceRequirements: s.doc(containerResources, 'What a transfer may use.'),
    preallocation: s.boolean('Takes all the room at once.'),
    scratchSpaceStorageClass: s.string('Class of room for working.'),
    tlsSecurityProfile: s.doc(tlsSecurityProfile, 'How connections are encrypted.'),
    uploadProxyURLOverride: s.string('Address that clients send disks to.'),
    webhookPvcRendering: s.string('Whether claims are completed from profiles.'),
  },
  'What is wanted.',
)

export const importStatus = s.object(
  {
    DataVolumeName: s.string('Its DataVolume.'),
    Digest: s.string('Sum over the image.'),
  },
  'A transfer of a golden disk.',
  { required: ['DataVolumeName', 'Digest'] },
)

export const cdiConfigStatus = s.object(
  {
    defaultPodResourceRequirements: s.doc(containerResources, 'What a transfer may use.'),
    filesystemOverhead: s.doc(filesystemOverhead, 'Share that file systems take.'),
    imagePullSecrets: s.list(localObjectReference, 'Secrets for fetching images.'),
    importProxy: s.doc(importProxy, 'Proxy for transfers.'),
    preallocation: s.boolean('Whether all the room is taken at once.'),
    scratchSpaceStorageClass: s.string('Class of room for working.'),
    uploadProxyCA: s.string('Certificate of the address that clients send disks to.'),
    uploadProxyURL: s.string('Address that clients send disks to.'),
  },
  'What is in force.',
)
