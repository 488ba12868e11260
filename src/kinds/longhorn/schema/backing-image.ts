// Spec and status of a BackingImage.
import { s } from '../../build.ts'

export const backingImageSpec = s.object({
  checksum: s.string(),
  dataEngine: s.oneOf(['v1', 'v2'], undefined, { default: 'v1' }),
  diskFileSpecMap: s.map(
    s.object({
      dataEngine: s.oneOf(['v1', 'v2']),
      evictionRequested: s.boolean(),
    }),
  ),
  diskSelector: s.list(s.string()),
  disks: s.map(s.string()),
  minNumberOfCopies: s.integer(),
  nodeSelector: s.list(s.string()),
  secret: s.string(),
  secretNamespace: s.string(),
  sourceParameters: s.map(s.string()),
  sourceType: s.oneOf(['download', 'upload', 'export-from-volume', 'restore', 'clone']),
})

export const backingImageStatus = s.object({
  checksum: s.string(),
  diskFileStatusMap: s.map(
    s.object({
      dataEngine: s.oneOf(['v1', 'v2']),
      lastStateTransitionTime: s.string(),
      message: s.string(),
      progress: s.integer(),
      state: s.string(),
    }),
    undefined,
    { nullable: true },
  ),
  diskLastRefAtMap: s.map(s.string(), undefined, { nullable: true }),
  ownerID: s.string(),
  realSize: s.integer(undefined, { format: 'int64' }),
  size: s.integer(undefined, { format: 'int64' }),
  uuid: s.string(),
  v2FirstCopyDisk: s.string(),
  v2FirstCopyStatus: s.string(),
  virtualSize: s.integer(undefined, { format: 'int64' }),
})
