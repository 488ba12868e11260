// The asking end of the link: calls, streams and uploads to the agents of other nodes, over HTTPS with the asker's own
// certificate. Connections are kept and used again.
import type { AgentStream, AgentTarget, UploadRequest } from '../../base/agent-port.ts'
import type { JsonObject } from '../../base/json.ts'
import { printJson } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { Host } from '../../host/host.ts'
import { streamOf } from './socket-stream.ts'
import {
  CALL_PATH,
  failureIn,
  IMAGE_PATH,
  type LinkTls,
  readBody,
  readResult,
  SHA512_HEADER,
  STREAM_PATH,
  STREAM_PROTOCOL,
  UPLOAD_PATH,
} from './wire.ts'

/** A console opens in moments or not at all. Milliseconds. */
const OPEN_TIMEOUT_MS = 10_000
/** An image is checked whole at its end, which is silent. Milliseconds. */
const UPLOAD_SILENCE_MS = 10 * 60_000

export interface LinkAddress {
  readonly host: string
  readonly port: number
}

export interface LinkClientOptions {
  readonly host: Pick<Host, 'net' | 'clock'>
  /** Where the agent of a node is reached; undefined when that is not known. */
  readonly peer: (nodeName: string) => LinkAddress | undefined
  /** Asked at every use, so that a renewed certificate is taken up. */
  readonly tls: () => LinkTls
}

