// Tokens: TokenReview tells whose a token is; TokenRequest gives one for a service account.
import { cause, refuse } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import { tokenUser } from '../authn/authenticate.ts'
import type { TokenWish } from '../authn/tokens.ts'
import type { Core, Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { readBody } from '../resource/body.ts'
import { timestamp } from '../resource/metadata.ts'
import { findObject } from '../resource/read.ts'
import { userJson } from './access.ts'

/** Bounds of a token's life, as kube-apiserver has them. Seconds. */
const LIFE_MIN_SECONDS = 600
const LIFE_DEFAULT_SECONDS = 3600
const LIFE_MAX_SECONDS = 2 ** 32

export async function tokenReview(work: Work): Promise<Outcome> {
  const { spec: given } = readBody(work)
  const spec = isObject(given) ? given : {}
  const token = typeof spec['token'] === 'string' ? spec['token'] : ''
  const audiences = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : []
  const user = token === '' ? undefined : await tokenUser(work.core, token, audiences)
  const shown = audiences.length > 0 ? audiences : [work.core.deps.identity.issuer]
  return {
    is: 'object',
    code: 201,
    object: {
      kind: 'TokenReview',
      apiVersion: work.served.apiVersion,
      metadata: {},
      spec,
      status: user
        ? { authenticated: true, user: userJson(user), audiences: shown }
        : { error: 'the token is not valid' },
    },
  }
}

interface BoundRef {
  readonly kind: 'pod' | 'secret' | 'node'
  readonly name: string
  readonly uid: string
}

export async function tokenRequest(work: Work): Promise<Outcome> {
  const { core, call, served, now } = work
  const body = isObject(call.body) ? call.body : {}
  const spec = isObject(body['spec']) ? body['spec'] : {}
  const account = findObject(core, served, call.namespace, call.name ?? '')
  if (!account) throw refuse.notFound(resourceOf(served), call.name ?? '')
  const life = lifeOf(spec)
  const audiences =
    Array.isArray(spec['audiences']) && spec['audiences'].length > 0
      ? spec['audiences'].map(String)
      : [core.deps.identity.issuer]
  const issuedAt = Math.floor(now / 1000)
  const bound = boundRef(core, spec, call.namespace ?? '')
  const wish: TokenWish = {
    namespace: call.namespace ?? '',
    name: call.name ?? '',
    uid: account.metadata.uid ?? '',
    audiences,
    issuedAt,
    expiresAt: issuedAt + life,
    ...(bound ? { bound } : {}),
  }
  const status = {
    token: await core.tokens.sign(wish, core.random.uuid()),
    expirationTimestamp: timestamp((issuedAt + life) * 1000),
  }
  return {
    is: 'object',
    code: 201,
    object: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: wish.name, namespace: wish.namespace, creationTimestamp: timestamp(now) },
      spec: { ...spec, audiences, expirationSeconds: life },
      status,
    },
  }
}

function lifeOf(spec: JsonObject): number {
  const wanted = spec['expirationSeconds']
  if (wanted === undefined || wanted === null) return LIFE_DEFAULT_SECONDS
  const refusal = (detail: string) =>
    refuse.invalid('authentication.k8s.io', 'TokenRequest', '', [
      cause.invalid('spec.expirationSeconds', wanted, detail),
    ])
  if (typeof wanted !== 'number' || wanted < LIFE_MIN_SECONDS)
    throw refusal('may not specify a duration less than 10 minutes')
  if (wanted > LIFE_MAX_SECONDS) throw refusal('may not specify a duration larger than 2^32 seconds')
  return wanted
}

const BINDABLE: Readonly<Record<string, { readonly resource: string; readonly kind: BoundRef['kind'] }>> = {
  Pod: { resource: 'pods', kind: 'pod' },
  Secret: { resource: 'secrets', kind: 'secret' },
  Node: { resource: 'nodes', kind: 'node' },
}

/** The object that the token dies with. */
function boundRef(core: Core, spec: JsonObject, namespace: string): BoundRef | undefined {
  const reference = spec['boundObjectRef']
  if (!isObject(reference)) return undefined
  const bindable = BINDABLE[String(reference['kind'])]
  const served = bindable && core.served.find('', 'v1', bindable.resource)
  const name = String(reference['name'] ?? '')
  if (!bindable || !served)
    throw refuse.badRequest(`cannot bind a token to objects of kind ${String(reference['kind'])}`)
  const object = findObject(core, served, namespace, name)
  if (!object) throw refuse.notFound(resourceOf(served), name)
  const uid = object.metadata.uid ?? ''
  const wanted = reference['uid']
  if (typeof wanted === 'string' && wanted !== '' && wanted !== uid)
    throw refuse.conflict(
      resourceOf(served),
      name,
      `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  return { kind: bindable.kind, name, uid }
}
