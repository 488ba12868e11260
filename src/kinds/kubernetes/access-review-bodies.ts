// Questions of the kind "may somebody do this?" and their answers.
import { s } from '../build.ts'
import { fieldSelectorRequirement, labelSelectorRequirement } from '../core/meta-types.ts'

export const fieldSelectorAttributes = s.object({
  rawSelector: s.string(),
  requirements: s.list(fieldSelectorRequirement),
})

export const labelSelectorAttributes = s.object({
  rawSelector: s.string(),
  requirements: s.list(labelSelectorRequirement),
})

export const resourceAttributes = s.object(
  {
    namespace: s.string('Namespace of the object; empty for all.'),
    verb: s.string('Verb of the action.'),
    group: s.string('Group of the resource.'),
    version: s.string('Version of the resource.'),
    resource: s.string('Plural name of the resource.'),
    subresource: s.string('Subresource.'),
    name: s.string('Name of the object; empty for all.'),
    fieldSelector: s.doc(fieldSelectorAttributes, 'Limits the action by fields.'),
    labelSelector: s.doc(labelSelectorAttributes, 'Limits the action by labels.'),
  },
  'An action on a resource.',
)

export const nonResourceAttributes = s.object({
  path: s.string(),
  verb: s.string(),
})

export const selfSubjectAccessReviewSpec = s.object(
  {
    resourceAttributes: s.doc(resourceAttributes, 'An action on a resource.'),
    nonResourceAttributes: s.doc(nonResourceAttributes, 'An action on a path.'),
  },
  'What the asker wants to do.',
)

export const subjectAccessReviewSpec = s.object(
  {
    resourceAttributes: s.doc(resourceAttributes, 'An action on a resource.'),
    nonResourceAttributes: s.doc(nonResourceAttributes, 'An action on a path.'),
    user: s.string('Name of the user.'),
    groups: s.list(s.string(), 'Groups of the user.'),
    extra: s.map(s.list(s.string()), 'Further facts about the user.'),
    uid: s.string('UID of the user.'),
  },
  'Who wants to do what.',
)

export const subjectAccessReviewStatus = s.object(
  {
    allowed: s.write(s.boolean('The action is allowed.')),
    denied: s.boolean('The action is explicitly denied.'),
    reason: s.string('Why.'),
    evaluationError: s.string('What went wrong while asking.'),
  },
  'The answer.',
)

export const selfSubjectRulesReviewSpec = s.object(
  {
    namespace: s.string('Namespace to look at.'),
  },
  "Where the asker's rights are wanted.",
)

export const resourceRule = s.object({
  verbs: s.write(s.list(s.string())),
  apiGroups: s.list(s.string()),
  resources: s.list(s.string()),
  resourceNames: s.list(s.string()),
})

export const nonResourceRule = s.object({
  verbs: s.write(s.list(s.string())),
  nonResourceURLs: s.list(s.string()),
})

export const subjectRulesReviewStatus = s.object(
  {
    resourceRules: s.write(s.list(resourceRule, 'Actions on resources.')),
    nonResourceRules: s.write(s.list(nonResourceRule, 'Actions on paths.')),
    incomplete: s.write(s.boolean('More may be allowed than is listed.')),
    evaluationError: s.string('What went wrong while asking.'),
  },
  'Rights of the asker.',
)
