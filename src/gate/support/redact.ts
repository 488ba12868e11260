// What of an object may leave the house in a support bundle: everything but what opens doors or is somebody's own data.
// Values are replaced by how long they were, so that "empty" and "there" can still be told apart.
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'

/** Fields whose text is a key, or a guest's own set-up, which often holds one. */
const HIDDEN_FIELDS =
  /^(userData|userDataBase64|networkData|networkDataBase64|stringData|binaryData|password|passwd|token|secretAccessKey|accessKeyId|privateKey|bearerToken|client-key-data)$/i
/** Settings whose whole value is hidden. */
const HIDDEN_SETTINGS = new Set([
  'backup-target',
  'ssl-certificates',
  'http-proxy',
  'cluster-registration-url',
])
/** Copies of the whole object as somebody once wrote it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Of the kinds that hold texts for guests only the keys are told. */
function isDataHolder(kind: string): boolean {
  return kind === 'ConfigMap' || kind === 'Secret'
}

/** `kind` is the object's own, which objects of a list do not carry. */
export function redactObject(kind: string, object: KubeObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata
  const annotations = metadata.annotations && {
    annotations: Object.fromEntries(
      Object.entries(metadata.annotations).filter(([name]) => name !== LAST_APPLIED),
    ),
  }
  const { data, value, ...rest } = object
  const plain = redact({
    ...rest,
    metadata: { ...metadata, ...annotations },
  } as unknown as Json) as JsonObject
  const isHiddenSetting = kind === 'Setting' && HIDDEN_SETTINGS.has(metadata.name ?? '')
  return {
    ...plain,
    ...(data === undefined
      ? {}
      : { data: isDataHolder(kind) ? hideAll(data as Json) : redact(data as Json) }),
    ...(value === undefined ? {} : { value: isHiddenSetting ? hide(value as Json) : redact(value as Json) }),
  }
}

function redact(value: Json): Json {
  if (Array.isArray(value)) return value.map(redact)
  if (typeof value === 'string') return withoutLogins(value)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined ? [] : [[name, HIDDEN_FIELDS.test(name) ? hideAll(inner) : redact(inner)]],
    ),
  )
}

/** `https://user:password@host` becomes `https://***@host`. */
function withoutLogins(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1***@')
}

function hideAll(value: Json): Json {
  if (!isObject(value)) return hide(value)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === undefined ? [] : [[name, hide(inner)]])),
  )
}

function hide(value: Json): Json {
  if (value === '' || value === null) return value
  const length = typeof value === 'string' ? value.length : JSON.stringify(value).length
  return `*** (${length} characters left out)`
}
