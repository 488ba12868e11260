// From an HTTP request to an ApiCall: options from the query, the object from the body.
import type { ApiCall, CallOptions, UserInfo, Verb } from '../../base/call.ts'
import { cause, refuse } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type { HttpRequest } from '../../host/host.ts'
import type { RequestInfo } from '../gate-port.ts'
import { readDecoded } from './body.ts'
import { isTrue } from './request-info.ts'

/** Longest field manager; kube-apiserver's own limit. Characters. */
const FIELD_MANAGER_MAX = 128
const WITH_BODY: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

/** The call without its body; enough to authorize it. */
export function callOf(request: HttpRequest, info: RequestInfo, user: UserInfo): ApiCall {
  const named = info.verb === 'list' || info.verb === 'watch' || info.verb === 'deletecollection'
  return {
    verb: info.verb as Verb,
    group: info.group,
    version: info.version,
    resource: info.resource,
    ...(info.subresource === '' ? {} : { subresource: info.subresource }),
    // A Namespace is authorized as standing in itself, but it does not.
    ...(info.namespace === '' || isNamespaceItself(info) ? {} : { namespace: info.namespace }),
    ...(info.name === '' || named ? {} : { name: info.name }),
    options: optionsOf(info, request.headers['user-agent']),
    user,
    signal: request.signal,
  }
}

function isNamespaceItself({ group, resource }: RequestInfo): boolean {
  return group === '' && resource === 'namespaces'
}

export async function withBody(call: ApiCall, request: HttpRequest, info: RequestInfo): Promise<ApiCall> {
  if (!WITH_BODY.has(call.verb)) return call
  const { value, duplicates, patchType } = await readDecoded(request, call.verb)
  const deleting = call.verb === 'delete' || call.verb === 'deletecollection'
  if (deleting) return withDeleteOptions(call, value ?? {}, deleteQueryOf(info.query))
  if (!isObject(value) && !(Array.isArray(value) && patchType === 'json'))
    throw refuse.badRequest(
      value === undefined
        ? 'the body of the request is empty; one object is needed'
        : 'the body of the request must be one object',
    )
  return {
    ...call,
    body: value as JsonObject,
    ...(patchType === undefined ? {} : { patchType }),
    ...(duplicates.length > 0 ? { duplicateFields: duplicates } : {}),
  }
}

function withDeleteOptions(call: ApiCall, value: unknown, query: JsonObject): ApiCall {
  if (!isObject(value)) throw refuse.badRequest('the body of a deletion must be DeleteOptions')
  const { dryRun } = value
  const dry = Array.isArray(dryRun) && dryRun.length > 0
  if (dry) checkDryRun(dryRun.map(String))
  return {
    ...call,
    body: { ...query, ...value },
    options: dry ? { ...call.options, dryRun: true } : call.options,
  }
}

/** DELETE may give its options in the query too. */
function deleteQueryOf(query: URLSearchParams): JsonObject {
  const grace = query.get('gracePeriodSeconds')
  const propagation = query.get('propagationPolicy')
  const orphan = query.get('orphanDependents')
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(propagation === null ? {} : { propagationPolicy: propagation }),
    ...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
  }
}

function optionsOf({ query, verb }: RequestInfo, userAgent: string | undefined): CallOptions {
  const text = (name: string) => query.get(name) ?? undefined
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  checkDryRun(dryRun)
  const writes = verb === 'create' || verb === 'update' || verb === 'patch'
  return without({
    labelSelector: text('labelSelector'),
    fieldSelector: text('fieldSelector'),
    resourceVersion: text('resourceVersion'),
    resourceVersionMatch: text('resourceVersionMatch'),
    limit: integer(query, 'limit'),
    continueToken: text('continue'),
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents: flag(query, 'sendInitialEvents'),
    force: flag(query, 'force'),
    dryRun: dryRun.length > 0 ? true : undefined,
    fieldManager: writes ? fieldManager(query.get('fieldManager'), userAgent) : undefined,
    fieldValidation: fieldValidation(text('fieldValidation')),
  })
}

function without(options: { readonly [K in keyof CallOptions]: CallOptions[K] | undefined }): CallOptions {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options)) if (value !== undefined) kept[name] = value
  return kept as CallOptions
}

function flag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name)
  return value === null ? undefined : isTrue(value)
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name)
  if (value === null || value === '') return undefined
  const number = Number(value)
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number))
    throw refuse.badRequest(`the query parameter ${name} must be an integer, not "${value}"`)
  return Math.max(0, number)
}

function checkDryRun(values: readonly string[]): void {
  const wrong = values.find((value) => value !== 'All')
  if (wrong !== undefined)
    throw refuse.badRequest(`dryRun: Unsupported value: "${wrong}": supported values: "All"`)
}

function fieldValidation(value: string | undefined): CallOptions['fieldValidation'] {
  if (value === undefined || value === '') return undefined
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value
  throw refuse.invalid('meta.k8s.io', 'CreateOptions', '', [
    cause.notSupported('fieldValidation', value, ['Ignore', 'Strict', 'Warn']),
  ])
}

/** Who writes: as said in the query, else the name of the program. */
function fieldManager(given: string | null, userAgent: string | undefined): string {
  if (given !== null && given !== '') {
    if (given.length > FIELD_MANAGER_MAX)
      throw refuse.invalid('meta.k8s.io', 'CreateOptions', '', [
        cause.tooLong('fieldManager', FIELD_MANAGER_MAX),
      ])
    return given
  }
  return (userAgent ?? 'unknown').split('/')[0]?.slice(0, FIELD_MANAGER_MAX) || 'unknown'
}
