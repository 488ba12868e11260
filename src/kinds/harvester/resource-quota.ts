// ResourceQuota of Harvester: how much room snapshots of a namespace may take; harvesterhci.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf, Rule } from '../kind.ts'
import { resourceQuotaSpec, resourceQuotaStatus } from './schema/resource-quota.ts'

/** The one name that is looked at. */
const QUOTA_NAME = 'default-resource-quota'

const nameRule: Rule = (next, previous) =>
  !next || previous || next.metadata.name === QUOTA_NAME
    ? {}
    : {
        causes: [
          { reason: 'FieldValueInvalid', field: 'metadata.name', message: `the name must be ${QUOTA_NAME}` },
        ],
      }

export const HarvesterResourceQuota = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['hrq', 'hrqs'],
  scope: 'Namespaced',
  doc: 'How much room snapshots of a namespace may take.',
  body: () => s.object({ spec: resourceQuotaSpec, status: resourceQuotaStatus }),
  status: true,
  columns: [
    {
      name: 'NAMESPACE_TOTAL_SNAPSHOT_SIZE_QUOTA',
      type: 'string',
      description: 'Bytes allowed.',
      value: '.spec.snapshotLimit.namespaceTotalSnapshotSizeQuota',
    },
    {
      name: 'NAMESPACE_TOTAL_SNAPSHOT_SIZE_USAGE',
      type: 'string',
      description: 'Bytes used.',
      value: '.status.snapshotLimitStatus.namespaceTotalSnapshotSizeUsage',
    },
  ],
  rules: [nameRule],
})
export type HarvesterResourceQuota = KindOf<typeof HarvesterResourceQuota>
