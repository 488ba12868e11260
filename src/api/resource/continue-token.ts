// The opaque token by which a paged list goes on: the snapshot's revision and the last key given.
import { refuse } from '../../base/errors.ts'
import { parseJson } from '../../base/json.ts'
import { fromBase64Url, toBase64Url } from '../base64.ts'

export interface ContinueToken {
  readonly revision: number
  /** Store key after the resource's prefix. */
  readonly after: string
}

export function writeContinueToken({ revision, after }: ContinueToken): string {
  const text = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `/${after}\u0000` })
  return toBase64Url(new TextEncoder().encode(text))
}

export function readContinueToken(token: string): ContinueToken {
  const bad = (why: string) => refuse.badRequest(`invalid continue token: continue key is not valid: ${why}`)
  let parsed: unknown
  try {
    parsed = parseJson(new TextDecoder().decode(fromBase64Url(token)))
  } catch {
    throw bad('it is not what this server gave out')
  }
  const { v, rv, start } = (parsed ?? {}) as { v?: unknown; rv?: unknown; start?: unknown }
  if (v !== 'meta.k8s.io/v1') throw bad('unrecognized encoded version')
  if (typeof rv !== 'number' || typeof start !== 'string') throw bad('revision or start key is missing')
  const key = start.endsWith('\u0000') ? start.slice(1, -1) : start.slice(1)
  if (!start.startsWith('/') || key.split('/').includes('..')) throw bad('start key is malformed')
  return { revision: rv, after: key }
}
