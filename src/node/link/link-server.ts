// The answering end of the link: HTTPS on the node's own address. Only the cluster's nodes and servers may call, each
// known by its certificate; streams, actions and uploads are for servers alone, who have asked whether the user may.
import type { AgentDial, AgentTarget, AgentUploads } from '../../base/agent-port.ts'
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { CertificateFacts, Certificates } from '../../host/certificates.ts'
import type {
  Host,
  HttpHandler,
  HttpRequest,
  HttpResponse,
  Listener,
  UpgradeAnswer,
} from '../../host/host.ts'
import type { LinkAnswer } from './agent-link.ts'
import { join } from './socket-stream.ts'
import {
  CALL_PATH,
  IMAGE_PATH,
  type LinkTls,
  METHOD,
  printResult,
  readBody,
  SHA512_HEADER,
  STREAM_PROTOCOL,
  UPLOAD_PATH,
} from './wire.ts'

/** Who asks; the same shape that cluster/ reads from certificates. */
export type LinkCaller = { readonly is: 'node'; readonly name: string } | { readonly is: 'server' }

/** What servers may ask of this node; absent until the agent is up. */
export interface ServerFacing {
  readonly dial: AgentDial
  readonly uploads: AgentUploads
  act(action: string, body: JsonObject): Promise<Result<JsonObject>>
}

export interface LinkServerOptions {
  readonly host: Pick<Host, 'net' | 'clock' | 'log'>
  readonly certificates: Certificates
  readonly nodeName: string
  readonly at: { readonly host: string; readonly port: number }
  readonly tls: LinkTls
  readonly callerOf: (facts: CertificateFacts) => LinkCaller | undefined
  readonly answers: ReadonlyMap<string, LinkAnswer>
  readonly serverFacing: () => ServerFacing | undefined
  /** Absent until the agent is up. */
  readonly sendImage: () => SendImage | undefined
}

/** A finished image of this node, for another that wants it. */
export type SendImage = (
  image: { readonly name: string; readonly uid: string },
  signal: AbortSignal,
) => Promise<
  Result<{ readonly sizeBytes: number; readonly sha512: string; readonly body: AsyncIterable<Uint8Array> }>
>

/** Prefix of the methods that act on machines. */
export const ACTION_PREFIX = 'machine.'

export async function serveLink(options: LinkServerOptions): Promise<Result<Listener>> {
  const { host, at, tls } = options
  return host.net.listenHttp(at, handlerOf(options), tlsMaterial(tls))
}

export function tlsMaterial({ caPem, certificatePem, keyPem }: LinkTls) {
  return { certificatePem, keyPem, clientCaPem: caPem }
}

function handlerOf(options: LinkServerOptions): HttpHandler {
  return {
    async handle(request) {
      const caller = identify(options, request)
      if (!caller) return refusal(401, noCaller())
      const path = request.url.split('?')[0] ?? ''
      if (request.method === 'GET' && path === '/healthz') return { status: 200, headers: {}, body: 'ok\n' }
      if (request.method === 'GET' && path === IMAGE_PATH) return answerImage(options, request)
      if (request.method !== 'POST') return refusal(404, noSuch(path))
      if (path.startsWith(CALL_PATH))
        return answerCall(options, caller, request, path.slice(CALL_PATH.length))
      if (path === UPLOAD_PATH) return answerUpload(options, caller, request)
      return refusal(404, noSuch(path))
    },
    async upgrade(request, protocols) {
      const caller = identify(options, request)
      if (!caller) return { refuse: refusal(401, noCaller()) }
      if (caller.is !== 'server') return { refuse: refusal(403, serversOnly()) }
      if (!protocols.includes(STREAM_PROTOCOL))
        return { refuse: refusal(400, noSuch('a stream of that protocol')) }
      return openStream(options, request)
    },
  }
}

function identify(
  { certificates, tls, callerOf, host }: LinkServerOptions,
  { peer }: HttpRequest,
): LinkCaller | undefined {
  const { certificate } = peer
  if (!certificate || !certificates.isTrusted(certificate, tls.caPem, host.clock.now())) return undefined
  const facts = certificates.read(certificate)
  return facts && callerOf(facts)
}

function refusal(status: number, failure: Failure): HttpResponse {
  return json(status, failed(failure))
}

function json(status: number, result: Result<JsonObject>): HttpResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: printResult(result) }
}

function noCaller(): Failure {
  return {
    reason: 'Unauthorized',
    message:
      'only nodes and servers of this cluster may call, with a certificate of its CA that is valid now',
    retry: 'never',
  }
}

function serversOnly(): Failure {
  return { reason: 'Forbidden', message: 'only servers of this cluster may ask for that', retry: 'never' }
}

