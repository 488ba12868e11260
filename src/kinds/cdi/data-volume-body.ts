// Spec and status of a DataVolume: where a disk comes from and what claim it fills.

import { s } from '../build.ts'
import { labelSelector } from '../kubevirt/pod/affinity.ts'
import { persistentVolumeClaimSpec, volumeResourceRequirements } from '../kubevirt/pod/claim.ts'
import { typedLocalObjectReference, typedObjectReference } from '../kubevirt/pod/references.ts'

export const dataVolumeBlankImage = s.object({}, 'An empty disk.')

export const dataVolumeSourceUpload = s.object({}, 'A disk that somebody sends.')

export const dataVolumeSourceGCS = s.object(
  {
    secretRef: s.string('Secret with the key of the account.'),
    url: s.string('Address of the disk.'),
  },
  'A disk in Google Cloud Storage.',
  { required: ['url'] },
)

export const dataVolumeSourceHTTP = s.object(
  {
    certConfigMap: s.string('ConfigMap with certificates to trust.'),
    checksum: s.string('Sum that the file must have, for instance sha256:1f2e....'),
    extraHeaders: s.list(s.string(), 'Headers of the request.'),
    insecureSkipVerify: s.boolean('Trusts any certificate.'),
    secretExtraHeaders: s.list(s.string(), 'Secrets with further headers.'),
    secretRef: s.string('Secret with name and password, under accessKeyId and secretKey.'),
    url: s.string('Address of the disk, http or https.'),
  },
  'A disk on a web server.',
  { required: ['url'] },
)

export const dataVolumeSourceImageIO = s.object(
  {
    certConfigMap: s.string('ConfigMap with certificates to trust.'),
    diskId: s.string('Disk that is meant.'),
    insecureSkipVerify: s.boolean('Trusts any certificate.'),
    secretRef: s.string('Secret with name and password.'),
    url: s.string('Address of the server.'),
  },
  'A disk of an oVirt server.',
  { required: ['url', 'diskId'] },
)

export const dataVolumeSourcePVC = s.object(
  {
    name: s.string('Name of the claim.'),
    namespace: s.string('Namespace of the claim; its permission is needed.'),
  },
  'A copy of a claim.',
  { required: ['namespace', 'name'] },
)

export const platformOptions = s.object(
  {
    architecture: s.string('Architecture of the image.'),
  },
  'Which of several images is meant.',
)

export const dataVolumeSourceRegistry = s.object(
  {
    certConfigMap: s.string('ConfigMap with certificates to trust.'),
    imageStream: s.string('Image stream that names the image.'),
    platform: s.doc(platformOptions, 'Which of several images is meant.'),
    pullMethod: s.string('pod or node: who fetches it.'),
    secretRef: s.string('Secret with name and password.'),
    url: s.string('Address of the image, docker:// or oci-archive://.'),
  },
  'A disk in a container image.',
)

export const dataVolumeSourceS3 = s.object(
  {
    certConfigMap: s.string('ConfigMap with certificates to trust.'),
    secretRef: s.string('Secret with the keys of the account.'),
    url: s.string('Address of the disk.'),
  },
  'A disk in an S3 store.',
  { required: ['url'] },
)

export const dataVolumeSourceSnapshot = s.object(
  {
    name: s.string('Name of the snapshot.'),
    namespace: s.string('Namespace of the snapshot; its permission is needed.'),
  },
  'A copy of a snapshot.',
  { required: ['namespace', 'name'] },
)

export const dataVolumeSourceVDDK = s.object(
  {
    backingFile: s.string('File of the disk.'),
    certConfigMap: s.string('ConfigMap with certificates to trust.'),
    extraArgs: s.string('ConfigMap with further arguments.'),
    initImageURL: s.string("Image with VMware's library."),
    secretRef: s.string('Secret with name and password.'),
    thumbprint: s.string("Thumbprint of the server's certificate."),
    url: s.string('Address of the server.'),
    uuid: s.string('UUID of the machine.'),
  },
  'A disk of a VMware server.',
)

