// Roles and their bindings: who may do what.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, createdAtColumn, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { Column, Mutator } from '../kind.ts'
import { clusterRoleBindingBody, clusterRoleBody, roleBindingBody, roleBody } from './rbac-bodies.ts'
import { checkBinding, checkClusterRole, checkRole } from './rbac-rules.ts'

type BindingObject = KubeObject & Infer<typeof roleBindingBody>

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', nameRule: 'path-segment' } as const
const WIDE = { wide: true } as const

function subjectsText({ subjects }: BindingObject, kind: string): string {
  return (subjects ?? [])
    .filter((one) => one.kind === kind)
    .map((one) => (kind === 'ServiceAccount' ? `${one.namespace ?? ''}/${one.name ?? ''}` : (one.name ?? '')))
    .join(', ')
}

/** The group of the role and of users and groups need not be written. */
const completeBinding: Mutator = (next) => {
  const binding = next as BindingObject
  const subjects = binding.subjects?.map((one) =>
    (one.kind === 'User' || one.kind === 'Group') && !one.apiGroup ? { ...one, apiGroup: rbac.group } : one,
  )
  const roleRef = { ...binding.roleRef, apiGroup: binding.roleRef?.apiGroup || rbac.group }
  return { ...binding, ...(subjects ? { subjects } : {}), roleRef }
}

const bindingColumns: readonly Column[] = [
  nameColumn,
  column<BindingObject>(
    'Role',
    'The role that is given.',
    ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`,
  ),
  ageColumn,
  column<BindingObject>('Users', 'Users who get it.', (binding) => subjectsText(binding, 'User'), WIDE),
  column<BindingObject>('Groups', 'Groups who get it.', (binding) => subjectsText(binding, 'Group'), WIDE),
  column<BindingObject>(
    'ServiceAccounts',
    'ServiceAccounts who get it.',
    (binding) => subjectsText(binding, 'ServiceAccount'),
    WIDE,
  ),
]

export const Role = defineKind({
  ...rbac,
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
  doc: 'Things that are allowed in one namespace.',
  body: () => roleBody,
  rules: [checkRole],
  columns: [nameColumn, createdAtColumn],
})

export const ClusterRole = defineKind({
  ...rbac,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  doc: 'Things that are allowed, anywhere or where a RoleBinding says.',
  body: () => clusterRoleBody,
  rules: [checkClusterRole],
  columns: [nameColumn, createdAtColumn],
})

export const RoleBinding = defineKind({
  ...rbac,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
  doc: 'Gives a role to somebody in one namespace.',
  body: () => roleBindingBody,
  mutators: [completeBinding],
  rules: [checkBinding],
  columns: bindingColumns,
})

export const ClusterRoleBinding = defineKind({
  ...rbac,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  doc: 'Gives a ClusterRole to somebody everywhere.',
  body: () => clusterRoleBindingBody,
  mutators: [completeBinding],
  rules: [checkBinding],
  columns: bindingColumns,
})
