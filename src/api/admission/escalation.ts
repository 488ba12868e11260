// Nobody grants more than they hold: roles only of rules that the writer has, bindings only of such roles, unless the
// writer may escalate or bind.

import { deepEqual } from '../../base/equality.ts'
import { type ApiError, cause, refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { type PolicyRule, printRule, uncoveredRules } from '../authz/rules.ts'
import { resourceOf, type Work } from '../core.ts'

interface RoleRef {
  readonly apiGroup?: string
  readonly kind?: string
  readonly name?: string
}

export function checkEscalation(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  const isBinding = work.served.kind.plural.endsWith('bindings')
  if (isBinding && previous && !deepEqual(previous['roleRef'], next['roleRef']))
    throw refuse.invalid(work.served.kind.group, next.kind, next.metadata.name ?? '', [
      cause.invalid('roleRef', next['roleRef'], 'cannot change roleRef'),
    ])
  if (work.user.groups.includes('system:masters')) return next
  if (isBinding) checkBinding(work, next, previous)
  else checkRole(work, next, previous)
  return next
}

function checkRole(work: Work, next: KubeObject, previous: KubeObject | undefined): void {
  const rules = (next['rules'] as readonly PolicyRule[] | undefined) ?? []
  if (previous && deepEqual(previous['rules'] ?? [], rules)) return
  if (may(work, 'escalate', work.served.kind.plural, next.metadata.name ?? '')) return
  checkHeld(work, next, rules)
}

function checkBinding(work: Work, next: KubeObject, previous: KubeObject | undefined): void {
  if (previous && deepEqual(previous['subjects'], next['subjects'])) return
  const ref = (next['roleRef'] as RoleRef | undefined) ?? {}
  const resource = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles'
  if (may(work, 'bind', resource, ref.name ?? '')) return
  const rules = work.core.rbac.roleRules(ref.kind ?? '', next.metadata.namespace ?? '', ref.name ?? '')
  if (rules === undefined)
    throw refuse.notFound({ group: 'rbac.authorization.k8s.io', resource }, ref.name ?? '')
  checkHeld(work, next, rules)
}

function may(work: Work, verb: string, resource: string, name: string): boolean {
  return work.core.rbac.decide(work.user, {
    verb,
    group: 'rbac.authorization.k8s.io',
    resource,
    subresource: '',
    namespace: work.call.namespace ?? '',
    name,
  }).allowed
}

function checkHeld(work: Work, next: KubeObject, wanted: readonly PolicyRule[]): void {
  const { user, core, served } = work
  const held = core.rbac.rulesFor(user, next.metadata.namespace ?? '')
  const missing = uncoveredRules(held, wanted)
  if (missing.length === 0) return
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ')
  const refusal: ApiError = refuse.forbidden(
    resourceOf(served),
    next.metadata.name ?? '',
    `user "${user.username}" (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.map(printRule).join('\n')}`,
  )
  throw refusal
}
