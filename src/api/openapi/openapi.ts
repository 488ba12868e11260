// OpenAPI documents: made when first asked for, kept compressed, forgotten when the kinds they describe change.
// URLs carry a hash, so that clients keep documents on disk and ask no more.
import { refuse } from '../../base/errors.ts'
import { sha256Hex } from '../../base/sha256.ts'
import type { HttpRequest, HttpResponse } from '../../host/host.ts'
import { openApiPath, openApiV2Text, openApiV3Index, openApiV3Text } from '../../kinds/openapi.ts'
import type { Core } from '../core.ts'
import type { RequestInfo } from '../gate-port.ts'
import { answerJson, answerText, jsonHeaders } from '../http/answer.ts'
import { parseAccept } from '../http/negotiate.ts'
import type { Served } from '../served.ts'
import { gunzip, gzip } from './gzip.ts'
import { openApiV2Protobuf, V2_PROTOBUF, V2_PROTOBUF_OLD } from './v2-protobuf.ts'

interface Kept {
  readonly hash: string
  readonly compressed: Uint8Array
}

const YEAR_SECONDS = 365 * 24 * 3600
const V2 = 'v2'

export class OpenApiDocuments {
  readonly #core: Pick<Core, 'served' | 'deps'>
  readonly #kept = new Map<string, Promise<Kept>>()
  #generation = 0
  #hashes: ReadonlyMap<string, string> = new Map()
  #byPath: ReadonlyMap<string, readonly Served[]> = new Map()

  constructor(core: Pick<Core, 'served' | 'deps'>) {
    this.#core = core
  }

  /** Hash of each group version's document, by path. */
  hashes(): ReadonlyMap<string, string> {
    this.#refresh()
    return this.#hashes
  }

  v3(path: string): Promise<Kept> | undefined {
    this.#refresh()
    const kinds = this.#byPath.get(path)
    if (!kinds) return undefined
    return this.#document(path, this.#hashes.get(path) ?? '', () =>
      openApiV3Text(
        kinds.map(({ kind }) => kind),
        this.#core.deps.croftVersion,
      ),
    )
  }

  v2(): Promise<Kept> {
    this.#refresh()
    const hash = sha256Hex([...this.#hashes.values()].join(' '))
    return this.#document(V2, hash, () =>
      openApiV2Text(
        this.#core.served.all().map(({ kind }) => kind),
        this.#core.deps.croftVersion,
      ),
    )
  }

  async #document(path: string, hash: string, make: () => string): Promise<Kept> {
    const known = await this.#kept.get(path)
    if (known?.hash === hash) return known
    const kept = gzip(new TextEncoder().encode(make())).then((compressed) => ({ hash, compressed }))
    this.#kept.set(path, kept)
    return kept
  }

  #refresh(): void {
    const { served, deps } = this.#core
    if (this.#generation === served.generation) return
    this.#generation = served.generation
    const byPath = new Map<string, Served[]>()
    for (const one of served.all()) {
      const path = openApiPath(one.kind.group, one.kind.version)
      const known = byPath.get(path)
      if (known) known.push(one)
      else byPath.set(path, [one])
    }
    this.#byPath = byPath
    this.#hashes = new Map(
      [...byPath].map(([path, kinds]) => {
        // Built-in kinds change with the program, those of definitions with the definition.
        const parts = kinds.map(({ kind, stamp }) => `${kind.plural} ${stamp ?? ''}`)
        return [path, sha256Hex([deps.croftVersion, path, ...parts].join('\n')).toUpperCase()]
      }),
    )
  }
}

export async function answerOpenApi(
  core: Core,
  request: HttpRequest,
  info: RequestInfo,
): Promise<HttpResponse> {
  const [, , version = '', ...rest] = info.path.split('/')
  const path = rest.join('/')
  if (version === V2 && path === '') return answerV2(core, request)
  if (version !== 'v3') return answerText(404, '404 page not found\n')
  if (path === '') return answerJson(200, openApiV3Index(core.openApi.hashes()))
  const document = core.openApi.v3(path)
  const hash = core.openApi.hashes().get(path)
  if (!document || hash === undefined) return answerText(404, '404 page not found\n')
  const asked = info.query.get('hash')
  if (asked !== null && asked !== hash)
    return { status: 301, headers: { location: `/openapi/v3/${path}?hash=${hash}` } }
  return answerKept(request, await document, asked !== null)
}

async function answerV2(core: Core, request: HttpRequest): Promise<HttpResponse> {
  const accept = request.headers['accept']
  const ranges = accept === undefined || accept === '' ? [] : parseAccept(accept)
  for (const { type } of ranges) {
    if (type === V2_PROTOBUF || type === V2_PROTOBUF_OLD) return answerV2Protobuf(core)
    if (type === '*/*' || type === 'application/*' || type === 'application/json')
      return answerKept(request, await core.openApi.v2(), false)
  }
  if (ranges.length > 0) throw refuse.notAcceptable(['application/json', V2_PROTOBUF])
  return answerKept(request, await core.openApi.v2(), false)
}

function answerV2Protobuf(core: Core): HttpResponse {
  const kinds = core.served.all().map(({ kind }) => kind)
  return {
    status: 200,
    // The dotted spelling is the one that Go's parser of media types takes.
    headers: { ...jsonHeaders(), 'content-type': V2_PROTOBUF_OLD, vary: 'Accept' },
    body: openApiV2Protobuf(kinds, core.deps.croftVersion),
  }
}

async function answerKept(request: HttpRequest, kept: Kept, forEver: boolean): Promise<HttpResponse> {
  const headers: Record<string, string> = {
    ...jsonHeaders(),
    etag: `"${kept.hash}"`,
    vary: 'Accept',
    ...(forEver ? { 'cache-control': `public, immutable, max-age=${YEAR_SECONDS}` } : {}),
  }
  if (request.headers['if-none-match'] === headers['etag']) return { status: 304, headers }
  const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  return zipped
    ? { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: kept.compressed }
    : { status: 200, headers, body: await gunzip(kept.compressed) }
}
