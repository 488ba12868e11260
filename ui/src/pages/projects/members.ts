// Who belongs to a project, read from its RoleBindings, and the binding that makes somebody a member.
import type { RoleBinding } from '../kit/places.ts'

/** The roles of Kubernetes that people are given, from least to most. */
export const MEMBER_ROLES = ['view', 'edit', 'admin'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]
export type MemberKind = 'User' | 'Group'

export interface Member {
  readonly kind: MemberKind
  readonly name: string
  /** The role's own name; one of MEMBER_ROLES for those that this page gives. */
  readonly role: string
  readonly binding: RoleBinding
}

export function membersOf(bindings: readonly RoleBinding[]): readonly Member[] {
  return bindings
    .flatMap((binding) =>
      (binding.subjects ?? []).flatMap(({ kind, name = '' }): readonly Member[] =>
        kind === 'User' || kind === 'Group'
          ? [{ kind, name, role: binding.roleRef?.name ?? '', binding }]
          : [],
      ),
    )
    .filter(({ name }) => !name.startsWith('system:'))
    .sort((a, b) => a.name.localeCompare(b.name) || a.role.localeCompare(b.role))
}

const GROUP = 'rbac.authorization.k8s.io'

export interface NewMember {
  readonly namespace: string
  readonly kind: MemberKind
  readonly name: string
  readonly role: MemberRole
}

/** Its name says what it is, so that nobody is made a member twice. */
export function bindingFor({ namespace, kind, name, role }: NewMember): RoleBinding {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name: `croft:${role}:${kind.toLowerCase()}:${name.replace(/[/%]/g, '-')}`, namespace },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: GROUP, kind, name }],
  } as RoleBinding
}

/** The subjects that a binding keeps without the member; empty: the binding goes. */
export function subjectsWithout({ binding, kind, name }: Member): NonNullable<RoleBinding['subjects']> {
  return (binding.subjects ?? []).filter((one) => one.kind !== kind || one.name !== name)
}
