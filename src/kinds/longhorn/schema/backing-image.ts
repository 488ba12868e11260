// Spec and status of a BackingImage.
import { s } from '../../build.ts'

export const backingImageSpec = s.object(
  {
    checksum: s.string('SHA-512 that the content must have.'),
    dataEngine: s.oneOf(['v1', 'v2'], 'Generation of the data path.', { default: 'v1' }),
    diskFileSpecMap: s.map(
      s.object({
        dataEngine: s.oneOf(['v1', 'v2'], 'Generation of the data path.'),
        evictionRequested: s.boolean('Whether the file is to leave the disk.'),
      }),
      'Disks that are to hold a file, by UUID.',
    ),
    diskSelector: s.list(s.string(), 'Tags that disks must have.'),
    disks: s.map(s.string(), 'Older form of diskFileSpecMap.'),
    minNumberOfCopies: s.integer('Least number of disks that hold a file.'),
    nodeSelector: s.list(s.string(), 'Tags that nodes must have.'),
    secret: s.string('Secret for encryption.'),
    secretNamespace: s.string('Namespace of that Secret.'),
    sourceParameters: s.map(s.string(), 'Details of the source, for instance url.'),
    sourceType: s.oneOf(
      ['download', 'upload', 'export-from-volume', 'restore', 'clone'],
      'How the content comes here.',
    ),
  },
  'Where the content comes from and which disks hold it.',
)

export const backingImageStatus = s.object(
  {
    checksum: s.string('SHA-512 of the content.'),
    diskFileStatusMap: s.map(
      s.object({
        dataEngine: s.oneOf(['v1', 'v2'], 'Generation of the data path.'),
        lastStateTransitionTime: s.string('When the state last changed.'),
        message: s.string('One sentence for people.'),
        progress: s.integer('Percent done.'),
        state: s.string('pending, starting, in-progress, ready, failed or unknown.'),
      }),
      'How the file on each disk is doing, by UUID.',
      { nullable: true },
    ),
    diskLastRefAtMap: s.map(s.string(), 'When a volume last used the file on each disk.', { nullable: true }),
    ownerID: s.string('Node that looks after it.'),
    realSize: s.integer('Bytes that are really stored.', { format: 'int64' }),
    size: s.integer('Bytes of the file.', { format: 'int64' }),
    uuid: s.string('Identity of the content.'),
    v2FirstCopyDisk: s.string('Disk of the first copy of the newer data path.'),
    v2FirstCopyStatus: s.string('How that is doing.'),
    virtualSize: s.integer('Bytes of the disk that a guest sees.', { format: 'int64' }),
  },
  'How far the content has come.',
)
