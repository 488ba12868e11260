// The HTTP side of the API server: who asks, what for, may they, and the answer in the form they accept.
import type { UserInfo } from '../../base/call.ts'
import { ApiError, refuse } from '../../base/errors.ts'
import type { HttpHandler, HttpRequest, HttpResponse, UpgradeAnswer } from '../../host/host.ts'
import { authenticate } from '../authn/authenticate.ts'
import { impersonate } from '../authn/impersonate.ts'
import { requireAllowed } from '../authz/authorize.ts'
import type { Core } from '../core.ts'
import { GATE_GROUPS } from '../discovery/gate-resources.ts'
import { authorizeCall, dispatch, findServed, workFor } from '../dispatch.ts'
import type { RequestInfo } from '../gate-port.ts'
import { answerPlainPath, isOurs } from '../plain-paths.ts'
import { startWatch } from '../watch/watch.ts'
import { answerError, answerOutcome, type Shown } from './answer.ts'
import { callOf, withBody } from './call.ts'
import { negotiate } from './negotiate.ts'
import { readRequestInfo } from './request-info.ts'
import { answerWatch } from './watch-answer.ts'
import { talkWatch } from './watch-socket.ts'

export function httpFront(core: Core): HttpHandler {
  return {
    async handle(request) {
      const started = core.clock.monotonic()
      const answer = await answerSafely(core, request)
      core.meter.observe('apiserver_request_duration_seconds', (core.clock.monotonic() - started) / 1000, {
        verb: request.method,
        code: String(answer.status),
      })
      return withCommonHeaders(core, request, answer)
    },
    async upgrade(request, protocols) {
      try {
        return await answerUpgrade(core, request, protocols)
      } catch (error) {
        return { refuse: refusalOf(core, request, error) }
      }
    },
  }
}

async function answerSafely(core: Core, request: HttpRequest): Promise<HttpResponse> {
  try {
    return await answer(core, request)
  } catch (error) {
    return refusalOf(core, request, error)
  }
}

function refusalOf(core: Core, request: HttpRequest, error: unknown): HttpResponse {
  if (!(error instanceof ApiError) && !request.signal.aborted)
    core.log.error('a request failed inside the API server', {
      method: request.method,
      path: request.url.split('?')[0],
      error,
    })
  return answerError(error)
}

function withCommonHeaders(core: Core, request: HttpRequest, answer: HttpResponse): HttpResponse {
  const audit = request.headers['audit-id'] ?? core.random.uuid()
  return { ...answer, headers: { ...answer.headers, 'audit-id': audit } }
}

async function answer(core: Core, request: HttpRequest): Promise<HttpResponse> {
  const { user, info } = await admitRequest(core, request)
  if (!info.isResource) return answerPath(core, request, user, info)
  if (belongsToGate(core, info)) return answerByGate(core, request, user, info)
  return answerResource(core, request, user, info)
}

interface Admitted {
  readonly user: UserInfo
  readonly info: RequestInfo
}

async function admitRequest(core: Core, request: HttpRequest): Promise<Admitted> {
  const info = readRequestInfo(request.method, request.url)
  const asked = await authenticate(core, request)
  return { user: impersonate(core, request, asked), info }
}

async function answerPath(
  core: Core,
  request: HttpRequest,
  user: UserInfo,
  info: RequestInfo,
): Promise<HttpResponse> {
  if (!isOurs(info) && !wantsPathList(request, info)) {
    const gate = core.deps.gate
    if (gate) return gate.handle(request, user, info)
  }
  requireAllowed(core.rbac, user, pathAttributes(info))
  return answerPlainPath(core, request, info)
}

/** At `/` a browser gets the web interface, every other client the list of paths. */
function wantsPathList({ headers }: HttpRequest, { path }: RequestInfo): boolean {
  return path === '/' && !(headers['accept'] ?? '').includes('text/html')
}

function pathAttributes(info: RequestInfo) {
  return {
    verb: info.verb === 'head' ? 'get' : info.verb,
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path: info.path,
  }
}

/** Streams, machine actions, and whatever of a known kind is marked as a stream. */
function belongsToGate(core: Core, info: RequestInfo): boolean {
  if (GATE_GROUPS.has(info.group)) return true
  if (info.subresource === '') return false
  const served = core.served.find(info.group, info.version, info.resource)
  return served?.kind.subresources[info.subresource]?.stream === true
}

async function answerByGate(
  core: Core,
  request: HttpRequest,
  user: UserInfo,
  info: RequestInfo,
): Promise<HttpResponse> {
  authorizeInfo(core, user, info)
  if (!core.deps.gate) throw refuse.noSuchResource()
  return core.deps.gate.handle(request, user, info)
}

function authorizeInfo(core: Core, user: UserInfo, info: RequestInfo): void {
  const { verb, group, resource, subresource, namespace, name } = info
  requireAllowed(core.rbac, user, { verb, group, resource, subresource, namespace, name })
}

async function answerResource(
  core: Core,
  request: HttpRequest,
  user: UserInfo,
  info: RequestInfo,
): Promise<HttpResponse> {
  if (info.verb === '') throw refuse.methodNotAllowed()
  checkVerbFitsPlace(info)
  const call = callOf(request, info, user)
  authorizeInfo(core, user, info)
  if (!core.served.hasGroupVersion(info.group, info.version)) return pageNotFound()
  findServed(core, call)
  const form = negotiate(request.headers['accept'])
  if (!form) throw notAcceptable()
  const warnings: string[] = []
  const shown: Shown = { form, warnings, includeObject: info.query.get('includeObject') }
  if (call.verb === 'watch') {
    const work = workFor(core, call, warnings)
    return answerWatch(core, work.served, await startWatch(work), shown)
  }
  const outcome = await dispatch(core, await withBody(call, request, info), warnings)
  return answerOutcome(core, outcome, shown)
}

/** POST to an item and PUT to a collection are no way of asking. */
function checkVerbFitsPlace(info: RequestInfo): void {
  const { verb, name, subresource } = info
  if (verb === 'create' && name !== '' && subresource === '') throw refuse.methodNotAllowed()
  if ((verb === 'update' || verb === 'patch') && name === '') throw refuse.methodNotAllowed()
}

function notAcceptable(): ApiError {
  return refuse.notAcceptable(['application/json', 'application/json;stream=watch'])
}

export function pageNotFound(): HttpResponse {
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: '404 page not found\n',
  }
}

async function answerUpgrade(
  core: Core,
  request: HttpRequest,
  protocols: readonly string[],
): Promise<UpgradeAnswer> {
  const { user, info } = await admitRequest(core, request)
  const { gate } = core.deps
  if (!info.isResource || belongsToGate(core, info)) {
    if (info.isResource) authorizeInfo(core, user, info)
    if (!gate) throw refuse.noSuchResource()
    return gate.upgrade(request, user, info, protocols)
  }
  if (info.verb !== 'watch') throw refuse.badRequest('this path is not served over WebSocket')
  const call = callOf(request, info, user)
  authorizeCall(core, call)
  const form = negotiate(request.headers['accept']) ?? { as: 'object', yaml: false }
  const warnings: string[] = []
  const work = workFor(core, call, warnings)
  const stream = await startWatch(work)
  const shown: Shown = { form, warnings, includeObject: info.query.get('includeObject') }
  return talkWatch(core, work.served, stream, { shown, protocols })
}
