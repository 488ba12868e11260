// What roles say and who has them.
import type { ClusterRole, ClusterRoleBinding, RoleBinding } from '../kit/places.ts'

export function isBuiltIn({ metadata }: ClusterRole): boolean {
  return metadata.labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults'
}

export interface Holder {
  readonly kind: string
  readonly name: string
  /** Absent: everywhere. */
  readonly namespace?: string
}

export function holdersOf(
  role: string,
  bindings: readonly (RoleBinding | ClusterRoleBinding)[],
): readonly Holder[] {
  return bindings
    .filter(({ roleRef }) => roleRef?.kind === 'ClusterRole' && roleRef.name === role)
    .flatMap(({ metadata, subjects }) =>
      (subjects ?? []).map(({ kind = '', name = '' }) => ({
        kind,
        name,
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      })),
    )
}
