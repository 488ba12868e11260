// People who log in, read from the Secrets that they are, and what they may do, read from bindings.
import type { KubeObject } from '../../../../src/base/object.ts'
import type { ClusterRoleBinding, RoleBinding, Secret } from '../kit/places.ts'
import { textOf } from '../secrets/values.ts'

export const USER_TYPE = 'croft.io/user'
const PREFIX = 'croft-user-'

export interface Person {
  readonly name: string
  readonly groups: readonly string[]
  readonly mustChangePassword: boolean
  readonly secret: Secret
}

export function personOf(secret: Secret): Person {
  const field = (name: string) => textOf(String(secret.data?.[name] ?? '')) ?? ''
  return {
    name: (secret.metadata.name ?? '').slice(PREFIX.length),
    groups: field('groups').split(',').filter(Boolean),
    mustChangePassword: field('mustChangePassword') === 'true',
    secret,
  }
}

export function secretNameOf(user: string): string {
  return `${PREFIX}${user}`
}

export interface Right {
  readonly role: string
  /** Absent: everywhere. */
  readonly namespace?: string
  /** Held by this group, not by the person. */
  readonly group?: string
  readonly binding: RoleBinding | ClusterRoleBinding
}

type Binding = KubeObject & {
  readonly roleRef?: { readonly name?: string }
  readonly subjects?: readonly { readonly kind?: string; readonly name?: string }[]
}

/** What a person has by name or through a group, everywhere first. */
export function rightsOf(
  { name, groups }: Pick<Person, 'name' | 'groups'>,
  bindings: readonly (RoleBinding | ClusterRoleBinding)[],
): readonly Right[] {
  return bindings
    .flatMap((binding): readonly Right[] => {
      const { metadata, roleRef, subjects = [] } = binding as Binding
      const where = metadata.namespace === undefined ? {} : { namespace: metadata.namespace }
      const role = roleRef?.name ?? ''
      if (subjects.some((one) => one.kind === 'User' && one.name === name))
        return [{ role, ...where, binding }]
      const group = groups.find((one) =>
        subjects.some(({ kind, name: held }) => kind === 'Group' && held === one),
      )
      return group === undefined ? [] : [{ role, ...where, group, binding }]
    })
    .sort((a, b) => (a.namespace ?? '').localeCompare(b.namespace ?? '') || a.role.localeCompare(b.role))
}

/** Whoever is in this group is asked nothing. */
const MASTERS = 'system:masters'

export function isAdmin({ groups }: Person, rights: readonly Right[]): boolean {
  return (
    groups.includes(MASTERS) ||
    rights.some(({ role, namespace }) => role === 'cluster-admin' && namespace === undefined)
  )
}

/** The binding that gives a role everywhere; named as the command line names it. */
export function everywhereBinding(user: string, may: 'admin' | 'view'): ClusterRoleBinding {
  const apiGroup = 'rbac.authorization.k8s.io'
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: `croft-${may}-${user}` },
    roleRef: { apiGroup, kind: 'ClusterRole', name: may === 'admin' ? 'cluster-admin' : 'view' },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  } as ClusterRoleBinding
}

/** Without letters that look like others. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Nearly 100 bits of chance in four groups of five. */
export function newPassword(): string {
  // Bytes beyond the last whole round of letters would favour the first ones.
  const most = 256 - (256 % LETTERS.length)
  const letters: string[] = []
  while (letters.length < 20)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < most && letters.length < 20) letters.push(LETTERS[byte % LETTERS.length] ?? '')
  return letters.join('').replace(/.{5}(?=.)/g, '$&-')
}
