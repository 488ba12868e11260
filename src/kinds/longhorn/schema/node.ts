// Spec and status of a Longhorn Node.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const nodeSpec = s.object(
  {
    allowScheduling: s.boolean('Whether new replicas may come here.'),
    disks: s.map(
      s.object({
        allowScheduling: s.boolean('Whether new replicas may come here.'),
        diskDriver: s.oneOf(['', 'auto', 'aio', 'nvme'], 'How a block disk is driven.'),
        diskType: s.oneOf(['filesystem', 'block'], 'filesystem or block.'),
        evictionRequested: s.boolean('Whether all replicas are to leave; only with allowScheduling off.'),
        path: s.string('Path on the node.'),
        storageReserved: s.integer('Bytes that are left to others.', { format: 'int64' }),
        tags: s.list(s.string(), 'Words that volumes can ask for.'),
      }),
      'Disks, by name.',
    ),
    evictionRequested: s.boolean('Whether all replicas are to leave; only with allowScheduling off.'),
    instanceManagerCPURequest: s.integer('Thousandths of a processor reserved for storage.'),
    name: s.string('Name of the node.'),
    tags: s.list(s.string(), 'Words that volumes can ask for.'),
  },
  'What the node may be used for.',
)

export const nodeStatus = s.object(
  {
    autoEvicting: s.boolean('Whether replicas leave because the node is being emptied.'),
    conditions: s.list(condition, 'What holds for the node now.', { nullable: true }),
    diskStatus: s.map(
      s.object({
        conditions: s.list(condition, 'What holds for the disk now.', { nullable: true }),
        diskDriver: s.string('How it is driven.'),
        diskName: s.string('Its name.'),
        diskPath: s.string('Its path on the node.'),
        diskType: s.string('filesystem or block.'),
        diskUUID: s.string('Its UUID, kept on the disk itself.'),
        filesystemType: s.string('Its file system.'),
        healthData: s.map(
          s.object({
            attributes: s.list(
              s.object({
                id: s.integer('Number of the reading.'),
                name: s.string('Name of the reading.'),
                rawString: s.string('Raw value as text.'),
                rawValue: s.integer('Raw value.', { format: 'int64' }),
                threshold: s.integer('Value below which it is bad.'),
                value: s.integer('Value, the greater the better.'),
                whenFailed: s.string('When it was bad.'),
                worst: s.integer('Lowest value so far.'),
              }),
              'Single readings.',
            ),
            capacity: s.integer('Bytes of the drive.', { format: 'int64' }),
            diskName: s.string('Name of the drive.'),
            diskType: s.string('Kind of the drive.'),
            firmwareVersion: s.string('Version of its firmware.'),
            healthStatus: s.oneOf(['FAILED', 'PASSED', 'UNKNOWN', 'WARNING'], 'How it is.'),
            modelName: s.string('Its model.'),
            serialNumber: s.string('Its serial number.'),
            source: s.oneOf(['SMART', 'SPDK'], 'Who told.'),
            temperature: s.integer('Degrees Celsius.'),
          }),
          'What the drives beneath it tell about themselves.',
        ),
        healthDataLastCollectedAt: s.time('When they told it.'),
        instanceManagerName: s.string('Owner of its processes.'),
        scheduledBackingImage: s.map(
          s.integer(undefined, { format: 'int64' }),
          'Bytes promised to images, by name.',
          { nullable: true },
        ),
        scheduledReplica: s.map(
          s.integer(undefined, { format: 'int64' }),
          'Bytes promised to replicas, by name.',
          { nullable: true },
        ),
        storageAvailable: s.integer('Bytes that are free.', { format: 'int64' }),
        storageMaximum: s.integer('Bytes in all.', { format: 'int64' }),
        storageScheduled: s.integer('Bytes that are promised.', { format: 'int64' }),
      }),
      'How each disk is doing, by name.',
      { nullable: true },
    ),
    region: s.string('Region of the node.'),
    snapshotCheckStatus: s.object(
      {
        lastPeriodicCheckedAt: s.time('The time.'),
      },
      'When snapshots were last checked.',
    ),
    zone: s.string('Zone of the node.'),
  },
  'What the node has and how it is doing.',
)
