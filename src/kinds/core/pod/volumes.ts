// Volumes of a Pod.
import { s } from '../../build.ts'
import { objectMetaSchema } from '../../meta.ts'
import { persistentVolumeClaimSpec } from '../claim-body.ts'
import { labelSelector } from '../meta-types.ts'
import { objectFieldSelector, resourceFieldSelector } from './environment.ts'
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFileVolumeSource,
  cephFSVolumeSource,
  cinderVolumeSource,
  csiVolumeSource,
  fcVolumeSource,
  flexVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  gitRepoVolumeSource,
  glusterfsVolumeSource,
  iscsiVolumeSource,
  nfsVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  rbdVolumeSource,
  scaleIOVolumeSource,
  storageOSVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from './volume-backends.ts'

export const hostPathVolumeSource = s.object(
  {
    path: s.write(s.string()),
    type: s.keep(s.string(undefined, { default: '' })),
  },
  undefined,
  { required: ['path'] },
)

export const emptyDirVolumeSource = s.object({
  medium: s.string(),
  sizeLimit: s.quantity(),
})

export const keyToPath = s.object(
  {
    key: s.write(s.string()),
    path: s.write(s.string()),
    mode: s.keep(s.integer()),
  },
  undefined,
  { required: ['key', 'path'] },
)

export const secretVolumeSource = s.object({
  secretName: s.string(),
  items: s.list(keyToPath),
  defaultMode: s.keep(s.integer(undefined, { default: 420 })),
  optional: s.keep(s.boolean()),
})

export const configMapVolumeSource = s.object({
  name: s.string(),
  items: s.list(keyToPath),
  defaultMode: s.keep(s.integer(undefined, { default: 420 })),
  optional: s.keep(s.boolean()),
})

export const persistentVolumeClaimVolumeSource = s.object(
  {
    claimName: s.write(s.string()),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['claimName'] },
)

export const downwardAPIVolumeFile = s.object(
  {
    path: s.write(s.string()),
    fieldRef: objectFieldSelector,
    resourceFieldRef: resourceFieldSelector,
    mode: s.keep(s.integer()),
  },
  undefined,
  { required: ['path'] },
)

export const downwardAPIVolumeSource = s.object({
  items: s.list(downwardAPIVolumeFile),
  defaultMode: s.keep(s.integer(undefined, { default: 420 })),
})

export const secretProjection = s.object({
  name: s.string(),
  items: s.list(keyToPath),
  optional: s.keep(s.boolean()),
})

export const downwardAPIProjection = s.object({
  items: s.list(downwardAPIVolumeFile),
})

export const configMapProjection = s.object({
  name: s.string(),
  items: s.list(keyToPath),
  optional: s.keep(s.boolean()),
})

export const serviceAccountTokenProjection = s.object(
  {
    audience: s.string(),
    expirationSeconds: s.keep(s.int64(undefined, { default: 3600 })),
    path: s.write(s.string()),
  },
  undefined,
  { required: ['path'] },
)

export const clusterTrustBundleProjection = s.object(
  {
    name: s.keep(s.string()),
    signerName: s.keep(s.string()),
    labelSelector: labelSelector,
    optional: s.keep(s.boolean()),
    path: s.write(s.string()),
  },
  undefined,
  { required: ['path'] },
)

export const podCertificateProjection = s.object(
  {
    signerName: s.write(s.string()),
    keyType: s.write(s.string()),
    maxExpirationSeconds: s.keep(s.integer()),
    credentialBundlePath: s.string(),
    keyPath: s.string(),
    certificateChainPath: s.string(),
    userAnnotations: s.map(s.string()),
  },
  undefined,
  { required: ['signerName', 'keyType'] },
)

export const volumeProjection = s.object({
  secret: secretProjection,
  downwardAPI: downwardAPIProjection,
  configMap: configMapProjection,
  serviceAccountToken: serviceAccountTokenProjection,
  clusterTrustBundle: clusterTrustBundleProjection,
  podCertificate: podCertificateProjection,
})

export const projectedVolumeSource = s.object({
  sources: s.list(volumeProjection),
  defaultMode: s.keep(s.integer(undefined, { default: 420 })),
})

export const imageVolumeSource = s.object({
  reference: s.string(),
  pullPolicy: s.string(),
})

export const persistentVolumeClaimTemplate = s.object(
  {
    metadata: objectMetaSchema,
    spec: s.write(persistentVolumeClaimSpec),
  },
  undefined,
  { required: ['spec'] },
)

export const ephemeralVolumeSource = s.object({
  volumeClaimTemplate: persistentVolumeClaimTemplate,
})

export const volume = s.object(
  {
    name: s.write(s.string('Name, unique in the Pod.')),
    hostPath: s.doc(hostPathVolumeSource, 'A path of the host.'),
    emptyDir: s.doc(emptyDirVolumeSource, 'An empty directory that lives as long as the Pod.'),
    gcePersistentDisk: gcePersistentDiskVolumeSource,
    awsElasticBlockStore: awsElasticBlockStoreVolumeSource,
    gitRepo: gitRepoVolumeSource,
    secret: s.doc(secretVolumeSource, 'Files made of a Secret.'),
    nfs: nfsVolumeSource,
    iscsi: iscsiVolumeSource,
    glusterfs: glusterfsVolumeSource,
    persistentVolumeClaim: s.doc(persistentVolumeClaimVolumeSource, 'The volume of a PersistentVolumeClaim.'),
    rbd: rbdVolumeSource,
    flexVolume: flexVolumeSource,
    cinder: cinderVolumeSource,
    cephfs: cephFSVolumeSource,
    flocker: flockerVolumeSource,
    downwardAPI: s.doc(downwardAPIVolumeSource, 'Files made of fields of the Pod.'),
    fc: fcVolumeSource,
    azureFile: azureFileVolumeSource,
    configMap: s.doc(configMapVolumeSource, 'Files made of a ConfigMap.'),
    vsphereVolume: vsphereVirtualDiskVolumeSource,
    quobyte: quobyteVolumeSource,
    azureDisk: azureDiskVolumeSource,
    photonPersistentDisk: photonPersistentDiskVolumeSource,
    projected: s.doc(projectedVolumeSource, 'Several sources in one directory.'),
    portworxVolume: portworxVolumeSource,
    scaleIO: scaleIOVolumeSource,
    storageos: storageOSVolumeSource,
    csi: s.doc(csiVolumeSource, 'A volume made by a CSI driver for this Pod.'),
    ephemeral: s.doc(ephemeralVolumeSource, 'A claim that lives as long as the Pod.'),
    image: s.doc(imageVolumeSource, 'The content of an image.'),
  },
  'A volume of a Pod.',
  { required: ['name'] },
)
