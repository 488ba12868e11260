// What roles and bindings must be. Whether the writer may give these rights is asked elsewhere.

import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause } from '../../base/errors.ts'
import { checkPathSegment } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Rule } from '../kind.ts'
import { checkSelector, checkText } from '../rule-checks.ts'
import type { clusterRoleBody, policyRule, roleBindingBody } from './rbac-bodies.ts'

type PolicyRule = Infer<typeof policyRule>
type RoleObject = KubeObject & Infer<typeof clusterRoleBody>
type BindingObject = KubeObject & Infer<typeof roleBindingBody>

const RBAC = 'rbac.authorization.k8s.io'

function checkPolicyRule(rule: PolicyRule, at: string, namespaced: boolean): readonly Cause[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule
  const causes: Cause[] = []
  if ((verbs ?? []).length === 0)
    causes.push(cause.required(`${at}.verbs`, 'verbs must contain at least one value'))
  if (nonResourceURLs.length > 0) {
    if (namespaced) {
      const why = 'namespaced rules cannot apply to non-resource URLs'
      return [...causes, cause.invalid(`${at}.nonResourceURLs`, nonResourceURLs, why)]
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      const why = 'rules cannot apply to both regular resources and non-resource URLs'
      return [...causes, cause.invalid(`${at}.nonResourceURLs`, nonResourceURLs, why)]
    }
    return causes
  }
  if (apiGroups.length === 0) {
    causes.push(cause.required(`${at}.apiGroups`, 'resource rules must supply at least one api group'))
  }
  if (resources.length === 0) {
    causes.push(cause.required(`${at}.resources`, 'resource rules must supply at least one resource'))
  }
  return causes
}

function checkRules(role: RoleObject, namespaced: boolean): readonly Cause[] {
  return (role.rules ?? []).flatMap((rule, index) => checkPolicyRule(rule, `rules[${index}]`, namespaced))
}

export const checkRole: Rule = (next) => (next ? { causes: checkRules(next as RoleObject, true) } : {})

export const checkClusterRole: Rule = (next) => {
  if (!next) return {}
  const role = next as RoleObject
  const causes = [...checkRules(role, false)]
  if (role.aggregationRule) {
    const at = 'aggregationRule.clusterRoleSelectors'
    const selectors = role.aggregationRule.clusterRoleSelectors ?? []
    if (selectors.length === 0) {
      causes.push(
        cause.required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'),
      )
    }
    for (const [index, selector] of selectors.entries()) {
      const wrong = checkSelector(`${at}[${index}]`, selector)
      causes.push(...wrong)
      if (wrong.length > 0) causes.push(cause.invalid(`${at}[${index}]`, null, 'invalid label selector.'))
    }
  }
  return { causes }
}

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group']

export const checkBinding: Rule = (next, previous) => {
  if (!next) return {}
  const binding = next as BindingObject
  const causes = [...checkRoleRef(binding)]
  for (const [index, subject] of (binding.subjects ?? []).entries()) {
    causes.push(
      ...checkSubject(
        subject,
        `subjects[${index}]`,
        binding.metadata.namespace === undefined && binding.kind === 'ClusterRoleBinding',
      ),
    )
  }
  const before = previous as BindingObject | undefined
  if (before && !deepEqual(before.roleRef, binding.roleRef)) {
    causes.push(cause.invalid('roleRef', binding.roleRef, 'cannot change roleRef'))
  }
  return { causes }
}

function checkRoleRef({ roleRef, kind }: BindingObject): readonly Cause[] {
  const causes: Cause[] = []
  const { apiGroup = '', kind: wanted = '', name = '' } = roleRef ?? {}
  if (apiGroup !== RBAC) causes.push(cause.notSupported('roleRef.apiGroup', apiGroup, [RBAC]))
  const kinds = kind === 'ClusterRoleBinding' ? ['ClusterRole'] : ['Role', 'ClusterRole']
  if (!kinds.includes(wanted)) causes.push(cause.notSupported('roleRef.kind', wanted, kinds))
  if (name === '') causes.push(cause.required('roleRef.name'))
  else causes.push(...checkText('roleRef.name', name, checkPathSegment))
  return causes
}

type Subject = NonNullable<BindingObject['subjects']>[number]

function checkSubject(subject: Subject, at: string, clusterWide: boolean): readonly Cause[] {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject
  const causes: Cause[] = []
  if (name === '') causes.push(cause.required(`${at}.name`))
  if (!SUBJECT_KINDS.includes(kind)) return [...causes, cause.notSupported(`${at}.kind`, kind, SUBJECT_KINDS)]
  if (kind === 'ServiceAccount') {
    if (apiGroup !== '') causes.push(cause.notSupported(`${at}.apiGroup`, apiGroup, ['']))
    if (namespace === '' && clusterWide) causes.push(cause.required(`${at}.namespace`))
  } else if (apiGroup !== RBAC) causes.push(cause.notSupported(`${at}.apiGroup`, apiGroup, [RBAC]))
  return causes
}