function noSuch(what: string): Failure {
  return { reason: 'NoSuchMethod', message: `this agent does not serve ${what}`, retry: 'never' }
}

// --- calls ---

async function answerCall(
  options: LinkServerOptions,
  caller: LinkCaller,
  request: HttpRequest,
  method: string,
): Promise<HttpResponse> {
  if (!METHOD.test(method)) return refusal(404, noSuch(method.slice(0, 64)))
  const text = await readBody(request.body)
  if (!text.ok) return refusal(413, text.failure)
  let body: unknown
  try {
    body = parseJson(text.value)
  } catch {
    body = undefined
  }
  if (!isObject(body))
    return refusal(400, { reason: 'InvalidQuestion', message: 'the body is no JSON object', retry: 'never' })
  return json(200, await resultOf(options, { caller, method, body, signal: request.signal }))
}

interface Asked {
  readonly caller: LinkCaller
  readonly method: string
  readonly body: JsonObject
  readonly signal: AbortSignal
}

async function resultOf(
  options: LinkServerOptions,
  { caller, method, body, signal }: Asked,
): Promise<Result<JsonObject>> {
  try {
    if (method.startsWith(ACTION_PREFIX)) {
      if (caller.is !== 'server') return failed(serversOnly())
      const facing = options.serverFacing()
      return facing ? await facing.act(method.slice(ACTION_PREFIX.length), body) : failed(starting(options))
    }
    const answer = options.answers.get(method)
    if (!answer) return failed(noSuch(method))
    return await answer(body, caller.is === 'node' ? caller.name : '', signal)
  } catch (error) {
    options.host.log.error('a call of another agent was not answered', { method, error })
    return failed({
      reason: 'Failed',
      message: `node ${options.nodeName}: ${error instanceof Error ? error.message : String(error)}`,
      retry: 'later',
    })
  }
}

function starting({ nodeName }: LinkServerOptions): Failure {
  return {
    reason: 'NodeUnknown',
    message: `the agent of ${nodeName} is still starting; try again`,
    retry: 'later',
  }
}

// --- streams and uploads ---

async function openStream(options: LinkServerOptions, { url, signal }: HttpRequest): Promise<UpgradeAnswer> {
  const facing = options.serverFacing()
  if (!facing) return { refuse: refusal(503, starting(options)) }
  const target = targetIn(url)
  if (!target) return { refuse: refusal(400, noSuch('a stream without a target')) }
  const opened = await facing.dial.open(options.nodeName, target)
  if (!opened.ok) return { refuse: refusal(409, opened.failure) }
  const stream = opened.value
  signal.addEventListener('abort', () => stream.close(), { once: true })
  if (signal.aborted) stream.close()
  return { protocol: STREAM_PROTOCOL, talk: (socket) => join(socket, stream) }
}

const TYPES = new Set<unknown>(['serial', 'vnc', 'agent-log', 'port'])

function targetIn(url: string): AgentTarget | undefined {
  try {
    const value: unknown = parseJson(new URLSearchParams(url.split('?')[1] ?? '').get('target') ?? '')
    return isObject(value) && TYPES.has(value['type']) && typeof value['uid'] === 'string'
      ? (value as unknown as AgentTarget)
      : undefined
  } catch {
    return undefined
  }
}

async function answerUpload(
  options: LinkServerOptions,
  caller: LinkCaller,
  request: HttpRequest,
): Promise<HttpResponse> {
  if (caller.is !== 'server') return refusal(403, serversOnly())
  const facing = options.serverFacing()
  if (!facing) return refusal(503, starting(options))
  const query = new URLSearchParams(request.url.split('?')[1] ?? '')
  const size = query.get('sizeBytes')
  const received = await facing.uploads.receive({
    nodeName: options.nodeName,
    backingImage: query.get('backingImage') ?? '',
    ...(size === null ? {} : { sizeBytes: Number(size) }),
    body: request.body,
  })
  return json(200, received.ok ? ok({}) : received)
}

/** Images are the same for all nodes, so every node may have them. */
async function answerImage(options: LinkServerOptions, { url, signal }: HttpRequest): Promise<HttpResponse> {
  const send = options.sendImage()
  if (!send) return refusal(503, starting(options))
  const query = new URLSearchParams(url.split('?')[1] ?? '')
  const sent = await send({ name: query.get('name') ?? '', uid: query.get('uid') ?? '' }, signal)
  if (!sent.ok) return refusal(409, sent.failure)
  const { sizeBytes, sha512, body } = sent.value
  return {
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(sizeBytes),
      [SHA512_HEADER]: sha512,
    },
    body,
  }
}
