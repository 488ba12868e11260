// Where the bytes of a PersistentVolume are.
import { s } from '../build.ts'
import { objectReference, secretReference } from './references.ts'

export const glusterfsPersistentVolumeSource = s.object(
  {
    endpoints: s.write(s.string()),
    path: s.write(s.string()),
    readOnly: s.boolean(),
    endpointsNamespace: s.keep(s.string()),
  },
  undefined,
  { required: ['endpoints', 'path'] },
)

export const rbdPersistentVolumeSource = s.object(
  {
    monitors: s.write(s.list(s.string())),
    image: s.write(s.string()),
    fsType: s.string(),
    pool: s.string(undefined, { default: 'rbd' }),
    user: s.string(undefined, { default: 'admin' }),
    keyring: s.string(undefined, { default: '/etc/ceph/keyring' }),
    secretRef: secretReference,
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['monitors', 'image'] },
)

export const iscsiPersistentVolumeSource = s.object(
  {
    targetPortal: s.write(s.string()),
    iqn: s.write(s.string()),
    lun: s.write(s.integer()),
    iscsiInterface: s.string(undefined, { default: 'default' }),
    fsType: s.string(),
    readOnly: s.boolean(),
    portals: s.list(s.string()),
    chapAuthDiscovery: s.boolean(),
    chapAuthSession: s.boolean(),
    secretRef: secretReference,
    initiatorName: s.keep(s.string()),
  },
  undefined,
  { required: ['targetPortal', 'iqn'] },
)

export const cinderPersistentVolumeSource = s.object(
  {
    volumeID: s.write(s.string()),
    fsType: s.string(),
    readOnly: s.boolean(),
    secretRef: secretReference,
  },
  undefined,
  { required: ['volumeID'] },
)

export const cephFSPersistentVolumeSource = s.object(
  {
    monitors: s.write(s.list(s.string())),
    path: s.string(),
    user: s.string(),
    secretFile: s.string(),
    secretRef: secretReference,
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['monitors'] },
)

export const flexPersistentVolumeSource = s.object(
  {
    driver: s.write(s.string()),
    fsType: s.string(),
    secretRef: secretReference,
    readOnly: s.boolean(),
    options: s.map(s.string()),
  },
  undefined,
  { required: ['driver'] },
)

export const azureFilePersistentVolumeSource = s.object(
  {
    secretName: s.write(s.string()),
    shareName: s.write(s.string()),
    readOnly: s.boolean(),
    secretNamespace: s.keep(s.string()),
  },
  undefined,
  { required: ['secretName', 'shareName'] },
)

export const scaleIOPersistentVolumeSource = s.object(
  {
    gateway: s.write(s.string()),
    system: s.write(s.string()),
    secretRef: s.write(secretReference),
    sslEnabled: s.boolean(),
    protectionDomain: s.string(),
    storagePool: s.string(),
    storageMode: s.string(undefined, { default: 'ThinProvisioned' }),
    volumeName: s.string(),
    fsType: s.string(undefined, { default: 'xfs' }),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['gateway', 'system', 'secretRef'] },
)

export const localVolumeSource = s.object({
  path: s.write(s.string()),
  fsType: s.keep(s.string()),
})

export const storageOSPersistentVolumeSource = s.object({
  volumeName: s.string(),
  volumeNamespace: s.string(),
  fsType: s.string(),
  readOnly: s.boolean(),
  secretRef: objectReference,
})

export const csiPersistentVolumeSource = s.object(
  {
    driver: s.write(s.string()),
    volumeHandle: s.write(s.string()),
    readOnly: s.boolean(),
    fsType: s.string(),
    volumeAttributes: s.map(s.string()),
    controllerPublishSecretRef: secretReference,
    nodeStageSecretRef: secretReference,
    nodePublishSecretRef: secretReference,
    controllerExpandSecretRef: secretReference,
    nodeExpandSecretRef: secretReference,
  },
  undefined,
  { required: ['driver', 'volumeHandle'] },
)
