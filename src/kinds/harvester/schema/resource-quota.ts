// Spec and status of a ResourceQuota of Harvester.
import { s } from '../../build.ts'

export const resourceQuotaSpec = s.object({
  snapshotLimit: s.object({
    namespaceTotalSnapshotSizeQuota: s.integer(undefined, { format: 'int64', minimum: 0 }),
    vmTotalSnapshotSizeQuota: s.map(s.integer(undefined, { format: 'int64' })),
  }),
})

export const resourceQuotaStatus = s.object({
  snapshotLimitStatus: s.object({
    namespaceTotalSnapshotSizeUsage: s.integer(undefined, { format: 'int64' }),
    vmTotalSnapshotSizeUsage: s.map(s.integer(undefined, { format: 'int64' })),
  }),
})
