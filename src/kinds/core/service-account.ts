// ServiceAccounts: identities for programs.
import { ageColumn, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { serviceAccountBody } from './data-bodies.ts'

export const ServiceAccount = defineKind({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  scope: 'Namespaced',
  doc: 'An identity for programs.',
  body: () => serviceAccountBody,
  subresources: {
    token: {
      verbs: ['create'],
      kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
    },
  },
  columns: [nameColumn, ageColumn],
})
export type ServiceAccount = KindOf<typeof ServiceAccount>
