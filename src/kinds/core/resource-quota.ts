// ResourceQuotas: what all objects of a namespace may use together.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { resourceQuotaSpec, resourceQuotaStatus } from './quota-bodies.ts'
import { checkQuota } from './quota-rules.ts'

const body = s.object({ spec: s.write(resourceQuotaSpec), status: s.write(resourceQuotaStatus) })
type Quota = KubeObject & Infer<typeof body>

function usesText({ status }: Quota, limits: boolean): string {
  return Object.keys(status?.hard ?? {})
    .filter((name) => name.startsWith('limits.') === limits)
    .sort()
    .map((name) => `${name}: ${status?.used?.[name] ?? 0}/${status?.hard?.[name] ?? 0}`)
    .join(', ')
}

export const ResourceQuota = defineKind({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  scope: 'Namespaced',
  doc: 'What all objects of a namespace may use together.',
  body: () => body,
  rules: [checkQuota],
  status: true,
  columns: [
    nameColumn,
    column<Quota>('Request', 'Requests and counts: used of allowed.', (quota) => usesText(quota, false)),
    column<Quota>('Limit', 'Limits: used of allowed.', (quota) => usesText(quota, true)),
    ageColumn,
  ],
})
export type ResourceQuota = KindOf<typeof ResourceQuota>
