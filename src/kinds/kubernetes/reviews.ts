// Questions that are answered and forgotten: who am I, what may I, whose token is this.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import {
  selfSubjectAccessReviewSpec,
  selfSubjectRulesReviewSpec,
  subjectAccessReviewSpec,
  subjectAccessReviewStatus,
  subjectRulesReviewStatus,
} from './access-review-bodies.ts'
import {
  selfSubjectReviewStatus,
  tokenRequestSpec,
  tokenRequestStatus,
  tokenReviewSpec,
  tokenReviewStatus,
} from './token-bodies.ts'

const question = { version: 'v1', scope: 'Cluster', virtual: true, verbs: ['create'] } as const
const authorization = { ...question, group: 'authorization.k8s.io' } as const
const authentication = { ...question, group: 'authentication.k8s.io' } as const

export const SelfSubjectAccessReview = defineKind({
  ...authorization,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  doc: 'May I do this?',
  body: () =>
    s.object({ spec: s.write(selfSubjectAccessReviewSpec), status: s.write(subjectAccessReviewStatus) }),
})

export const SubjectAccessReview = defineKind({
  ...authorization,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  doc: 'May somebody do this?',
  body: () =>
    s.object({ spec: s.write(subjectAccessReviewSpec), status: s.write(subjectAccessReviewStatus) }),
})

export const LocalSubjectAccessReview = defineKind({
  ...authorization,
  scope: 'Namespaced',
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  doc: 'May somebody do this in one namespace?',
  body: () =>
    s.object({ spec: s.write(subjectAccessReviewSpec), status: s.write(subjectAccessReviewStatus) }),
})

export const SelfSubjectRulesReview = defineKind({
  ...authorization,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  doc: 'What may I do in one namespace?',
  body: () =>
    s.object({ spec: s.write(selfSubjectRulesReviewSpec), status: s.write(subjectRulesReviewStatus) }),
})

export const TokenReview = defineKind({
  ...authentication,
  kind: 'TokenReview',
  plural: 'tokenreviews',
  doc: 'Whose token is this?',
  body: () => s.object({ spec: s.write(tokenReviewSpec), status: s.write(tokenReviewStatus) }),
})

export const SelfSubjectReview = defineKind({
  ...authentication,
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  doc: 'Who am I?',
  body: () => s.object({ status: s.write(selfSubjectReviewStatus) }),
})

/** Spoken by the subresource `serviceaccounts/token`; not a resource of its own, so not in the registry. */
export const TokenRequest = defineKind({
  ...authentication,
  scope: 'Namespaced',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  doc: 'A token of a ServiceAccount.',
  body: () => s.object({ spec: s.write(tokenRequestSpec), status: s.write(tokenRequestStatus) }),
})
