// The HTTP side of logins: croft's own paths (/v1-croft/...) and those that Rancher and Harvester clients use.
import { refuse } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import { formatTime } from '../../base/time.ts'
import type { HttpRequest, HttpResponse } from '../../host/host.ts'
import { answerJson, answerNothing } from '../answers.ts'
import { type Ask, requireKnown } from '../ask.ts'
import { readJsonBody, text } from '../body.ts'
import { refuseForeignOrigin } from './same-origin.ts'
import {
  bearerToken,
  COOKIE,
  cookieToken,
  type Login,
  SESSION_MAX_MS,
  SESSION_MS,
  type Session,
  type Sessions,
} from './sessions.ts'
import { MUST_CHANGE_GROUP } from './users.ts'

/** Undefined for a path that has nothing to do with logins. */
export function sessionRoute(sessions: Sessions, ask: Ask): Promise<HttpResponse> | undefined {
  const { request, info } = ask
  const action = info.query.get('action')
  switch (`${request.method} ${info.path}${action === null ? '' : `?${action}`}`) {
    case 'POST /v1-croft/login':
      return loginByCookie(sessions, request)
    case 'POST /v3-public/localProviders/local?login':
    case 'POST /v1-public/login':
    case 'POST /v1-public/login?login':
      return loginByRancher(sessions, request)
    case 'GET /v1-croft/session':
      return answerSession(sessions, ask)
    case 'POST /v1-croft/logout':
    case 'POST /v3/tokens?logout':
      return logout(sessions, request)
    case 'POST /v1-croft/password':
    case 'POST /v3/users?changepassword':
      return changePassword(sessions, ask)
    case 'GET /v3/users':
      return answerSelf(ask)
    default:
      return undefined
  }
}

async function loginOf(sessions: Sessions, request: HttpRequest, body: JsonObject): Promise<Login> {
  refuseForeignOrigin(request)
  const ttl = Number(body['ttl'] ?? 0)
  const ttlMs = Number.isFinite(ttl) && ttl > 0 ? Math.min(ttl, SESSION_MAX_MS) : SESSION_MS
  return sessions.login(request, {
    username: text(body, 'username'),
    password: text(body, 'password'),
    ttlMs,
    description: text(body, 'description').slice(0, 200),
  })
}

async function loginByCookie(sessions: Sessions, request: HttpRequest): Promise<HttpResponse> {
  const login = await loginOf(sessions, request, await readJsonBody(request))
  const { user, expiresMs } = login
  const body = {
    username: user.name,
    groups: user.groups,
    mustChangePassword: user.mustChangePassword,
    expires: formatTime(expiresMs),
  }
  return answerJson(200, body, { 'set-cookie': cookie(login.token, expiresMs) })
}

/** `responseType` cookie sets the cookie; token and json give the token in the body. */
async function loginByRancher(sessions: Sessions, request: HttpRequest): Promise<HttpResponse> {
  const body = await readJsonBody(request)
  const login = await loginOf(sessions, request, body)
  const { user, token, id, expiresMs } = login
  const shown = {
    type: 'token',
    baseType: 'token',
    id,
    name: id,
    userId: user.name,
    authProvider: 'local',
    expiresAt: formatTime(expiresMs),
    expired: false,
    isDerived: false,
    mustChangePassword: user.mustChangePassword,
  }
  if (text(body, 'responseType') === 'cookie')
    return answerJson(200, shown, { 'set-cookie': cookie(token, expiresMs) })
  return answerJson(201, { ...shown, token })
}

function cookie(token: string, expiresMs: number): string {
  const expires = new Date(expiresMs).toUTCString()
  return `${COOKIE}=${token}; Path=/; Expires=${expires}; HttpOnly; Secure; SameSite=Strict`
}

const CLEARED = `${COOKIE}=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict`

async function sessionOf(sessions: Sessions, request: HttpRequest): Promise<Session | undefined> {
  const token = bearerToken(request) ?? cookieToken(request)
  return token === undefined ? undefined : sessions.find(token)
}

/** Who I am, for the page that decides between login and home. 401 for nobody. */
async function answerSession(sessions: Sessions, { request, user }: Ask): Promise<HttpResponse> {
  requireKnown(user)
  const session = await sessionOf(sessions, request)
  return answerJson(200, {
    username: user.username,
    groups: session ? session.user.groups : user.groups,
    mustChangePassword: session?.user.mustChangePassword ?? false,
    ...(session ? { expires: formatTime(session.expiresMs) } : {}),
  })
}

async function logout(sessions: Sessions, request: HttpRequest): Promise<HttpResponse> {
  const token = bearerToken(request) ?? cookieToken(request)
  if (token !== undefined) await sessions.logout(token)
  return answerNothing(204, { 'set-cookie': CLEARED })
}

async function changePassword(sessions: Sessions, { request }: Ask): Promise<HttpResponse> {
  const session = await sessionOf(sessions, request)
  if (!session) throw refuse.unauthorized()
  const body = await readJsonBody(request)
  await sessions.changePassword(request, session, text(body, 'currentPassword'), text(body, 'newPassword'))
  return answerNothing(204)
}

async function answerSelf({ user }: Ask): Promise<HttpResponse> {
  requireKnown(user)
  const { username, groups } = user
  return answerJson(200, {
    type: 'collection',
    resourceType: 'user',
    data: [
      {
        id: username,
        type: 'user',
        username,
        name: username,
        me: true,
        enabled: true,
        mustChangePassword: groups.includes(MUST_CHANGE_GROUP),
        principalIds: [`local://${username}`],
      },
    ],
  })
}
