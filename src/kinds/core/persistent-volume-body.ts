// Wanted and observed state of a PersistentVolume.
import { s } from '../build.ts'
import { accessMode } from './access-mode.ts'
import {
  azureFilePersistentVolumeSource,
  cephFSPersistentVolumeSource,
  cinderPersistentVolumeSource,
  csiPersistentVolumeSource,
  flexPersistentVolumeSource,
  glusterfsPersistentVolumeSource,
  iscsiPersistentVolumeSource,
  localVolumeSource,
  rbdPersistentVolumeSource,
  scaleIOPersistentVolumeSource,
  storageOSPersistentVolumeSource,
} from './persistent-volume-sources.ts'
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  fcVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  nfsVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from './pod/volume-backends.ts'
import { hostPathVolumeSource } from './pod/volumes.ts'
import { objectReference } from './references.ts'
import { nodeSelector } from './topology.ts'

export const volumeNodeAffinity = s.object({
  required: nodeSelector,
})

export const persistentVolumeSpec = s.object(
  {
    capacity: s.map(s.quantity(), 'Size; key storage.'),
    gcePersistentDisk: s.doc(gcePersistentDiskVolumeSource, "A disk of Google's cloud."),
    awsElasticBlockStore: s.doc(awsElasticBlockStoreVolumeSource, "A disk of Amazon's cloud."),
    hostPath: s.doc(hostPathVolumeSource, 'A path of the host.'),
    glusterfs: s.doc(glusterfsPersistentVolumeSource, 'A Gluster volume.'),
    nfs: s.doc(nfsVolumeSource, 'An NFS export.'),
    rbd: s.doc(rbdPersistentVolumeSource, 'A Ceph block device.'),
    iscsi: s.doc(iscsiPersistentVolumeSource, 'An iSCSI disk.'),
    cinder: s.doc(cinderPersistentVolumeSource, 'A disk of OpenStack.'),
    cephfs: s.doc(cephFSPersistentVolumeSource, 'A Ceph file system.'),
    fc: s.doc(fcVolumeSource, 'A Fibre Channel disk.'),
    flocker: s.doc(flockerVolumeSource, 'A Flocker dataset.'),
    flexVolume: s.doc(flexPersistentVolumeSource, 'A volume of a Flex driver.'),
    azureFile: s.doc(azureFilePersistentVolumeSource, 'A file share of Azure.'),
    vsphereVolume: s.doc(vsphereVirtualDiskVolumeSource, 'A disk of vSphere.'),
    quobyte: s.doc(quobyteVolumeSource, 'A Quobyte volume.'),
    azureDisk: s.doc(azureDiskVolumeSource, 'A disk of Azure.'),
    photonPersistentDisk: s.doc(photonPersistentDiskVolumeSource, 'A disk of Photon.'),
    portworxVolume: s.doc(portworxVolumeSource, 'A Portworx volume.'),
    scaleIO: s.doc(scaleIOPersistentVolumeSource, 'A ScaleIO volume.'),
    local: s.doc(localVolumeSource, 'A disk of one node.'),
    storageos: s.doc(storageOSPersistentVolumeSource, 'A StorageOS volume.'),
    csi: s.doc(csiPersistentVolumeSource, 'A volume of a CSI driver.'),
    accessModes: s.list(accessMode, 'Ways in which the volume can be mounted.'),
    claimRef: s.granular(s.doc(objectReference, 'Claim that the volume is bound to.')),
    persistentVolumeReclaimPolicy: s.oneOf(
      ['Delete', 'Recycle', 'Retain'],
      'What happens when the claim goes.',
      { default: 'Retain' },
    ),
    storageClassName: s.string('Class that the volume belongs to.'),
    mountOptions: s.list(s.string(), 'Options for mounting.'),
    volumeMode: s.keep(s.oneOf(['Block', 'Filesystem'], 'Filesystem or Block.', { default: 'Filesystem' })),
    nodeAffinity: s.doc(volumeNodeAffinity, 'Nodes that can reach the volume.'),
    volumeAttributesClassName: s.keep(s.string('VolumeAttributesClass of the volume.')),
  },
  'Wanted state of a PersistentVolume.',
)

export const persistentVolumeStatus = s.object(
  {
    phase: s.oneOf(
      ['Available', 'Bound', 'Failed', 'Pending', 'Released'],
      'Pending, Available, Bound, Released or Failed.',
    ),
    message: s.string('Why the volume is in this state, for a person.'),
    reason: s.string('Why the volume is in this state, in one word.'),
    lastPhaseTransitionTime: s.time('When the phase last changed.'),
  },
  'Observed state of a PersistentVolume.',
)
