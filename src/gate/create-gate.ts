// The doors of the API that are not plain Kubernetes: actions on machines, streams, uploads, logins, the web interface
// and the explainer. The API server has authenticated the caller and, where a path names a resource, authorized it.

import type { UserInfo } from '../base/call.ts'
import { ApiError, refuse } from '../base/errors.ts'
import type { HttpRequest, HttpResponse, UpgradeAnswer } from '../host/host.ts'
import {
  answerInstanceAction,
  answerInstanceQuestion,
  answerScreenshot,
  isInstanceAction,
  isInstanceQuestion,
} from './actions/instance-actions.ts'
import { answerRunAction, isRunAction } from './actions/machine-actions.ts'
import { answerPlace } from './actions/places.ts'
import { answerStatus } from './answers.ts'
import { type Ask, type GateDeps, type GateInfo, gateClient } from './ask.ts'
import { answerResourceMetrics, METRICS_GROUP } from './metrics/resource-metrics.ts'
import { answerPath } from './paths.ts'
import { answerLog } from './pods/log.ts'
import { openPodPorts } from './pods/port-forward.ts'
import { noSuchStream } from './pods/refusals.ts'
import { createSessions, type Sessions } from './sessions/sessions.ts'
import { isInstanceStream, openInstanceStream, type Screens } from './streams/instance-streams.ts'
import { openWatches, WATCH_PATH } from './watches/watch-socket.ts'

export const SUBRESOURCES_GROUP = 'subresources.kubevirt.io'

export interface Gate {
  handle(request: HttpRequest, user: UserInfo, info: GateInfo): Promise<HttpResponse>
  upgrade(
    request: HttpRequest,
    user: UserInfo,
    info: GateInfo,
    protocols: readonly string[],
  ): Promise<UpgradeAnswer>
  readonly sessions: Sessions
}

export function createGate(deps: GateDeps): Gate {
  const screens: Screens = new Map()
  const sessions = createSessions(deps)
  return {
    sessions,
    async handle(request, user, info) {
      try {
        return await answer({ deps, sessions }, { request, user, info })
      } catch (error) {
        return refusal(deps, request, error)
      }
    },
    async upgrade(request, user, info, protocols) {
      try {
        return await open(deps, screens, { request, user, info }, protocols)
      } catch (error) {
        return { refuse: refusal(deps, request, error) }
      }
    },
  }
}

function refusal({ host }: GateDeps, request: HttpRequest, error: unknown): HttpResponse {
  const answer = answerStatus(error)
  if (!(error instanceof ApiError) && !request.signal.aborted)
    host.log.error('a request failed', { method: request.method, path: request.url.split('?')[0], error })
  return answer
}

interface Parts {
  readonly deps: GateDeps
  readonly sessions: Sessions
}

function answer(parts: Parts, ask: Ask): Promise<HttpResponse> {
  const { info } = ask
  if (!info.isResource) return answerPath(parts, ask)
  if (info.group === SUBRESOURCES_GROUP) return answerMachine(parts.deps, ask)
  if (info.group === METRICS_GROUP) return answerResourceMetrics(parts.deps, ask)
  if (info.group === '' && info.resource === 'pods') return answerPod(parts.deps, ask)
  throw refuse.noSuchResource()
}

async function answerMachine(deps: GateDeps, ask: Ask): Promise<HttpResponse> {
  const { request, info } = ask
  const { resource, subresource, rest } = info
  if (info.namespace === '') return answerPlace(deps, ask)
  if (resource === 'virtualmachines' && isRunAction(subresource) && rest.length === 0) {
    requireMethod(request, 'PUT')
    return answerRunAction(deps, ask)
  }
  if (resource === 'virtualmachines' && subresource === 'portforward') throw wantsSocket(subresource)
  if (resource !== 'virtualmachineinstances') throw notServed(info)
  if (subresource === 'vnc' && rest[0] === 'screenshot') {
    requireMethod(request, 'GET')
    return answerScreenshot(deps, ask)
  }
  if (isInstanceAction(subresource)) {
    requireMethod(request, 'PUT')
    return answerInstanceAction(deps, ask)
  }
  if (isInstanceQuestion(subresource)) {
    requireMethod(request, 'GET')
    return answerInstanceQuestion(deps, ask)
  }
  if (isInstanceStream(subresource)) throw wantsSocket(subresource)
  throw notServed(info)
}

function requireMethod({ method }: HttpRequest, wanted: string): void {
  if (method !== wanted) throw refuse.methodNotAllowed()
}

function wantsSocket(subresource: string) {
  return refuse.badRequest(
    `${subresource} is a WebSocket: ask with "Upgrade: websocket", or use virtctl or croft vm ${subresource}`,
  )
}

/** Known to KubeVirt's clients, and not here yet: they show this text. */
const NOT_YET = new Set([
  'migrate',
  'addvolume',
  'removevolume',
  'memorydump',
  'removememorydump',
  'evacuate',
  'expand-spec',
  'objectgraph',
  'usbredir',
  'vsock',
  'sev',
])

function notServed({ resource, subresource }: GateInfo) {
  return NOT_YET.has(subresource)
    ? refuse.notImplemented(`${resource}/${subresource} is not served by this version of croft`)
    : refuse.noSuchResource()
}

async function answerPod(deps: GateDeps, ask: Ask): Promise<HttpResponse> {
  const { request, info } = ask
  if (info.subresource === 'log') {
    requireMethod(request, 'GET')
    return answerLog(deps, ask)
  }
  if (info.subresource === 'portforward')
    throw refuse.badRequest(
      'portforward is a WebSocket here: use a client that speaks it, or "virtctl port-forward"',
    )
  throw await noSuchStream(gateClient(deps), info, info.subresource)
}

async function open(
  deps: GateDeps,
  screens: Screens,
  ask: Ask,
  protocols: readonly string[],
): Promise<UpgradeAnswer> {
  const { group, resource, subresource } = ask.info
  if (ask.info.path === WATCH_PATH) return openWatches(deps, ask)
  if (!ask.info.isResource) throw refuse.badRequest('this path is not served over WebSocket')
  if (group === SUBRESOURCES_GROUP) {
    const fits =
      resource === 'virtualmachineinstances'
        ? isInstanceStream(subresource)
        : resource === 'virtualmachines' && subresource === 'portforward'
    if (!fits) throw refuse.badRequest(`${resource}/${subresource} is not served over WebSocket`)
    return openInstanceStream(deps, screens, ask, protocols)
  }
  if (group === '' && resource === 'pods') {
    if (subresource === 'portforward') return openPodPorts(deps, ask, protocols)
    throw await noSuchStream(gateClient(deps), ask.info, subresource)
  }
  throw refuse.noSuchResource()
}
