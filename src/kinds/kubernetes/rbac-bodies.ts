// Fields of roles and bindings.
import { s } from '../build.ts'
import { labelSelector } from '../core/meta-types.ts'

export const policyRule = s.object(
  {
    verbs: s.write(s.list(s.string(), 'Verbs, or * for all.')),
    apiGroups: s.list(s.string(), 'Groups of the resources, or * for all.'),
    resources: s.list(s.string(), 'Resources and subresources, or * for all.'),
    resourceNames: s.list(s.string(), 'Only objects of these names.'),
    nonResourceURLs: s.list(s.string(), 'Paths outside the resources.'),
  },
  'Something that is allowed.',
)

export const aggregationRule = s.object({
  clusterRoleSelectors: s.list(labelSelector),
})

export const subject = s.object(
  {
    kind: s.write(s.string()),
    apiGroup: s.string(),
    name: s.write(s.string()),
    namespace: s.string(),
  },
  undefined,
  { atomic: true },
)

export const roleRef = s.object(
  {
    apiGroup: s.string(),
    kind: s.write(s.string()),
    name: s.write(s.string()),
  },
  undefined,
  { atomic: true },
)

export const roleBody = s.object({
  rules: s.write(s.list(policyRule, 'What is allowed.')),
})

export const clusterRoleBody = s.object({
  rules: s.write(s.list(policyRule, 'What is allowed.')),
  aggregationRule: s.doc(aggregationRule, 'Further ClusterRoles whose rules are taken over.'),
})

export const roleBindingBody = s.object({
  subjects: s.list(subject, 'Who gets the role.'),
  roleRef: s.write(s.doc(roleRef, 'The role that is given.')),
})

export const clusterRoleBindingBody = s.object({
  subjects: s.list(subject, 'Who gets the role.'),
  roleRef: s.write(s.doc(roleRef, 'The role that is given.')),
})
