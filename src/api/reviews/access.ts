// Access reviews: may somebody do something. Asked by `kubectl auth can-i`, by delegating servers and by the UI.
import type { UserInfo } from '../../base/call.ts'
import { type Cause, cause, refuse } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type { Attributes } from '../authz/rules.ts'
import type { Outcome, Work } from '../core.ts'
import { readBody } from '../resource/body.ts'

export async function selfSubjectAccessReview(work: Work): Promise<Outcome> {
  const spec = specOf(work)
  return decided(work, spec, work.user)
}

export async function subjectAccessReview(work: Work): Promise<Outcome> {
  const spec = specOf(work)
  return decided(work, spec, subjectOf(work, spec))
}

export async function localSubjectAccessReview(work: Work): Promise<Outcome> {
  const spec = specOf(work)
  const { namespace } = isObject(spec['resourceAttributes']) ? spec['resourceAttributes'] : {}
  if (namespace !== work.call.namespace)
    throw invalid(work, [
      cause.invalid(
        'spec.resourceAttributes.namespace',
        namespace ?? '',
        `must match metadata.namespace: ${work.call.namespace ?? ''}`,
      ),
    ])
  return decided(work, spec, subjectOf(work, spec))
}

export async function selfSubjectRulesReview(work: Work): Promise<Outcome> {
  const spec = specOf(work)
  const namespace = text(spec['namespace'])
  if (namespace === '') throw refuse.badRequest('no namespace on request')
  const rules = work.core.rbac.rulesFor(work.user, namespace)
  return answer(work, spec, {
    resourceRules: rules
      .filter((rule) => rule.resources?.length)
      .map(({ verbs = [], apiGroups = [], resources = [], resourceNames }) => ({
        verbs,
        apiGroups,
        resources,
        ...(resourceNames ? { resourceNames } : {}),
      })),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs?.length)
      .map(({ verbs = [], nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
  })
}

export async function selfSubjectReview(work: Work): Promise<Outcome> {
  return answer(work, undefined, { userInfo: userJson(work.user) })
}

export function userJson(user: UserInfo): JsonObject {
  return {
    username: user.username,
    ...(user.uid ? { uid: user.uid } : {}),
    groups: user.groups,
    ...(user.extra ? { extra: user.extra } : {}),
  }
}

function specOf(work: Work): JsonObject {
  const { spec } = readBody(work)
  return isObject(spec) ? spec : {}
}

function decided(work: Work, spec: JsonObject, user: UserInfo): Outcome {
  const decision = work.core.rbac.decide(user, attributesOf(work, spec))
  return answer(work, spec, {
    allowed: decision.allowed,
    ...(decision.reason === '' ? {} : { reason: decision.reason }),
  })
}

function attributesOf(work: Work, { resourceAttributes, nonResourceAttributes }: JsonObject): Attributes {
  const byResource = isObject(resourceAttributes) ? resourceAttributes : undefined
  const byPath = isObject(nonResourceAttributes) ? nonResourceAttributes : undefined
  if ((byResource === undefined) === (byPath === undefined))
    throw invalid(work, [
      cause.invalid(
        'spec.resourceAttributes',
        byResource ?? null,
        byResource
          ? 'cannot be specified in combination with nonResourceAttributes'
          : 'exactly one of nonResourceAttributes or resourceAttributes must be specified',
      ),
    ])
  const of = byResource ?? byPath ?? {}
  return {
    verb: text(of['verb']),
    group: text(of['group']),
    resource: text(of['resource']),
    subresource: text(of['subresource']),
    namespace: text(of['namespace']),
    name: text(of['name']),
    ...(byPath ? { path: text(byPath['path']) } : {}),
  }
}

function subjectOf(work: Work, spec: JsonObject): UserInfo {
  const groups = Array.isArray(spec['groups']) ? spec['groups'].map(String) : []
  const username = text(spec['user'])
  if (username === '' && groups.length === 0)
    throw invalid(work, [cause.invalid('spec.user', '', 'at least one of user or group must be specified')])
  return { username, groups }
}

function invalid(work: Work, causes: readonly Cause[]) {
  const { group, kind } = work.served.kind
  return refuse.invalid(group, kind, '', causes)
}

function answer(work: Work, spec: JsonObject | undefined, status: JsonObject): Outcome {
  const { served, call } = work
  return {
    is: 'object',
    code: 201,
    object: {
      kind: served.kind.kind,
      apiVersion: served.apiVersion,
      metadata: call.namespace === undefined ? {} : { namespace: call.namespace },
      ...(spec === undefined ? {} : { spec }),
      status,
    },
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
