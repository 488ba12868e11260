// The built web interface: files of one folder, with headers that let a page load nothing but its own files and talk
// to nobody but this server. Paths that are no file get the page itself, which knows its own routes.
import { refuse } from '../../base/errors.ts'
import type { FileStat, Files, HttpRequest, HttpResponse } from '../../host/host.ts'
import { SAFE_HEADERS } from '../answers.ts'
import type { GateInfo } from '../ask.ts'

const PAGE = 'index.html'
/** Names with a hash of their content, as bundlers write them: they never change. */
const HASHED_NAME = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/
/** The largest file of an interface; what is larger is none. Bytes. */
const FILE_MAX_BYTES = 32 * 1024 * 1024

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
  txt: 'text/plain; charset=utf-8',
}

/** No inline code, no foreign code, no frames; pictures of screens are data and blobs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  ...SAFE_HEADERS,
  'content-security-policy': POLICY,
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

const ABSENT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Croft</title>
<h1>Croft</h1>
<p>The server runs; its web interface has not been built yet. Build it with <code>npm run build</code> in the folder of
croft and load this page again.</p>
<p>The Kubernetes API is served on this port.</p>
</html>
`

/** Other languages and older addresses lead here, too: `/`, `/ui`, `/ui/vms/default/x`, `/assets/app-1a2b3c4d.js`. */
export async function answerFile(
  files: Files,
  folder: string,
  request: HttpRequest,
  info: GateInfo,
): Promise<HttpResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw refuse.methodNotAllowed()
  const parts = partsOf(info.path)
  if (parts === undefined) throw refuse.noSuchResource()
  const wanted = parts.join('/')
  const found = wanted === '' ? undefined : await statOf(files, `${folder}/${wanted}`)
  if (found) return answerFound(files, request, { folder, name: wanted, stat: found })
  if (!wantsPage(request, parts)) throw refuse.noSuchResource()
  const page = await statOf(files, `${folder}/${PAGE}`)
  if (page) return answerFound(files, request, { folder, name: PAGE, stat: page })
  return { status: 200, headers: { ...PAGE_HEADERS, 'content-type': TYPES['html'] ?? '' }, body: ABSENT }
}

/** Undefined for a path that would leave the folder, or names a hidden file. */
function partsOf(path: string): readonly string[] | undefined {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.some((part) => part.startsWith('.') || /[\\\0]/.test(part))) return undefined
  return parts[0] === 'ui' || parts[0] === 'dashboard' ? parts.slice(1) : parts
}

async function statOf(files: Files, path: string): Promise<FileStat | undefined> {
  const stat = await files.stat(path)
  return stat.ok && stat.value.kind === 'file' && stat.value.sizeBytes <= FILE_MAX_BYTES
    ? stat.value
    : undefined
}

/** A missing script must be missing, or a browser runs the page as one. */
function wantsPage({ headers }: HttpRequest, parts: readonly string[]): boolean {
  const last = parts.at(-1) ?? ''
  const accept = headers['accept'] ?? ''
  return accept.includes('text/html') || (accept === '' && !last.includes('.')) || parts.length === 0
}

interface Found {
  readonly folder: string
  readonly name: string
  readonly stat: FileStat
}

async function answerFound(
  files: Files,
  request: HttpRequest,
  { folder, name, stat }: Found,
): Promise<HttpResponse> {
  const packed = await packedFor(files, request, `${folder}/${name}`)
  const etag = `"${stat.sizeBytes.toString(36)}-${Math.floor(stat.modifiedMs).toString(36)}${packed?.suffix ?? ''}"`
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const headers = {
    ...PAGE_HEADERS,
    'content-type': TYPES[extension] ?? 'application/octet-stream',
    'cache-control': HASHED_NAME.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
    vary: 'Accept-Encoding',
    ...(packed ? { 'content-encoding': packed.encoding } : {}),
  }
  if (request.headers['if-none-match'] === etag) return { status: 304, headers }
  if (request.method === 'HEAD') return { status: 200, headers }
  const content = await files.read(`${folder}/${name}${packed?.suffix ?? ''}`)
  if (!content.ok) throw refuse.unavailable(`the web interface cannot be read: ${content.failure.message}`)
  return { status: 200, headers, body: content.value }
}

interface Packed {
  readonly encoding: string
  readonly suffix: string
}

/** Files that were packed when the interface was built, lying beside the plain ones. */
async function packedFor(files: Files, { headers }: HttpRequest, path: string): Promise<Packed | undefined> {
  const accepted = headers['accept-encoding'] ?? ''
  for (const [encoding, suffix] of [
    ['br', '.br'],
    ['gzip', '.gz'],
  ] as const)
    if (new RegExp(`\\b${encoding}\\b`).test(accepted) && (await statOf(files, `${path}${suffix}`)))
      return { encoding, suffix }
  return undefined
}