export const dataVolumeImportSource = s.object(
  {
    blank: s.doc(dataVolumeBlankImage, 'Nowhere: the disk is empty.'),
    gcs: s.doc(dataVolumeSourceGCS, 'Google Cloud Storage.'),
    http: s.doc(dataVolumeSourceHTTP, 'A web server.'),
    imageio: s.doc(dataVolumeSourceImageIO, 'An oVirt server.'),
    pvc: s.doc(dataVolumeSourcePVC, 'Another claim.'),
    registry: s.doc(dataVolumeSourceRegistry, 'A container image.'),
    s3: s.doc(dataVolumeSourceS3, 'An S3 store.'),
    snapshot: s.doc(dataVolumeSourceSnapshot, 'A snapshot.'),
    upload: s.doc(dataVolumeSourceUpload, 'Somebody sends them.'),
    vddk: s.doc(dataVolumeSourceVDDK, 'A VMware server.'),
  },
  'Where the contents come from; exactly one.',
)

export const dataVolumeSourceRef = s.object(
  {
    kind: s.string('DataSource.'),
    name: s.string('Name of the source.'),
    namespace: s.string('Namespace of the source; this one when empty.'),
  },
  'A source by its name.',
  { required: ['kind', 'name'] },
)

export const dataVolumeCheckpoint = s.object(
  {
    current: s.string('Snapshot that the step ends with.'),
    previous: s.string('Snapshot that the step begins with; empty for the first.'),
  },
  'One step of a transfer in several steps.',
  { required: ['previous', 'current'] },
)

export const storageSpec = s.object(
  {
    accessModes: s.list(s.string(), 'How it is mounted; one mode.'),
    dataSource: s.doc(typedLocalObjectReference, 'Object that it is filled from, in this namespace.'),
    dataSourceRef: s.doc(typedObjectReference, 'Object that it is filled from.'),
    resources: s.doc(volumeResourceRequirements, 'Size that the guest sees.'),
    selector: s.doc(labelSelector, 'Volumes to choose from.'),
    storageClassName: s.string('Class that it is made by; the default one when empty.'),
    volumeMode: s.string('Block or Filesystem.'),
    volumeName: s.string('Volume to bind to.'),
  },
  'The volume that is made; what is left out follows from its class.',
)

export const dataVolumeSpec = s.object(
  {
    checkpoints: s.list(dataVolumeCheckpoint, 'Steps of a transfer in several steps.'),
    contentType: s.string('kubevirt for a disk, archive for a tar file.'),
    finalCheckpoint: s.boolean('Whether the last step is the end.'),
    preallocation: s.boolean('Takes all the room at once.'),
    priorityClassName: s.string('Class that says who goes first.'),
    pvc: s.doc(persistentVolumeClaimSpec, 'The claim, word for word.'),
    serviceAccountName: s.string('Service account of the transfer.'),
    source: s.doc(dataVolumeImportSource, 'Where the contents come from.'),
    sourceRef: s.doc(dataVolumeSourceRef, 'Where the contents come from, by name.'),
    storage: s.doc(storageSpec, 'The volume, with the help of its class.'),
  },
  'What is to be made, and from what; never changed.',
)

export const dataVolumeCondition = s.object(
  {
    lastHeartbeatTime: s.time('When it was last looked at.'),
    lastTransitionTime: s.time('When the status last changed.'),
    message: s.string('One sentence for people.'),
    reason: s.string('One word for programs.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('Bound, Running or Ready.'),
  },
  'One thing that holds for the transfer, or does not.',
  { required: ['type', 'status'] },
)

export const dataVolumeStatus = s.object(
  {
    claimName: s.string('Claim that is filled.'),
    conditions: s.list(dataVolumeCondition, 'What holds now.'),
    phase: s.string('For instance ImportInProgress or Succeeded.'),
    progress: s.string('Share done, for instance 45.34%, or N/A.'),
    restartCount: s.integer('How often it began again.'),
  },
  'How the transfer is doing.',
)