export interface LinkClient {
  call(
    nodeName: string,
    method: string,
    body: JsonObject,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Result<JsonObject>>
  open(nodeName: string, target: AgentTarget): Promise<Result<AgentStream>>
  upload(request: UploadRequest): Promise<Result<void>>
  /** A finished image of that node. */
  fetchImage(
    nodeName: string,
    image: { readonly name: string; readonly uid: string },
    signal: AbortSignal,
  ): Promise<Result<FetchedImage>>
}

export interface FetchedImage {
  readonly sizeBytes: number
  readonly sha512: string
  readonly body: AsyncIterable<Uint8Array>
}

export function linkClient(options: LinkClientOptions): LinkClient {
  return {
    call: (nodeName, method, body, timeoutMs, signal) =>
      withTime(options, timeoutMs, signal, (limit, timedOut) =>
        call(options, { nodeName, method, body, timeoutMs }, limit, timedOut),
      ),
    open: (nodeName, target) => open(options, nodeName, target),
    upload: (request) => upload(options, request),
    fetchImage: (nodeName, image, signal) => fetchImage(options, nodeName, image, signal),
  }
}

interface Limit {
  readonly signal: AbortSignal
}

async function withTime<T>(
  { host }: LinkClientOptions,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (limit: Limit, timedOut: () => boolean) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  let late = false
  const cancel = host.clock.after(timeoutMs, () => {
    late = true
    ending.abort()
  })
  const onAbort = (): void => ending.abort()
  if (signal?.aborted) ending.abort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await work({ signal: ending.signal }, () => late)
  } finally {
    cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

interface Question {
  readonly nodeName: string
  readonly method: string
  readonly body: JsonObject
  readonly timeoutMs: number
}

async function call(
  options: LinkClientOptions,
  { nodeName, method, body, timeoutMs }: Question,
  { signal }: Limit,
  timedOut: () => boolean,
): Promise<Result<JsonObject>> {
  const peer = options.peer(nodeName)
  if (!peer) return failed(unknown(nodeName))
  const brokeOff = (failure: Failure): Result<never> =>
    failed(connectionFailure(nodeName, failure, timedOut() ? timeoutMs : undefined, signal.aborted))
  const text = new TextEncoder().encode(printJson(body))
  const answer = await options.host.net.request({
    method: 'POST',
    url: `https://${hostText(peer)}${CALL_PATH}${method}`,
    headers: { 'content-type': 'application/json', 'content-length': String(text.length) },
    body: text,
    signal,
    idleTimeoutMs: timeoutMs + 1_000,
    ...options.tls(),
  })
  if (!answer.ok) return brokeOff(answer.failure)
  try {
    const read = await readBody(answer.value.body)
    return read.ok ? readResult(read.value) : read
  } catch (error) {
    return brokeOff(failureOf(error))
  }
}

function failureOf(error: unknown): Failure {
  const carried = error instanceof Error && 'failure' in error ? failureIn(error.failure) : undefined
  return (
    carried ?? {
      reason: 'Failed',
      message: error instanceof Error ? error.message : String(error),
      retry: 'later',
    }
  )
}

function connectionFailure(
  nodeName: string,
  failure: Failure,
  timedOutMs: number | undefined,
  aborted: boolean,
): Failure {
  if (timedOutMs !== undefined)
    return {
      reason: 'TimedOut',
      message: `node ${nodeName} did not answer within ${timedOutMs / 1000} s`,
      retry: 'later',
    }
  if (aborted) return { reason: 'Aborted', message: `asking node ${nodeName} was cancelled`, retry: 'later' }
  return {
    reason: 'NodeUnreachable',
    message: `node ${nodeName} cannot be reached: ${failure.message}`,
    retry: 'later',
  }
}

function unknown(nodeName: string): Failure {
  return { reason: 'NodeUnknown', message: `there is no way to node ${nodeName} from here`, retry: 'later' }
}

function hostText({ host, port }: LinkAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

// --- streams ---

async function open(
  options: LinkClientOptions,
  nodeName: string,
  target: AgentTarget,
): Promise<Result<AgentStream>> {
  const peer = options.peer(nodeName)
  if (!peer) return failed(unknown(nodeName))
  const query = encodeURIComponent(printJson(target))
  const opened = await options.host.net.openWebSocket({
    url: `wss://${hostText(peer)}${STREAM_PATH}?target=${query}`,
    protocols: [STREAM_PROTOCOL],
    idleTimeoutMs: OPEN_TIMEOUT_MS,
    ...options.tls(),
  })
  if (opened.ok) return ok(streamOf(opened.value))
  return failed(
    refusalIn(opened.failure.message) ?? connectionFailure(nodeName, opened.failure, undefined, false),
  )
}

/** The Failure that the agent answered the upgrade with: `... answered 409 {"ok":false,...}`. */
function refusalIn(message: string): Failure | undefined {
  const [, text] = /answered \d{3} (\{.*)$/s.exec(message) ?? []
  const result = text === undefined ? undefined : readResult(text)
  return result && !result.ok ? result.failure : undefined
}

// --- uploads ---

async function upload(options: LinkClientOptions, request: UploadRequest): Promise<Result<void>> {
  const peer = options.peer(request.nodeName)
  if (!peer) return failed(unknown(request.nodeName))
  const { backingImage, sizeBytes } = request
  const query = new URLSearchParams({
    backingImage,
    ...(sizeBytes === undefined ? {} : { sizeBytes: String(sizeBytes) }),
  })
  const answer = await options.host.net.request({
    method: 'POST',
    url: `https://${hostText(peer)}${UPLOAD_PATH}?${query}`,
    headers: { 'content-type': 'application/octet-stream' },
    body: request.body,
    idleTimeoutMs: UPLOAD_SILENCE_MS,
    ...options.tls(),
  })
  if (!answer.ok) return failed(connectionFailure(request.nodeName, answer.failure, undefined, false))
  try {
    const read = await readBody(answer.value.body)
    const result = read.ok ? readResult(read.value) : read
    return result.ok ? ok(undefined) : result
  } catch (error) {
    return failed(connectionFailure(request.nodeName, failureOf(error), undefined, false))
  }
}

/** The other side sums the file up before its first byte. Milliseconds. */
const IMAGE_SILENCE_MS = 5 * 60_000

async function fetchImage(
  options: LinkClientOptions,
  nodeName: string,
  image: { readonly name: string; readonly uid: string },
  signal: AbortSignal,
): Promise<Result<FetchedImage>> {
  const peer = options.peer(nodeName)
  if (!peer) return failed(unknown(nodeName))
  const answer = await options.host.net.request({
    method: 'GET',
    url: `https://${hostText(peer)}${IMAGE_PATH}?${new URLSearchParams({ name: image.name, uid: image.uid })}`,
    signal,
    idleTimeoutMs: IMAGE_SILENCE_MS,
    ...options.tls(),
  })
  if (!answer.ok) return failed(connectionFailure(nodeName, answer.failure, undefined, signal.aborted))
  const { status, headers, body } = answer.value
  const sha512 = headers[SHA512_HEADER]
  const sizeBytes = Number(headers['content-length'])
  if (status === 200 && sha512 !== undefined && Number.isSafeInteger(sizeBytes))
    return ok({ sizeBytes, sha512, body })
  const read = await readBody(body)
  const result = read.ok ? readResult(read.value) : read
  return result.ok ? failed(unknown(nodeName)) : result
}
