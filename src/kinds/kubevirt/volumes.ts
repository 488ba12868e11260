// Where the bytes behind disks and shares come from.

import { s } from '../build.ts'
import { podClaimVolumeSource } from './pod/claim.ts'
import { localObjectReference, objectFieldSelector, resourceFieldSelector } from './pod/references.ts'

export const cloudInitNoCloudSource = s.object(
  {
    networkData: s.string('Network configuration, up to 2048 bytes.'),
    networkDataBase64: s.string('Network configuration in base64, up to 2048 bytes decoded.'),
    networkDataSecretRef: s.doc(
      localObjectReference,
      'Secret with the network configuration under the key networkdata.',
    ),
    secretRef: s.doc(localObjectReference, 'Secret with the user data under the key userdata; of any size.'),
    userData: s.string('User data, up to 2048 bytes.'),
    userDataBase64: s.string('User data in base64, up to 2048 bytes decoded.'),
  },
  'A disk for cloud-init, in the NoCloud form.',
)

export const cloudInitConfigDriveSource = s.object(
  {
    networkData: s.string('Network configuration, up to 2048 bytes.'),
    networkDataBase64: s.string('Network configuration in base64, up to 2048 bytes decoded.'),
    networkDataSecretRef: s.doc(
      localObjectReference,
      'Secret with the network configuration under the key networkdata.',
    ),
    secretRef: s.doc(localObjectReference, 'Secret with the user data under the key userdata; of any size.'),
    userData: s.string('User data, up to 2048 bytes.'),
    userDataBase64: s.string('User data in base64, up to 2048 bytes decoded.'),
  },
  "A disk for cloud-init, in the form of OpenStack's config drive.",
)

export const configMapVolumeSource = s.object(
  {
    name: s.string('Name of the ConfigMap.'),
    optional: s.boolean('The machine starts also without it.'),
    volumeLabel: s.string('Label of the disk.'),
  },
  'A ConfigMap as a disk.',
)

export const secretVolumeSource = s.object(
  {
    optional: s.boolean('The machine starts also without it.'),
    secretName: s.string('Name of the Secret.'),
    volumeLabel: s.string('Label of the disk.'),
  },
  'A Secret as a disk.',
)

export const serviceAccountVolumeSource = s.object(
  {
    serviceAccountName: s.string('Name of the service account.'),
  },
  "A service account's token as a disk.",
)

export const sysprepSource = s.object(
  {
    configMap: s.doc(localObjectReference, 'ConfigMap that holds them.'),
    secret: s.doc(localObjectReference, 'Secret that holds them.'),
  },
  'Answer files for the set-up of Windows; their names are Autounattend.xml and Unattend.xml.',
)

export const containerDiskSource = s.object(
  {
    image: s.string('Name of the image.'),
    imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never'], 'When the image is fetched again.'),
    imagePullSecret: s.string('Secret for fetching the image.'),
    path: s.string('Path of the disk in the image.'),
  },
  'A disk in a container image; what the guest writes is lost at its end.',
  { required: ['image'] },
)

export const dataVolumeSource = s.object(
  {
    hotpluggable: s.boolean('May be unplugged while running.'),
    name: s.string('Name of the DataVolume, or of a claim.'),
  },
  'The claim that a DataVolume fills.',
  { required: ['name'] },
)

export const downwardAPIVolumeFile = s.object(
  {
    fieldRef: s.doc(objectFieldSelector, 'Field of the Pod.'),
    mode: s.integer('Permissions of the file.'),
    path: s.string('Path of the file.'),
    resourceFieldRef: s.doc(resourceFieldSelector, 'Request or limit of a container.'),
  },
  'A file with a field of the Pod.',
  { required: ['path'] },
)

export const downwardAPIVolumeSource = s.object(
  {
    fields: s.list(downwardAPIVolumeFile, 'The files.'),
    volumeLabel: s.string('Label of the disk.'),
  },
  'Fields of the Pod as files on a disk.',
)

export const downwardMetricsVolumeSource = s.object({}, 'A small disk with figures of the host.')

export const emptyDiskSource = s.object(
  {
    capacity: s.quantity('Its size.'),
  },
  'An empty disk that lives as long as the run.',
  { required: ['capacity'] },
)

export const ephemeralVolumeSource = s.object(
  {
    persistentVolumeClaim: s.doc(podClaimVolumeSource, 'The claim beneath.'),
  },
  'A claim that is read; what the guest writes is lost at its end.',
)

export const hostDisk = s.object(
  {
    capacity: s.quantity('Size of a file that is made.'),
    path: s.string('Path of the file on the node.'),
    shared: s.boolean('Several machines may use the file.'),
    type: s.string('Disk for a file that is there, DiskOrCreate to make it when it is not.'),
  },
  'A file of the node as a disk.',
  { required: ['path', 'type'] },
)

export const memoryDumpVolumeSource = s.object(
  {
    claimName: s.string('Name of the claim.'),
    hotpluggable: s.boolean('May be unplugged while running.'),
    readOnly: s.boolean('Refuses writes.'),
  },
  'A claim into which memory is dumped.',
  { required: ['claimName'] },
)

export const persistentVolumeClaimVolumeSource = s.object(
  {
    claimName: s.string('Name of the claim.'),
    hotpluggable: s.boolean('May be unplugged while running.'),
    readOnly: s.boolean('Refuses writes.'),
  },
  'A claim of the same namespace.',
  { required: ['claimName'] },
)

export const containerPathVolumeSource = s.object(
  {
    path: s.string('Path of the folder.'),
    readOnly: s.boolean('Refuses writes.'),
  },
  'A folder of the launcher.',
  { required: ['path'] },
)

export const volume = s.object(
  {
    cloudInitConfigDrive: s.doc(
      cloudInitConfigDriveSource,
      'Set-up by cloud-init, in the form of a config drive.',
    ),
    cloudInitNoCloud: s.doc(cloudInitNoCloudSource, 'Set-up by cloud-init, in the NoCloud form.'),
    configMap: s.doc(configMapVolumeSource, 'A ConfigMap.'),
    containerDisk: s.doc(containerDiskSource, 'A disk in a container image.'),
    dataVolume: s.doc(dataVolumeSource, 'A DataVolume.'),
    downwardAPI: s.doc(downwardAPIVolumeSource, 'Fields of the Pod.'),
    downwardMetrics: s.doc(downwardMetricsVolumeSource, 'Figures of the host.'),
    emptyDisk: s.doc(emptyDiskSource, 'An empty disk.'),
    ephemeral: s.doc(ephemeralVolumeSource, 'A claim that is only read.'),
    hostDisk: s.doc(hostDisk, 'A file of the node.'),
    memoryDump: s.doc(memoryDumpVolumeSource, 'A claim for dumps of memory.'),
    name: s.string('Name by which a disk or share refers to the volume.'),
    persistentVolumeClaim: s.doc(persistentVolumeClaimVolumeSource, 'A claim.'),
    secret: s.doc(secretVolumeSource, 'A Secret.'),
    serviceAccount: s.doc(serviceAccountVolumeSource, 'A service account.'),
    sysprep: s.doc(sysprepSource, 'Answer files for Windows.'),
    containerPath: containerPathVolumeSource,
  },
  'Where the bytes of a disk or share come from; exactly one source.',
  { required: ['name'] },
)
