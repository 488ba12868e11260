// Who asks: a client certificate of our CA, a bearer token, a session of gate/, or nobody. A credential that is
// presented and wrong is refused; it never falls back to anonymous.
import type { UserInfo } from '../../base/call.ts'
import { refuse } from '../../base/errors.ts'
import type { HttpRequest, Peer } from '../../host/host.ts'
import { fromBase64Url } from '../base64.ts'
import type { Core } from '../core.ts'
import { userOfClaims } from './tokens.ts'

const AUTHENTICATED = 'system:authenticated'
const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] }
const SOCKET_BEARER = 'base64url.bearer.authorization.k8s.io.'
/** A certificate is looked at again after this long, for its expiry. */
const CERTIFICATE_MS = 60_000

export async function authenticate(core: Core, request: HttpRequest): Promise<UserInfo> {
  const token = bearerOf(request)
  const byCertificate = token === undefined ? certificateUser(core, request.peer) : undefined
  if (byCertificate) return byCertificate
  if (token !== undefined) {
    const user = await tokenUser(core, token)
    if (!user) throw refuse.unauthorized()
    return user
  }
  const session = await core.deps.sessionUser?.(request)
  return session ?? ANONYMOUS
}

/** Undefined when no valid token was given. */
export async function tokenUser(
  core: Core,
  token: string,
  audiences?: readonly string[],
): Promise<UserInfo | undefined> {
  const known = core.deps.identity.staticTokens.find((candidate) => sameText(candidate.token, token))
  if (known)
    return {
      username: known.username,
      ...(known.uid === undefined ? {} : { uid: known.uid }),
      groups: [...known.groups, AUTHENTICATED],
    }
  if (token.split('.').length !== 3) return core.deps.sessionToken?.(token)
  const claims = await core.tokens.verify(token, core.clock.now())
  if (!claims) return undefined
  const wanted = audiences?.length ? audiences : [core.deps.identity.issuer]
  if (!claims.aud.some((audience) => wanted.includes(audience))) return undefined
  return userOfClaims(core, claims)
}

/** Compares without telling by its time how much of the text was right. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index += 1)
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index % Math.max(1, b.length))
  return difference === 0
}

function bearerOf({ headers }: HttpRequest): string | undefined {
  const header = headers['authorization']
  const [scheme = '', token = ''] = (header ?? '').split(/ +/)
  if (scheme.toLowerCase() === 'bearer') return token
  if (header !== undefined && header !== '' && scheme.toLowerCase() !== 'basic') throw refuse.unauthorized()
  const protocol = (headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .find((part) => part.startsWith(SOCKET_BEARER))
  if (protocol === undefined) return undefined
  try {
    return new TextDecoder().decode(fromBase64Url(protocol.slice(SOCKET_BEARER.length)))
  } catch {
    throw refuse.unauthorized()
  }
}

const checked = new WeakMap<Uint8Array, { readonly user: UserInfo | undefined; readonly untilMs: number }>()

/** Undefined when the peer showed no certificate. Throws 401 for one that is not ours or has expired. */
function certificateUser(core: Core, peer: Peer): UserInfo | undefined {
  const { certificate } = peer
  if (!certificate || certificate.length === 0) return undefined
  const now = core.clock.now()
  const known = checked.get(certificate)
  const user = known && known.untilMs > now ? known.user : readCertificate(core, certificate, now)
  checked.set(certificate, { user, untilMs: now + CERTIFICATE_MS })
  if (!user) throw refuse.unauthorized()
  return user
}

function readCertificate(core: Core, certificate: Uint8Array, now: number): UserInfo | undefined {
  const { certificates, identity } = core.deps
  if (!certificates.isTrusted(certificate, identity.clientCaPem, now)) return undefined
  const facts = certificates.read(certificate)
  if (!facts || facts.commonName === '') return undefined
  return {
    username: facts.commonName,
    groups: [...facts.organizations, AUTHENTICATED],
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${facts.fingerprint}`] },
  }
}
