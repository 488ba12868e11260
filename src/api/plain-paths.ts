// Paths that name no resource: discovery, OpenAPI, version, health, keys.
import { refuse } from '../base/errors.ts'
import type { HttpRequest, HttpResponse } from '../host/host.ts'
import type { Core } from './core.ts'
import type { Document } from './discovery/documents.ts'
import { versionInfo } from './discovery/version.ts'
import type { RequestInfo } from './gate-port.ts'
import { answerHealth } from './health/health.ts'
import { answerJson, answerText, jsonHeaders } from './http/answer.ts'
import { accepts, parseAccept } from './http/negotiate.ts'
import { answerOpenApi } from './openapi/openapi.ts'

const V2_TYPE = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const HEALTH = new Set(['healthz', 'livez', 'readyz'])
const OURS = new Set(['api', 'apis', 'openapi', 'version', 'metrics', '.well-known', ...HEALTH])

/** False for paths that gate/ answers: the UI, Steve, logins, uploads. */
export function isOurs({ path }: RequestInfo): boolean {
  const [first = '', second = ''] = path.slice(1).split('/')
  return OURS.has(first)
    ? first !== '.well-known' || second === 'openid-configuration'
    : path === '/openid/v1/jwks'
}

export async function answerPlainPath(
  core: Core,
  request: HttpRequest,
  info: RequestInfo,
): Promise<HttpResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw refuse.methodNotAllowed()
  const parts = info.path.slice(1).split('/')
  const [first = '', second = '', third = '', more] = parts
  if (first === 'api') return answerApi(core, request, second, third)
  if (first === 'apis' && more === undefined) return answerApis(core, request, second, third)
  if (first === 'openapi') return answerOpenApi(core, request, info)
  if (first === 'version' && second === '') return answerJson(200, versionInfo(core.deps.croftVersion))
  if (HEALTH.has(first)) return answerHealth(core, info)
  if (first === 'metrics') return answerText(200, core.deps.metrics?.() ?? '')
  if (first === '.well-known') return answerJson(200, openIdConfiguration(core))
  if (info.path === '/openid/v1/jwks') return answerKeys(core, request)
  if (info.path === '/') return answerJson(200, { paths: rootPaths(core) })
  return answerText(404, '404 page not found\n')
}

function answerApi(core: Core, request: HttpRequest, version: string, rest: string): HttpResponse {
  if (version === '') {
    if (wantsAggregated(request)) return answerAggregated(core, request, true)
    return answerJson(200, {
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [
        {
          clientCIDR: '0.0.0.0/0',
          serverAddress: `${core.deps.advertised.addresses[0] ?? ''}:${core.deps.advertised.port}`,
        },
      ],
    })
  }
  return answerDocument(request, rest === '' ? core.discovery.resourceList('', version) : undefined)
}

function answerApis(core: Core, request: HttpRequest, group: string, version: string): HttpResponse {
  if (group === '') {
    if (wantsAggregated(request)) return answerAggregated(core, request, false)
    return answerDocument(request, core.discovery.groupList())
  }
  if (version === '') return answerDocument(request, core.discovery.group(group))
  return answerDocument(request, core.discovery.resourceList(group, version))
}

function wantsAggregated(request: HttpRequest): boolean {
  return accepts(request.headers['accept'], 'apidiscovery.k8s.io', 'v2', 'APIGroupDiscoveryList')
}

function answerAggregated(core: Core, request: HttpRequest, isCore: boolean): HttpResponse {
  return answerDocument(request, core.discovery.aggregated(isCore), V2_TYPE)
}

/** A cached document; a client that has it already is told so. */
function answerDocument(
  request: HttpRequest,
  document: Document | undefined,
  type = 'application/json',
): HttpResponse {
  if (!document) return answerText(404, '404 page not found\n')
  const headers = { ...jsonHeaders(), 'content-type': type, etag: document.etag, vary: 'Accept' }
  if (request.headers['if-none-match'] === document.etag) return { status: 304, headers }
  return { status: 200, headers, body: document.text }
}

function rootPaths(core: Core): readonly string[] {
  const groups = core.discovery
    .groups()
    .filter(({ group }) => group !== '')
    .flatMap(({ group, versions }) => [
      `/apis/${group}`,
      ...versions.map(({ version }) => `/apis/${group}/${version}`),
    ])
  return [
    '/api',
    '/api/v1',
    '/apis',
    ...groups,
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openid/v1/jwks',
    '/readyz',
    '/version',
  ]
}

function openIdConfiguration(core: Core) {
  const { issuer } = core.deps.identity
  return {
    issuer,
    jwks_uri: `${issuer}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  }
}

async function answerKeys(core: Core, request: HttpRequest): Promise<HttpResponse> {
  const accept = request.headers['accept']
  const wanted = accept === undefined || accept === '' ? [] : parseAccept(accept)
  const fits = ({ type }: { readonly type: string }) => type === '*/*' || type === 'application/jwk-set+json'
  if (wanted.length > 0 && !wanted.some(fits)) throw refuse.notAcceptable(['application/jwk-set+json'])
  const keys = await core.tokens.publicKeys()
  return {
    status: 200,
    headers: { 'content-type': 'application/jwk-set+json', 'cache-control': 'public, max-age=3600' },
    body: JSON.stringify({ keys }),
  }
}
