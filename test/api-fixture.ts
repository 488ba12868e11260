// An API server for tests: real pipeline, real clock, memory store unless another is given.
import { generateKeyPairSync } from 'node:crypto'
import { type Api, createApi } from '../src/api/create-api.ts'
import type { ApiDeps } from '../src/api/deps.ts'
import type { ApiCall, CallOptions, PatchType, UserInfo, Verb } from '../src/base/call.ts'
import { type JsonObject, printJson } from '../src/base/json.ts'
import type { KubeObject } from '../src/base/object.ts'
import type { HttpResponse } from '../src/host/host.ts'
import { realHost } from '../src/host/real/index.ts'
import { allKinds } from '../src/kinds/index.ts'
import { memoryStore } from '../src/store/memory.ts'

export const ADMIN: UserInfo = { username: 'admin', groups: ['system:masters', 'system:authenticated'] }
export const ADMIN_TOKEN = 'test-admin-token'

export interface Fixture {
  readonly api: Api
  readonly deps: ApiDeps
  call(verb: Verb, path: string, more?: CallExtra): Promise<JsonObject>
  /** Creates an object at the place that its kind, namespace and name say. */
  create(object: JsonObject, options?: CallOptions, user?: UserInfo): Promise<KubeObject>
  close(): Promise<void>
}

export interface CallExtra {
  readonly body?: JsonObject | readonly unknown[]
  readonly options?: CallOptions
  readonly patchType?: PatchType
  readonly user?: UserInfo
}

export async function startApi(more: Partial<ApiDeps> = {}): Promise<Fixture> {
  const host = realHost({ log: { level: 'error' } as never })
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const store = more.store ?? memoryStore()
  const deps: ApiDeps = {
    store,
    host,
    certificates: { read: () => undefined, isTrusted: () => false },
    kinds: allKinds,
    identity: {
      clientCaPem: '',
      servingCaPem: 'ca',
      tokenKeys: [{ publicPem: publicKey, privatePem: privateKey }],
      issuer: 'https://kubernetes.default.svc',
      staticTokens: [{ token: ADMIN_TOKEN, username: 'admin', groups: ['system:masters'] }],
    },
    advertised: { addresses: ['127.0.0.1'], port: 6443, serviceIp: '10.53.0.1' },
    croftVersion: 'test',
    ...more,
  }
  const api = await createApi(deps)
  const call: Fixture['call'] = async (verb, path, extra = {}) =>
    (await api.call(callAt(verb, path, extra))).object as JsonObject
  return {
    api,
    deps,
    call,
    create: async (object, options, user) => {
      const { apiVersion, kind, metadata } = object as unknown as KubeObject
      const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
      const known = deps.kinds.find((k) => k.group === group && k.version === version && k.kind === kind)
      if (!known) throw new Error(`no kind ${apiVersion} ${kind}`)
      const place =
        known.scope === 'Namespaced' ? `${metadata.namespace ?? 'default'}/${known.plural}` : known.plural
      const at = `${apiVersion}/${known.scope === 'Namespaced' ? 'namespaces/' : ''}${place}`
      return (await call('create', at, {
        body: object,
        ...(options ? { options } : {}),
        ...(user ? { user } : {}),
      })) as unknown as KubeObject
    },
    close: async () => {
      api.close()
      await store.close()
    },
  }
}

/** `v1/namespaces/default/configmaps/x`, `kubevirt.io/v1/namespaces/a/virtualmachines/b/status`, `v1/nodes`. */
export function callAt(verb: Verb, path: string, extra: CallExtra = {}): ApiCall {
  const parts = path.split('/')
  const group = /^v\d/.test(parts[0] ?? '') ? '' : (parts.shift() ?? '')
  const version = parts.shift() ?? ''
  const nested = parts[0] === 'namespaces' && parts.length > 2
  const namespace = nested ? parts[1] : undefined
  const [resource = '', name, subresource] = nested ? parts.slice(2) : parts
  return {
    verb,
    group,
    version,
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    options: extra.options ?? {},
    user: extra.user ?? ADMIN,
    ...(extra.body === undefined ? {} : { body: extra.body as JsonObject }),
    ...(extra.patchType === undefined ? {} : { patchType: extra.patchType }),
  }
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly text: string
  /** The parsed body; an empty object where it is no JSON. */
  readonly json: JsonObject
}

/** Asks the HTTP handler without a socket. The administrator asks unless headers say otherwise. */
export async function ask(
  { api }: Pick<Fixture, 'api'>,
  method: string,
  url: string,
  more: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<HttpAnswer> {
  const text = typeof more.body === 'string' ? more.body : printJson(more.body)
  const bytes = more.body === undefined ? [] : [new TextEncoder().encode(text)]
  const answer = await api.handler.handle({
    method,
    url,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, ...more.headers },
    peer: { address: '127.0.0.1', port: 1 },
    body: (async function* () {
      yield* bytes
    })(),
    signal: new AbortController().signal,
  })
  return { status: answer.status, headers: answer.headers, ...(await readBody(answer.body)) }
}

async function readBody(body: HttpResponse['body']): Promise<{ text: string; json: JsonObject }> {
  let text = ''
  if (typeof body === 'string') text = body
  else if (body instanceof Uint8Array) text = new TextDecoder().decode(body)
  else if (body)
    for await (const piece of body)
      text += typeof piece === 'string' ? piece : new TextDecoder().decode(piece)
  try {
    return { text, json: JSON.parse(text) as JsonObject }
  } catch {
    return { text, json: {} }
  }
}
