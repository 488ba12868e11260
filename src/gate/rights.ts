// May this caller do that? For paths that name no resource to the API server but act on one: the same answer that
// `kubectl auth can-i` gives.
import type { UserInfo } from '../base/call.ts'
import { refuse } from '../base/errors.ts'
import { SelfSubjectAccessReview } from '../kinds/kubernetes/reviews.ts'
import { type GateDeps, requireKnown, userClient } from './ask.ts'

export interface Right {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly namespace: string
  readonly name: string
}

export async function mayDo(deps: GateDeps, user: UserInfo, right: Right): Promise<boolean> {
  const { verb, group, resource, subresource = '', namespace, name } = right
  const answer = (await userClient(deps, user).create(SelfSubjectAccessReview, {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { verb, group, resource, subresource, namespace, name } },
  } as never)) as unknown as { readonly status?: { readonly allowed?: boolean } }
  return answer.status?.allowed === true
}

export async function requireMay(deps: GateDeps, user: UserInfo, right: Right): Promise<void> {
  requireKnown(user)
  if (await mayDo(deps, user, right)) return
  const { verb, group, resource, subresource = '', namespace, name } = right
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  throw refuse.forbidden(
    { group, resource },
    name,
    `User "${user.username}" cannot ${verb} resource "${what}" in API group "${group}" in the namespace "${namespace}"`,
  )
}
