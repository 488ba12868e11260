// Acting as somebody else, for those who may: the Impersonate headers.
import type { UserInfo } from '../../base/call.ts'
import { refuse } from '../../base/errors.ts'
import type { HttpRequest } from '../../host/host.ts'
import { requireAllowed } from '../authz/authorize.ts'
import type { Core } from '../core.ts'

const ACCOUNT_PREFIX = 'system:serviceaccount:'
const EXTRA_HEADER = 'impersonate-extra-'

export function impersonate(core: Core, request: HttpRequest, asked: UserInfo): UserInfo {
  const { headers } = request
  const username = headers['impersonate-user']
  const groups = splitHeader(headers['impersonate-group'])
  const uid = headers['impersonate-uid']
  const extra = extraOf(headers)
  if (username === undefined || username === '') {
    if (groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0)
      throw refuse.badRequest('impersonation of groups, uid or extra needs the header Impersonate-User')
    return asked
  }
  const may = (
    resource: string,
    name: string,
    more: { group?: string; subresource?: string; namespace?: string } = {},
  ) =>
    requireAllowed(core.rbac, asked, {
      verb: 'impersonate',
      group: more.group ?? '',
      resource,
      subresource: more.subresource ?? '',
      namespace: more.namespace ?? '',
      name,
    })
  const account = accountOf(username)
  if (account) may('serviceaccounts', account.name, { namespace: account.namespace })
  else may('users', username)
  for (const group of groups) may('groups', group)
  const authentication = 'authentication.k8s.io'
  if (uid !== undefined) may('uids', uid, { group: authentication })
  for (const [key, values] of Object.entries(extra))
    for (const value of values) may('userextras', value, { group: authentication, subresource: key })
  return {
    username,
    ...(uid === undefined ? {} : { uid }),
    groups: withImpliedGroups(groups, account?.namespace),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
}

function withImpliedGroups(
  groups: readonly string[],
  accountNamespace: string | undefined,
): readonly string[] {
  const implied =
    accountNamespace !== undefined && groups.length === 0
      ? ['system:serviceaccounts', `system:serviceaccounts:${accountNamespace}`]
      : []
  const authenticated =
    groups.includes('system:unauthenticated') || groups.includes('system:authenticated')
      ? []
      : ['system:authenticated']
  return [...groups, ...implied, ...authenticated]
}

function accountOf(username: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!username.startsWith(ACCOUNT_PREFIX)) return undefined
  const [namespace = '', name = ''] = username.slice(ACCOUNT_PREFIX.length).split(':')
  return namespace === '' || name === '' ? undefined : { namespace, name }
}

function splitHeader(value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : value.split(',').map((part) => part.trim())
}

function extraOf(headers: HttpRequest['headers']): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (!name.startsWith(EXTRA_HEADER)) continue
    extra[decodeURIComponent(name.slice(EXTRA_HEADER.length)).toLowerCase()] = splitHeader(value)
  }
  return extra
}
