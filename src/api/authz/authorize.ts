// The one authorization filter, used before every read and write, in-process callers included.
import type { ApiCall, UserInfo } from '../../base/call.ts'
import { type ApiError, refuse } from '../../base/errors.ts'
import type { Rbac } from './rbac.ts'
import type { Attributes } from './rules.ts'

/** Throws 403 with Kubernetes' words when the user may not. */
export function requireAllowed(rbac: Rbac, user: UserInfo, wanted: Attributes): void {
  const decision = rbac.decide(user, wanted)
  if (!decision.allowed) throw forbiddenFor(user, wanted, decision.reason)
}

export function forbiddenFor(user: UserInfo, wanted: Attributes, reason = ''): ApiError {
  const tail = reason === '' ? '' : `: ${reason}`
  if (wanted.path !== undefined)
    return refuse.forbiddenPath(`User "${user.username}" cannot ${wanted.verb} path "${wanted.path}"${tail}`)
  const resource = wanted.subresource === '' ? wanted.resource : `${wanted.resource}/${wanted.subresource}`
  const where = wanted.namespace === '' ? 'at the cluster scope' : `in the namespace "${wanted.namespace}"`
  return refuse.forbidden(
    { group: wanted.group, resource: wanted.resource },
    wanted.name,
    `User "${user.username}" cannot ${wanted.verb} resource "${resource}" in API group "${wanted.group}" ${where}${tail}`,
  )
}

export function attributesOf(call: ApiCall): Attributes {
  return {
    verb: call.verb,
    group: call.group,
    resource: call.resource,
    subresource: call.subresource ?? '',
    namespace: call.namespace ?? (isNamespaceItself(call) ? (call.name ?? '') : ''),
    name: call.name ?? nameFromSelector(call),
  }
}

/** A Namespace counts as standing in itself, so that a Role inside it can speak of it. */
function isNamespaceItself({ group, resource }: ApiCall): boolean {
  return group === '' && resource === 'namespaces'
}

function nameFromSelector(call: ApiCall): string {
  const match = /^metadata\.name==?([^,=!]+)$/.exec(call.options.fieldSelector ?? '')
  return match?.[1] ?? ''
}
