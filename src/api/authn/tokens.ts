// Service account tokens: signed and verified here, with the keys of the identity. A verified signature is remembered
// for a short while; that the account still exists is asked every time.
import { exportJWK, importPKCS8, importSPKI, jwtVerify, SignJWT } from 'jose'
import type { UserInfo } from '../../base/call.ts'
import type { KubeObject } from '../../base/object.ts'
import { toBase64Url } from '../base64.ts'
import type { Core } from '../core.ts'
import type { TokenKey } from '../deps.ts'
import { findObject } from '../resource/read.ts'

const ALGORITHM = 'ES256'
/** Verified tokens that are remembered. */
const VERIFIED_MAX = 2000
const VERIFIED_MS = 60_000
/** Clocks of nodes may differ by this much. Seconds. */
const CLOCK_TOLERANCE_SECONDS = 10

interface BoundObject {
  readonly name?: string
  readonly uid?: string
}
interface KubernetesClaims {
  readonly namespace?: string
  readonly serviceaccount?: BoundObject
  readonly pod?: BoundObject
  readonly secret?: BoundObject
  readonly node?: BoundObject
}
export interface TokenClaims {
  readonly aud: readonly string[]
  readonly exp: number
  readonly jti?: string
  readonly kubernetes: KubernetesClaims
}

export interface TokenWish {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly audiences: readonly string[]
  /** Seconds since 1970. */
  readonly issuedAt: number
  readonly expiresAt: number
  readonly bound?: { readonly kind: 'pod' | 'secret' | 'node'; readonly name: string; readonly uid: string }
}

interface Key {
  readonly kid: string
  readonly verify: CryptoKey
  readonly sign: CryptoKey | undefined
}

/** Prepared keys of one identity and the tokens verified with them. */
export class Tokens {
  readonly #issuer: string
  readonly #keys: Promise<readonly Key[]>
  readonly #verified = new Map<string, { readonly claims: TokenClaims; readonly untilMs: number }>()

  constructor(issuer: string, keys: readonly TokenKey[]) {
    this.#issuer = issuer
    this.#keys = Promise.all(keys.map(prepareKey))
  }

  async sign(wish: TokenWish, jti: string): Promise<string> {
    const key = (await this.#keys).find((candidate) => candidate.sign !== undefined)
    if (!key?.sign) throw new Error('the identity has no key to sign tokens with')
    const { namespace, name, uid, bound } = wish
    const claims = {
      'kubernetes.io': {
        namespace,
        serviceaccount: { name, uid },
        ...(bound ? { [bound.kind]: { name: bound.name, uid: bound.uid } } : {}),
      },
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid })
      .setIssuer(this.#issuer)
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .setAudience([...wish.audiences])
      .setIssuedAt(wish.issuedAt)
      .setNotBefore(wish.issuedAt)
      .setExpirationTime(wish.expiresAt)
      .setJti(jti)
      .sign(key.sign)
  }

  /** The claims of a token that we signed and that has not expired; undefined for any other. */
  async verify(token: string, nowMs: number): Promise<TokenClaims | undefined> {
    const known = this.#verified.get(token)
    if (known && known.untilMs > nowMs) return known.claims
    const claims = await this.#check(token, nowMs)
    if (!claims) return undefined
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.clear()
    this.#verified.set(token, { claims, untilMs: Math.min(nowMs + VERIFIED_MS, claims.exp * 1000) })
    return claims
  }

  /** The verifying keys as a JWK set has them. */
  async publicKeys(): Promise<readonly unknown[]> {
    return Promise.all(
      (await this.#keys).map(async ({ kid, verify }) => ({
        use: 'sig',
        kid,
        alg: ALGORITHM,
        ...(await exportJWK(verify)),
      })),
    )
  }

  async #check(token: string, nowMs: number): Promise<TokenClaims | undefined> {
    for (const key of await this.#keys) {
      try {
        const { payload } = await jwtVerify(token, key.verify, {
          issuer: this.#issuer,
          algorithms: [ALGORITHM],
          currentDate: new Date(nowMs),
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
        })
        return {
          aud: Array.isArray(payload.aud) ? payload.aud : payload.aud === undefined ? [] : [payload.aud],
          exp: payload.exp ?? 0,
          ...(payload.jti === undefined ? {} : { jti: payload.jti }),
          kubernetes: (payload['kubernetes.io'] as KubernetesClaims | undefined) ?? {},
        }
      } catch {
        // Another key may fit; no key fitting is the answer below.
      }
    }
    return undefined
  }
}

async function prepareKey({ publicPem, privatePem }: TokenKey): Promise<Key> {
  const verify = await importSPKI(publicPem, ALGORITHM, { extractable: true })
  const der = await crypto.subtle.exportKey('spki', verify)
  const kid = toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', der)))
  return {
    kid,
    verify,
    sign: privatePem === undefined ? undefined : await importPKCS8(privatePem, ALGORITHM),
  }
}

/** The user behind verified claims, while the account and the object it is bound to exist. */
export function userOfClaims(core: Core, { kubernetes, jti }: TokenClaims): UserInfo | undefined {
  const { namespace = '', serviceaccount, pod, secret, node } = kubernetes
  const account = live(core, 'serviceaccounts', namespace, serviceaccount)
  if (!account) return undefined
  if (pod && !live(core, 'pods', namespace, pod)) return undefined
  if (secret && !live(core, 'secrets', namespace, secret)) return undefined
  const extra: Record<string, readonly string[]> = {}
  if (jti !== undefined) extra['authentication.kubernetes.io/credential-id'] = [`JTI=${jti}`]
  if (pod?.name) extra['authentication.kubernetes.io/pod-name'] = [pod.name]
  if (pod?.uid) extra['authentication.kubernetes.io/pod-uid'] = [pod.uid]
  if (node?.name) extra['authentication.kubernetes.io/node-name'] = [node.name]
  return {
    username: `system:serviceaccount:${namespace}:${account.metadata.name ?? ''}`,
    uid: account.metadata.uid ?? '',
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra,
  }
}

function live(
  core: Core,
  resource: string,
  namespace: string,
  bound: BoundObject | undefined,
): KubeObject | undefined {
  const served = core.served.find('', 'v1', resource)
  if (!served || !bound?.name) return undefined
  const object = findObject(core, served, namespace, bound.name)
  return object?.metadata.uid === bound.uid ? object : undefined
}
