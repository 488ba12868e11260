// Spec and status of a VirtualMachineImage.
import { s } from '../../build.ts'
import { harvesterCondition } from './condition.ts'

export const virtualMachineImageSpec = s.object(
  {
    backend: s.oneOf(['backingimage', 'cdi'], 'What keeps the image.', { default: 'backingimage' }),
    checksum: s.string('SHA-512 that the file must have, in hexadecimal.'),
    description: s.string('What the image is.'),
    displayName: s.string('Name for people; unique in its namespace.'),
    pvcName: s.string('Claim that is exported.'),
    pvcNamespace: s.string('Namespace of that claim.'),
    retry: s.integer('Attempts after a failed one, 0 to 10.', { minimum: 0, maximum: 10, default: 3 }),
    securityParameters: s.object(
      {
        cryptoOperation: s.oneOf(['encrypt', 'decrypt'], 'encrypt or decrypt.'),
        sourceImageName: s.string('Image that is copied.'),
        sourceImageNamespace: s.string('Namespace of that image.'),
      },
      'How a copy is encrypted or decrypted.',
      { required: ['cryptoOperation', 'sourceImageName', 'sourceImageNamespace'] },
    ),
    sourceType: s.oneOf(
      ['download', 'upload', 'export-from-volume', 'restore', 'clone'],
      'Where the content comes from.',
    ),
    storageClassParameters: s.map(s.string(), 'Parameters of the class that its volumes are made by.'),
    targetStorageClassName: s.string('Class that the image itself is kept by.'),
    url: s.string('Address that it is downloaded from, http or https.'),
  },
  'What the image is and where it comes from.',
  { required: ['displayName', 'sourceType'] },
)

export const virtualMachineImageStatus = s.object(
  {
    appliedUrl: s.string('Address that was used.'),
    backupTarget: s.object(
      {
        bucketName: s.string('Bucket.'),
        bucketRegion: s.string('Region of the bucket.'),
        endpoint: s.string('Address of the store.'),
      },
      'Where its backup lies.',
    ),
    conditions: s.list(
      harvesterCondition,
      'Initialized, Imported, RetryLimitExceeded and BackingImageMissing.',
    ),
    failed: s.integer('Attempts that failed.', { minimum: 0, default: 0 }),
    lastFailedTime: s.string('When the last one failed.'),
    progress: s.integer('Percent done.'),
    size: s.integer('Bytes of the file.', { format: 'int64' }),
    storageClassName: s.string('Class that volumes from this image are made by; there once it is verified.'),
    targetStorageClassName: s.string('Class that the image itself is kept by.'),
    virtualSize: s.integer('Bytes of the disk that a guest sees.', { format: 'int64' }),
  },
  'How far the import has come.',
)
