// What Secrets and ConfigMaps must be.

import { deepEqual } from '../../base/equality.ts'
import { type Cause, cause } from '../../base/errors.ts'
import { checkConfigMapKey } from '../../base/names.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Rule } from '../kind.ts'
import { checkImmutable, checkText } from '../rule-checks.ts'
import type { configMapBody } from './data-bodies.ts'
import type { SecretObject } from './secret-defaults.ts'

type ConfigMapObject = KubeObject & Infer<typeof configMapBody>

/** Most bytes of all values together; Kubernetes' own limit. */
const DATA_MAX_BYTES = 1024 * 1024

/** Keys that a type of secret must have; of a group of keys one is enough. */
const NEEDED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'kubernetes.io/tls': [['tls.crt'], ['tls.key']],
  'kubernetes.io/dockercfg': [['.dockercfg']],
  'kubernetes.io/dockerconfigjson': [['.dockerconfigjson']],
  'kubernetes.io/ssh-auth': [['ssh-privatekey']],
}
const ACCOUNT_TYPE = 'kubernetes.io/service-account-token'
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name'

function checkKeys(field: string, keys: readonly string[]): readonly Cause[] {
  return keys.flatMap((key) => checkText(`${field}[${key}]`, key, checkConfigMapKey))
}

export const checkSecret: Rule = (next, previous) => {
  if (!next) return {}
  const secret = next as SecretObject
  const data = secret.data ?? {}
  const causes = [...checkKeys('data', Object.keys(data)), ...checkType(secret)]
  const sizeBytes = Object.values(data).reduce((sum, value) => sum + decodedBytes(value), 0)
  if (sizeBytes > DATA_MAX_BYTES) causes.push(cause.tooLong('data', DATA_MAX_BYTES))
  const before = previous as SecretObject | undefined
  if (before) {
    causes.push(...checkImmutable('type', secret.type, before.type))
    causes.push(...checkFrozen(secret, before, ['data']))
  }
  return { causes }
}

function decodedBytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

function checkType(secret: SecretObject): readonly Cause[] {
  const { type = '', data = {} } = secret
  if (type === ACCOUNT_TYPE && !secret.metadata.annotations?.[ACCOUNT_ANNOTATION]) {
    return [cause.required(`metadata.annotations[${ACCOUNT_ANNOTATION}]`)]
  }
  if (
    type === 'kubernetes.io/basic-auth' &&
    data['username'] === undefined &&
    data['password'] === undefined
  ) {
    return [cause.required('data[username]'), cause.required('data[password]')]
  }
  const missing = (NEEDED[type] ?? []).flat().filter((key) => data[key] === undefined)
  const causes = missing.map((key) => cause.required(`data[${key}]`))
  const json =
    type === 'kubernetes.io/dockerconfigjson'
      ? '.dockerconfigjson'
      : type === 'kubernetes.io/dockercfg'
        ? '.dockercfg'
        : undefined
  const text = json === undefined ? undefined : data[json]
  if (json !== undefined && text !== undefined && !isJson(text)) {
    causes.push(
      cause.invalid(`data[${json}]`, '<secret contents redacted>', 'invalid character in JSON text'),
    )
  }
  return causes
}

function isJson(base64: string): boolean {
  try {
    JSON.parse(atob(base64))
    return true
  } catch {
    return false
  }
}

/** Once `immutable` is true it stays so, and so does the data. */
function checkFrozen<T extends { readonly immutable?: boolean }>(
  next: T,
  before: T,
  fields: readonly (keyof T & string)[],
): readonly Cause[] {
  if (before.immutable !== true) return []
  const why = 'field is immutable when `immutable` is set'
  return [
    ...(next.immutable === true ? [] : [cause.forbidden('immutable', why)]),
    ...fields
      .filter((field) => !deepEqual(next[field] ?? {}, before[field] ?? {}))
      .map((field) => cause.forbidden(field, why)),
  ]
}

export const checkConfigMap: Rule = (next, previous) => {
  if (!next) return {}
  const map = next as ConfigMapObject
  const { data = {}, binaryData = {} } = map
  const causes = [
    ...checkKeys('data', Object.keys(data)),
    ...checkKeys('binaryData', Object.keys(binaryData)),
  ]
  for (const key of Object.keys(binaryData)) {
    if (data[key] !== undefined) {
      causes.push(cause.invalid(`data[${key}]`, '', 'duplicate of key present in binaryData'))
    }
  }
  const sizeBytes =
    Object.values(data).reduce((sum, text) => sum + text.length, 0) +
    Object.values(binaryData).reduce((sum, text) => sum + decodedBytes(text), 0)
  if (sizeBytes > DATA_MAX_BYTES) causes.push(cause.tooLong('', DATA_MAX_BYTES))
  const before = previous as ConfigMapObject | undefined
  if (before) causes.push(...checkFrozen(map, before, ['data', 'binaryData']))
  return { causes }
}
