// Network file systems and disks that a Pod or a PersistentVolume can name directly.
import { s } from '../../build.ts'
import { localObjectReference } from '../references.ts'

export const gcePersistentDiskVolumeSource = s.object({
  pdName: s.write(s.string()),
  fsType: s.string(),
  partition: s.integer(),
  readOnly: s.boolean(),
})

export const awsElasticBlockStoreVolumeSource = s.object(
  {
    volumeID: s.write(s.string()),
    fsType: s.string(),
    partition: s.integer(),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['volumeID'] },
)

export const gitRepoVolumeSource = s.object(
  {
    repository: s.write(s.string()),
    revision: s.string(),
    directory: s.string(),
  },
  undefined,
  { required: ['repository'] },
)

export const nfsVolumeSource = s.object(
  {
    server: s.write(s.string()),
    path: s.write(s.string()),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['server', 'path'] },
)

export const iscsiVolumeSource = s.object(
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
    secretRef: localObjectReference,
    initiatorName: s.keep(s.string()),
  },
  undefined,
  { required: ['targetPortal', 'iqn'] },
)

export const glusterfsVolumeSource = s.object(
  {
    endpoints: s.write(s.string()),
    path: s.write(s.string()),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['endpoints', 'path'] },
)

export const rbdVolumeSource = s.object(
  {
    monitors: s.write(s.list(s.string())),
    image: s.write(s.string()),
    fsType: s.string(),
    pool: s.string(undefined, { default: 'rbd' }),
    user: s.string(undefined, { default: 'admin' }),
    keyring: s.string(undefined, { default: '/etc/ceph/keyring' }),
    secretRef: localObjectReference,
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['monitors', 'image'] },
)

export const flexVolumeSource = s.object(
  {
    driver: s.write(s.string()),
    fsType: s.string(),
    secretRef: localObjectReference,
    readOnly: s.boolean(),
    options: s.map(s.string()),
  },
  undefined,
  { required: ['driver'] },
)

export const cinderVolumeSource = s.object(
  {
    volumeID: s.write(s.string()),
    fsType: s.string(),
    readOnly: s.boolean(),
    secretRef: localObjectReference,
  },
  undefined,
  { required: ['volumeID'] },
)

export const cephFSVolumeSource = s.object(
  {
    monitors: s.write(s.list(s.string())),
    path: s.string(),
    user: s.string(),
    secretFile: s.string(),
    secretRef: localObjectReference,
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['monitors'] },
)

export const flockerVolumeSource = s.object({
  datasetName: s.string(),
  datasetUUID: s.string(),
})

export const fcVolumeSource = s.object({
  targetWWNs: s.list(s.string()),
  lun: s.keep(s.integer()),
  fsType: s.string(),
  readOnly: s.boolean(),
  wwids: s.list(s.string()),
})

export const azureFileVolumeSource = s.object(
  {
    secretName: s.write(s.string()),
    shareName: s.write(s.string()),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['secretName', 'shareName'] },
)

export const vsphereVirtualDiskVolumeSource = s.object(
  {
    volumePath: s.write(s.string()),
    fsType: s.string(),
    storagePolicyName: s.string(),
    storagePolicyID: s.string(),
  },
  undefined,
  { required: ['volumePath'] },
)

export const quobyteVolumeSource = s.object(
  {
    registry: s.write(s.string()),
    volume: s.write(s.string()),
    readOnly: s.boolean(),
    user: s.string(),
    group: s.string(),
    tenant: s.string(),
  },
  undefined,
  { required: ['registry', 'volume'] },
)

export const azureDiskVolumeSource = s.object(
  {
    diskName: s.write(s.string()),
    diskURI: s.write(s.string()),
    cachingMode: s.keep(s.string(undefined, { default: 'ReadWrite' })),
    fsType: s.keep(s.string(undefined, { default: 'ext4' })),
    readOnly: s.keep(s.boolean(undefined, { default: false })),
    kind: s.keep(s.string(undefined, { default: 'Shared' })),
  },
  undefined,
  { required: ['diskName', 'diskURI'] },
)

export const photonPersistentDiskVolumeSource = s.object(
  {
    pdID: s.write(s.string()),
    fsType: s.string(),
  },
  undefined,
  { required: ['pdID'] },
)

export const portworxVolumeSource = s.object(
  {
    volumeID: s.write(s.string()),
    fsType: s.string(),
    readOnly: s.boolean(),
  },
  undefined,
  { required: ['volumeID'] },
)

export const scaleIOVolumeSource = s.object(
  {
    gateway: s.write(s.string()),
    system: s.write(s.string()),
    secretRef: s.write(localObjectReference),
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

export const storageOSVolumeSource = s.object({
  volumeName: s.string(),
  volumeNamespace: s.string(),
  fsType: s.string(),
  readOnly: s.boolean(),
  secretRef: localObjectReference,
})

export const csiVolumeSource = s.object(
  {
    driver: s.write(s.string()),
    readOnly: s.keep(s.boolean()),
    fsType: s.keep(s.string()),
    volumeAttributes: s.map(s.string()),
    nodePublishSecretRef: localObjectReference,
  },
  undefined,
  { required: ['driver'] },
)
