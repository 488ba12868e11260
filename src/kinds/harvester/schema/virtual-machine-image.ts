// Spec and status of a VirtualMachineImage.
import { s } from '../../build.ts'
import { harvesterCondition } from './condition.ts'

export const virtualMachineImageSpec = s.object(
  {
    backend: s.oneOf(['backingimage', 'cdi'], undefined, { default: 'backingimage' }),
    checksum: s.string(),
    description: s.string(),
    displayName: s.string(),
    pvcName: s.string(),
    pvcNamespace: s.string(),
    retry: s.integer(undefined, { minimum: 0, maximum: 10, default: 3 }),
    securityParameters: s.object(
      {
        cryptoOperation: s.oneOf(['encrypt', 'decrypt']),
        sourceImageName: s.string(),
        sourceImageNamespace: s.string(),
      },
      undefined,
      { required: ['cryptoOperation', 'sourceImageName', 'sourceImageNamespace'] },
    ),
    sourceType: s.oneOf(['download', 'upload', 'export-from-volume', 'restore', 'clone']),
    storageClassParameters: s.map(s.string()),
    targetStorageClassName: s.string(),
    url: s.string(),
  },
  undefined,
  { required: ['displayName', 'sourceType'] },
)

export const virtualMachineImageStatus = s.object({
  appliedUrl: s.string(),
  backupTarget: s.object({
    bucketName: s.string(),
    bucketRegion: s.string(),
    endpoint: s.string(),
  }),
  conditions: s.list(harvesterCondition, 'What holds for this object now.'),
  failed: s.integer(undefined, { minimum: 0, default: 0 }),
  lastFailedTime: s.string(),
  progress: s.integer(),
  size: s.integer(undefined, { format: 'int64' }),
  storageClassName: s.string(),
  targetStorageClassName: s.string(),
  virtualSize: s.integer(undefined, { format: 'int64' }),
})
