// Tokens by which a host joins: kept as Secrets of type bootstrap.kubernetes.io/token, as kubeadm does, but with a hash
// in the place of the secret. What a person is shown is one string that also carries the hash of the cluster's CA.
import { Buffer } from 'node:buffer'
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { sha256 } from '../base/sha256.ts'
import { formatTime, parseTime } from '../base/time.ts'
import type { Client } from '../client/client.ts'
import type { Random } from '../host/host.ts'
import { Secret } from '../kinds/core/secret.ts'

export const TOKEN_TYPE = 'bootstrap.kubernetes.io/token'
const NAMESPACE = 'kube-system'
const PREFIX = 'bootstrap-token-'
const LABEL = 'croft.io/join-token'
/** 36^16 secrets: none is guessed. */
const ID_LENGTH = 6
const SECRET_LENGTH = 16
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const TOKEN = /^croft\.([a-z0-9]{6})\.([a-z0-9]{16})\.([0-9a-f]{64})$/

export interface JoinToken {
  readonly id: string
  readonly secret: string
  /** SHA-256 of the CA's certificate (DER), lower-case hexadecimal. */
  readonly caHash: string
}

export interface TokenRecord {
  readonly id: string
  readonly description: string
  /** Milliseconds since 1970; undefined: never. */
  readonly expiresAt: number | undefined
  readonly createdAt: number | undefined
}

export function printToken({ id, secret, caHash }: JoinToken): string {
  return `croft.${id}.${secret}.${caHash}`
}

/** Undefined for what is no token. */
export function parseToken(text: string): JoinToken | undefined {
  const [, id, secret, caHash] = TOKEN.exec(text.trim()) ?? []
  return id === undefined || secret === undefined || caHash === undefined ? undefined : { id, secret, caHash }
}

function letters(random: Random, count: number): string {
  let text = ''
  while (text.length < count)
    // Without the bytes above the last whole round, each letter is as likely as the others.
    for (const byte of random.bytes(count))
      if (byte < 252 && text.length < count) text += ALPHABET[byte % ALPHABET.length]
  return text
}

function hashOf(secret: string): string {
  return Buffer.from(sha256(secret)).toString('hex')
}

export interface TokenWish {
  readonly client: Client
  readonly random: Random
  readonly caHash: string
  readonly now: number
  readonly ttlMs: number
  readonly description?: string
}

export async function createToken(wish: TokenWish): Promise<JoinToken> {
  const token = {
    id: letters(wish.random, ID_LENGTH),
    secret: letters(wish.random, SECRET_LENGTH),
    caHash: wish.caHash,
  }
  await wish.client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: PREFIX + token.id, namespace: NAMESPACE, labels: { [LABEL]: 'true' } },
    type: TOKEN_TYPE,
    stringData: {
      'token-id': token.id,
      'token-secret-sha256': hashOf(token.secret),
      expiration: formatTime(wish.now + wish.ttlMs),
      description: wish.description ?? 'lets a host join the cluster',
      'auth-extra-groups': 'system:bootstrappers:croft:join',
    },
  } as unknown as Secret)
  return token
}

export async function listTokens(client: Client): Promise<readonly TokenRecord[]> {
  const { items } = await client.list(Secret, { namespace: NAMESPACE, labelSelector: LABEL })
  return items.filter(({ type }) => type === TOKEN_TYPE).map(recordOf)
}

function recordOf(secret: Secret): TokenRecord {
  const fields = fieldsOf(secret)
  return {
    id: fields('token-id'),
    description: fields('description'),
    expiresAt: parseTime(fields('expiration')),
    createdAt: parseTime(String(secret.metadata.creationTimestamp ?? '')),
  }
}

function fieldsOf(secret: Secret): (name: string) => string {
  const data = (secret.data ?? {}) as JsonObject
  return (name) => Buffer.from(String(data[name] ?? ''), 'base64').toString('utf8')
}

/** False when there was none. `id` may be the whole token, too. */
export async function revokeToken(client: Client, id: string): Promise<boolean> {
  try {
    await client.delete(Secret, PREFIX + (parseToken(id)?.id ?? id), { namespace: NAMESPACE })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return false
    throw error
  }
}

export type TokenVerdict = 'good' | 'unknown' | 'expired'

/** `unknown` for a wrong secret, too: nobody learns which half was right. An expired one is dropped. */
export async function checkToken(
  client: Client,
  { id, secret }: Pick<JoinToken, 'id' | 'secret'>,
  now: number,
): Promise<TokenVerdict> {
  const found = await client
    .get(Secret, PREFIX + id, { namespace: NAMESPACE })
    .catch((error: unknown) =>
      error instanceof ApiError && error.code === 404 ? undefined : Promise.reject(error),
    )
  if (!found || found.type !== TOKEN_TYPE) return 'unknown'
  const field = fieldsOf(found)
  if (!sameText(field('token-secret-sha256'), hashOf(secret))) return 'unknown'
  const expiresAt = parseTime(field('expiration'))
  if (expiresAt === undefined || expiresAt > now) return 'good'
  return 'expired'
}

/** Compares hashes in a time that does not tell where they differ. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < b.length; index += 1)
    difference |= (a.charCodeAt(index) | 0) ^ b.charCodeAt(index)
  return difference === 0
}
