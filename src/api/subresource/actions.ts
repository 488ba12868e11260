// Subresources and virtual kinds that do something of their own instead of reading or writing the object.
import { refuse } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import type { Outcome, Work } from '../core.ts'
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from '../reviews/access.ts'
import { tokenRequest, tokenReview } from '../reviews/token.ts'
import { finalizeNamespace } from './namespaces.ts'
import { bindPod, evictPod } from './pods.ts'

export type Action = (work: Work) => Promise<Outcome>

const AUTHORIZATION = 'authorization.k8s.io'
const AUTHENTICATION = 'authentication.k8s.io'

/** Keyed by `<verb> <resource>.<group>/<subresource>`. */
const ACTIONS: Readonly<Record<string, Action>> = {
  [`create selfsubjectaccessreviews.${AUTHORIZATION}`]: selfSubjectAccessReview,
  [`create subjectaccessreviews.${AUTHORIZATION}`]: subjectAccessReview,
  [`create localsubjectaccessreviews.${AUTHORIZATION}`]: localSubjectAccessReview,
  [`create selfsubjectrulesreviews.${AUTHORIZATION}`]: selfSubjectRulesReview,
  [`create selfsubjectreviews.${AUTHENTICATION}`]: selfSubjectReview,
  [`create tokenreviews.${AUTHENTICATION}`]: tokenReview,
  'create serviceaccounts./token': tokenRequest,
  'create pods./binding': bindPod,
  'create pods./eviction': evictPod,
  'create bindings.': bindByName,
  'update namespaces./finalize': finalizeNamespace,
}

export function findAction({ served, call }: Work): Action | undefined {
  const { plural, group } = served.kind
  const tail = call.subresource === undefined ? '' : `/${call.subresource}`
  return ACTIONS[`${call.verb} ${plural}.${group}${tail}`]
}

/** The old form: a Binding object named as its Pod. */
function bindByName(work: Work): Promise<Outcome> {
  const { core, call } = work
  const pods = core.served.find('', 'v1', 'pods')
  const metadata = isObject(call.body) ? call.body['metadata'] : undefined
  const name = isObject(metadata) ? String(metadata['name'] ?? '') : ''
  if (!pods) throw refuse.noSuchResource()
  return bindPod({ ...work, served: pods, call: { ...call, resource: 'pods', name } })
}
