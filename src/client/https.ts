// The client that talks to an API server over HTTPS, ours or any other Kubernetes. Same interface as the one
// in process. It makes each request once: reconnecting and trying again belong to the informer and the loop.
import { ApiError, refuse } from '../base/errors.ts'
import { parseJson, printJson } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { HttpClientResponse, Net } from '../host/host.ts'
import { type AnyKind, apiVersionOf, type Kind, type KindOf } from '../kinds/kind.ts'
import type {
  Client,
  DeleteOptions,
  ListAnswer,
  ListOptions,
  PatchOptions,
  TypedWatchEvent,
  WatchOptions,
} from './client.ts'
import { deleteBody, listAnswerOf, refusalOf, writeCallOptions } from './wire.ts'

export interface HttpsOptions {
  readonly net: Net
  /** For instance `https://10.0.0.1:6443`, without a slash at the end. */
  readonly server: string
  readonly fieldManager: string
  readonly caPem?: string
  readonly certificatePem?: string
  readonly keyPem?: string
  /** Asked at every request, so that a renewed token is taken up. */
  readonly token?: () => string
}

/** No byte for this long ends a plain request: longer than the slowest honest answer. */
const ANSWER_IDLE_MS = 60_000
/** Bookmarks come about every minute, so a watch that is silent for longer has lost its connection. */
const WATCH_IDLE_MS = 150_000
/** Largest answer that is read whole: a list of 150,000 small objects. Bytes. */
const ANSWER_MAX_BYTES = 256 * 1024 * 1024
/** Largest line in a watch stream: an object may have 3 MiB, with room for escapes. Characters. */
const WATCH_LINE_MAX = 16 * 1024 * 1024

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

interface Request {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  readonly signal?: AbortSignal | undefined
}

export function createHttpsClient(options: HttpsOptions): Client {
  const send = (request: Request) => sendRequest(options, request, ANSWER_IDLE_MS)
  const ask = async (request: Request): Promise<KubeObject> => readAnswer(await send(request))

  return {
    async get(kind, name, where) {
      const path = pathOf(kind, where?.namespace, name)
      return (await ask({ method: 'GET', path, signal: where?.signal })) as KindOf<typeof kind>
    },
    async list<K extends Kind>(kind: K, list: ListOptions = {}): Promise<ListAnswer<KindOf<K>>> {
      const answer = await ask({
        method: 'GET',
        path: pathOf(kind, list.namespace),
        query: {
          labelSelector: list.labelSelector,
          fieldSelector: list.fieldSelector,
          limit: list.limit,
          continue: list.continueToken,
          resourceVersion: list.resourceVersion,
        },
        signal: list.signal,
      })
      const typed = listAnswerOf<KindOf<K>>(answer)
      return { ...typed, items: typed.items.map((item) => withType(kind, item)) }
    },
    watch<K extends Kind>(kind: K, watch: WatchOptions = {}) {
      return watchLines<KindOf<K>>(options, kind, watch)
    },
    async create(kind, object, write) {
      return (await ask({
        method: 'POST',
        path: pathOf(kind, write?.namespace ?? object.metadata.namespace, undefined, write?.subresource),
        query: queryOf(write, options.fieldManager),
        body: object,
        signal: write?.signal,
      })) as KindOf<typeof kind>
    },
    async post(kind, name, subresource, object, where) {
      return ask({
        method: 'POST',
        path: pathOf(kind, where?.namespace, name, subresource),
        query: { fieldManager: options.fieldManager },
        body: object,
        signal: where?.signal,
      })
    },
    async update(kind, object, write) {
      const namespace = write?.namespace ?? object.metadata.namespace
      return (await ask({
        method: 'PUT',
        path: pathOf(kind, namespace, object.metadata.name ?? '', write?.subresource),
        query: queryOf(write, options.fieldManager),
        body: object,
        signal: write?.signal,
      })) as KindOf<typeof kind>
    },
    async patch(kind, name, patch, write) {
      return (await ask({
        method: 'PATCH',
        path: pathOf(kind, write?.namespace, name, write?.subresource),
        query: queryOf(write, options.fieldManager),
        body: patch,
        contentType: PATCH_TYPES[write?.type ?? 'merge'],
        signal: write?.signal,
      })) as KindOf<typeof kind>
    },
    async delete(kind, name, write: DeleteOptions = {}) {
      const path = pathOf(kind, write.namespace, name)
      await ask({ method: 'DELETE', path, body: deleteBody(write), signal: write.signal })
    },
  }
}

