// Spec and status of a ResourceQuota of Harvester.
import { s } from '../../build.ts'

export const resourceQuotaSpec = s.object(
  {
    snapshotLimit: s.object(
      {
        namespaceTotalSnapshotSizeQuota: s.integer('In the whole namespace.', {
          format: 'int64',
          minimum: 0,
        }),
        vmTotalSnapshotSizeQuota: s.map(s.integer(undefined, { format: 'int64' }), 'By machine.'),
      },
      'Bytes allowed for snapshots.',
    ),
  },
  'How much is allowed.',
)

export const resourceQuotaStatus = s.object(
  {
    snapshotLimitStatus: s.object(
      {
        namespaceTotalSnapshotSizeUsage: s.integer('In the whole namespace.', { format: 'int64' }),
        vmTotalSnapshotSizeUsage: s.map(s.integer(undefined, { format: 'int64' }), 'By machine.'),
      },
      'Bytes used by snapshots.',
    ),
  },
  'How much is used.',
)
