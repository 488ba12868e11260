// Whether a request that carries a cookie comes from our own pages: browsers add the cookie to anybody's requests.
import { refuse } from '../../base/errors.ts'
import type { HttpRequest } from '../../host/host.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Writes and WebSockets; reads are protected by the browser, which does not show their answer to strangers. */
export function needsSameOrigin({ method, headers }: HttpRequest): boolean {
  return !SAFE_METHODS.has(method) || headers['upgrade'] !== undefined
}

export function requireSameOrigin(request: HttpRequest): void {
  if (!isSameOrigin(request))
    throw refuse.forbiddenPath(
      'a request with a session cookie must come from a page of this server (header Origin); other clients send the token as "Authorization: Bearer"',
    )
}

/** A login from a foreign page would log somebody in as somebody else. */
export function refuseForeignOrigin(request: HttpRequest): void {
  if (request.headers['origin'] !== undefined) requireSameOrigin(request)
}

function isSameOrigin({ headers }: HttpRequest): boolean {
  const { origin, host } = headers
  if (origin === undefined) return headers['sec-fetch-site'] === 'same-origin'
  const parsed = URL.parse(origin)
  return parsed !== null && host !== undefined && parsed.host === withoutDefaultPort(host)
}

/** Browsers leave the port of https out of Origin. */
function withoutDefaultPort(host: string): string {
  return host.toLowerCase().replace(/:443$/, '')
}