/** `/api/v1/namespaces/NS/pods/NAME/status` and its like; each part is escaped. */
export function pathOf(
  kind: AnyKind,
  namespace: string | undefined,
  name?: string,
  subresource?: string,
): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const place = namespace === undefined || kind.scope === 'Cluster' ? '' : `/namespaces/${escaped(namespace)}`
  const object = name === undefined ? '' : `/${escaped(name)}`
  return `${root}${place}/${kind.plural}${object}${subresource === undefined ? '' : `/${subresource}`}`
}

const escaped = encodeURIComponent

function queryOf(write: PatchOptions | undefined, fieldManager: string): NonNullable<Request['query']> {
  const { dryRun, ...rest } = writeCallOptions(write, fieldManager)
  return { ...(rest as Record<string, string | boolean>), dryRun: dryRun ? 'All' : undefined }
}

function withType<T>(kind: AnyKind, item: T): T {
  const object = item as unknown as KubeObject
  if (object.apiVersion !== undefined && object.kind !== undefined) return item
  return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind } as unknown as T
}

async function sendRequest(
  options: HttpsOptions,
  request: Request,
  idleTimeoutMs: number,
): Promise<HttpClientResponse> {
  const query = Object.entries(request.query ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${escaped(key)}=${escaped(String(value))}`)
    .join('&')
  const body = request.body === undefined ? undefined : new TextEncoder().encode(printJson(request.body))
  const answer = await options.net.request({
    method: request.method,
    url: `${options.server}${request.path}${query === '' ? '' : `?${query}`}`,
    headers: {
      accept: 'application/json',
      // The length is told, because a DELETE with a body is otherwise sent without any sign of it.
      ...(body === undefined
        ? {}
        : {
            'content-type': request.contentType ?? 'application/json',
            'content-length': String(body.length),
          }),
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token()}` }),
    },
    ...(body === undefined ? {} : { body }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    idleTimeoutMs,
    ...(options.caPem === undefined ? {} : { caPem: options.caPem }),
    ...(options.certificatePem === undefined ? {} : { certificatePem: options.certificatePem }),
    ...(options.keyPem === undefined ? {} : { keyPem: options.keyPem }),
  })
  if (!answer.ok) throw refuse.unavailable(`${options.server}: ${answer.failure.message}`)
  return answer.value
}

async function readAnswer(response: HttpClientResponse): Promise<KubeObject> {
  const text = await readText(response)
  let body: unknown
  try {
    body = text === '' ? undefined : parseJson(text)
  } catch {
    throw new ApiError(502, 'Unknown', `the server answered ${response.status} with a body that is not JSON`)
  }
  if (response.status >= 400) throw refusalOf(response.status, body)
  return body as KubeObject
}

async function readText(response: HttpClientResponse): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  try {
    for await (const chunk of response.body) {
      size += chunk.length
      if (size > ANSWER_MAX_BYTES)
        throw refuse.unavailable(`an answer of more than ${ANSWER_MAX_BYTES} bytes`)
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (error) {
    throw asLost(error)
  }
  return text + decoder.decode()
}

/** A body that breaks off is a lost connection for the caller, whatever the port says about it. */
function asLost(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return refuse.unavailable(
    `the connection was lost: ${error instanceof Error ? error.message : String(error)}`,
  )
}

async function* watchLines<T>(
  options: HttpsOptions,
  kind: AnyKind,
  watch: WatchOptions,
): AsyncGenerator<TypedWatchEvent<T>> {
  const response = await sendRequest(
    options,
    {
      method: 'GET',
      path: pathOf(kind, watch.namespace),
      query: {
        watch: true,
        labelSelector: watch.labelSelector,
        fieldSelector: watch.fieldSelector,
        resourceVersion: watch.resourceVersion,
        allowWatchBookmarks: watch.allowWatchBookmarks,
        sendInitialEvents: watch.sendInitialEvents,
        resourceVersionMatch: watch.sendInitialEvents ? 'NotOlderThan' : undefined,
      },
      signal: watch.signal,
    },
    WATCH_IDLE_MS,
  )
  if (response.status !== 200) await readAnswer(response)
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > WATCH_LINE_MAX) throw refuse.unavailable('a watch event of more than 16 MiB')
      for (const line of lines) {
        if (line !== '') yield parseJson(line) as unknown as TypedWatchEvent<T>
      }
    }
  } catch (error) {
    if (watch.signal?.aborted) return
    throw asLost(error)
  }
}
