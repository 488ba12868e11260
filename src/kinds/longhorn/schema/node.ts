// Spec and status of a Longhorn Node.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const nodeSpec = s.object({
  allowScheduling: s.boolean(),
  disks: s.map(
    s.object({
      allowScheduling: s.boolean(),
      diskDriver: s.oneOf(['', 'auto', 'aio', 'nvme']),
      diskType: s.oneOf(['filesystem', 'block']),
      evictionRequested: s.boolean(),
      path: s.string(),
      storageReserved: s.integer(undefined, { format: 'int64' }),
      tags: s.list(s.string()),
    }),
  ),
  evictionRequested: s.boolean(),
  instanceManagerCPURequest: s.integer(),
  name: s.string(),
  tags: s.list(s.string()),
})

export const nodeStatus = s.object({
  autoEvicting: s.boolean(),
  conditions: s.list(condition, 'What holds for this object now.', { nullable: true }),
  diskStatus: s.map(
    s.object({
      conditions: s.list(condition, 'What holds for this object now.', { nullable: true }),
      diskDriver: s.string(),
      diskName: s.string(),
      diskPath: s.string(),
      diskType: s.string(),
      diskUUID: s.string(),
      filesystemType: s.string(),
      healthData: s.map(
        s.object({
          attributes: s.list(
            s.object({
              id: s.integer(),
              name: s.string(),
              rawString: s.string(),
              rawValue: s.integer(undefined, { format: 'int64' }),
              threshold: s.integer(),
              value: s.integer(),
              whenFailed: s.string(),
              worst: s.integer(),
            }),
          ),
          capacity: s.integer(undefined, { format: 'int64' }),
          diskName: s.string(),
          diskType: s.string(),
          firmwareVersion: s.string(),
          healthStatus: s.oneOf(['FAILED', 'PASSED', 'UNKNOWN', 'WARNING']),
          modelName: s.string(),
          serialNumber: s.string(),
          source: s.oneOf(['SMART', 'SPDK']),
          temperature: s.integer(),
        }),
      ),
      healthDataLastCollectedAt: s.time(),
      instanceManagerName: s.string(),
      scheduledBackingImage: s.map(s.integer(undefined, { format: 'int64' }), undefined, { nullable: true }),
      scheduledReplica: s.map(s.integer(undefined, { format: 'int64' }), undefined, { nullable: true }),
      storageAvailable: s.integer(undefined, { format: 'int64' }),
      storageMaximum: s.integer(undefined, { format: 'int64' }),
      storageScheduled: s.integer(undefined, { format: 'int64' }),
    }),
    undefined,
    { nullable: true },
  ),
  region: s.string(),
  snapshotCheckStatus: s.object({
    lastPeriodicCheckedAt: s.time(),
  }),
  zone: s.string(),
})
