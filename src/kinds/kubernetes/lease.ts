// Leases: who holds something, and since when.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { leaseSpec } from './lease-body.ts'
import { checkLease } from './small-rules.ts'

const body = s.object({ spec: s.write(leaseSpec) })
type LeaseObject = KubeObject & Infer<typeof body>

export const Lease = defineKind({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
  doc: 'Who holds something, and since when; heartbeats and elections are made of it.',
  body: () => body,
  rules: [checkLease],
  columns: [
    nameColumn,
    column<LeaseObject>('Holder', 'Who holds it.', (lease) => lease.spec?.holderIdentity ?? ''),
    ageColumn,
  ],
})
export type Lease = KindOf<typeof Lease>
