// Spec and status of a ResourceQuota of Harvester.
import { s } from '../../build.ts'

export const resourceQuotaSpec = s.object({
  snapshotLimit: s.object({
    namespaceTotalSnapshotSizeQuota: s.int64(undefined, { minimum: 0 }),
    vmTotalSnapshotSizeQuota: s.map(s.int64()),
  }),
})

export const resourceQuotaStatus = s.object({
  snapshotLimitStatus: s.object({
    namespaceTotalSnapshotSizeUsage: s.int64(),
    vmTotalSnapshotSizeUsage: s.map(s.int64()),
  }),
})
