// The HTTP client: one request, its answer as a stream. No redirects, no decoding; silence of the other side ends it.
import { lookup as resolveName } from 'node:dns'
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as plainRequest,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as tlsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { failed, ok, type Result } from '../../base/result.ts'
import { type HttpClientRequest, type HttpClientResponse, StreamFailure } from '../host.ts'
import { abortError } from './clock.ts'
import { codedError, failureOf } from './failure.ts'

const AGENT_OPTIONS = { keepAlive: true, keepAliveMsecs: 30_000, scheduling: 'lifo', noDelay: true } as const
const plainAgent = new HttpAgent(AGENT_OPTIONS)
const tlsAgent = new HttpsAgent(AGENT_OPTIONS)

export function request(wanted: HttpClientRequest): Promise<Result<HttpClientResponse>> {
  const doing = `requesting ${withoutPassword(wanted.url)}`
  const refused = (error: unknown): Result<never> => failed(failureOf(error, doing))
  return new Promise((resolve) => {
    if (wanted.signal?.aborted) return resolve(refused(abortError()))
    let url: URL
    let options: RequestOptions
    try {
      url = checkedUrl(wanted)
      options = connectionOptions(wanted)
    } catch (error) {
      return resolve(refused(error))
    }
    const sent = (url.protocol === 'https:' ? tlsRequest : plainRequest)(url, {
      method: wanted.method,
      ...options,
      agent: agentFor(url, wanted),
    })
    const onAbort = (): void => void sent.destroy(abortError())
    wanted.signal?.addEventListener('abort', onAbort, { once: true })
    sent.once('close', () => wanted.signal?.removeEventListener('abort', onAbort))
    sent.setTimeout(wanted.idleTimeoutMs, () => sent.destroy(codedError('ETIMEDOUT', 'no answer in time')))
    sent.once('socket', (socket) => {
      // Name resolution knows no socket timeout, so connecting as a whole has one of its own.
      if (!socket.connecting) return
      const timer = setTimeout(() => sent.destroy(codedError('ETIMEDOUT', 'timed out')), wanted.idleTimeoutMs)
      socket.once('connect', () => {
        clearTimeout(timer)
        if (wanted.allowAddress && !wanted.allowAddress(socket.remoteAddress ?? ''))
          sent.destroy(codedError('EADDRESSREFUSED', `${socket.remoteAddress} is not allowed`))
      })
      socket.once('close', () => clearTimeout(timer))
    })
    sent.on('error', (error) => resolve(refused(error)))
    sent.once('response', (response) => {
      sent.setTimeout(0)
      resolve(
        ok({
          status: response.statusCode ?? 0,
          headers: flatHeaders(response),
          body: bodyOf(response, wanted, doing),
        }),
      )
    })
    send(sent, wanted.body)
  })
}

function send(sent: ClientRequest, body: HttpClientRequest['body']): void {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    sent.end(body)
    return
  }
  // An answer may come, and the connection go, before all is sent: then what is left stays unread.
  pipeline(Readable.from(body, { objectMode: false }), sent).catch((error: Error) => sent.destroy(error))
}

function checkedUrl(wanted: HttpClientRequest): URL {
  const url = new URL(wanted.url)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw codedError('ERR_INVALID_PROTOCOL', `${url.protocol} is not possible`)
  return url
}

/** A connection that was checked for one caller must not be handed to another, and the other way round. */
function agentFor(url: URL, wanted: HttpClientRequest): HttpAgent | false {
  if (wanted.allowAddress !== undefined) return false
  return url.protocol === 'https:' ? tlsAgent : plainAgent
}

type ConnectionWishes = Omit<HttpClientRequest, 'method' | 'body'>

/** What plain requests and WebSockets have in common: headers, certificates, and the check of the address. */
export function connectionOptions(wanted: ConnectionWishes): RequestOptions & {
  ca?: string
  cert?: string
  key?: string
  rejectUnauthorized?: boolean
} {
  const { allowAddress } = wanted
  return {
    headers: { ...wanted.headers },
    ...(wanted.caPem === undefined ? {} : { ca: wanted.caPem }),
    ...(wanted.certificatePem === undefined ? {} : { cert: wanted.certificatePem }),
    ...(wanted.keyPem === undefined ? {} : { key: wanted.keyPem }),
    ...(wanted.anyCertificate === true ? { rejectUnauthorized: false } : {}),
    ...(allowAddress === undefined
      ? {}
      : { lookup: checkedLookup(allowAddress), ...literal(wanted.url, allowAddress) }),
  }
}

/** A literal address is never looked up, so it is checked here. */
function literal(url: string, allowAddress: (ip: string) => boolean): object {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !allowAddress(host)) throw codedError('EADDRESSREFUSED', `${host} is not allowed`)
  return {}
}

function checkedLookup(allowAddress: (ip: string) => boolean): LookupFunction {
  return (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '')
      const allowed = found.filter(({ address }) => allowAddress(address))
      const [first] = allowed
      if (first === undefined)
        return done(codedError('EADDRESSREFUSED', `no address of ${name} is allowed`), '')
      if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  }
}

function flatHeaders(response: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
}

/** The clock runs only while we wait for the other side: a slow reader here is not its fault. */
async function* bodyOf(
  response: IncomingMessage,
  { idleTimeoutMs, signal }: HttpClientRequest,
  doing: string,
): AsyncGenerator<Uint8Array> {
  const expire = (): void => void response.destroy(codedError('ETIMEDOUT', 'silent for too long'))
  let timer = setTimeout(expire, idleTimeoutMs)
  try {
    for await (const chunk of response) {
      clearTimeout(timer)
      yield chunk as Uint8Array
      timer = setTimeout(expire, idleTimeoutMs)
    }
  } catch (error) {
    throw new StreamFailure(failureOf(signal?.aborted ? abortError() : error, doing))
  } finally {
    clearTimeout(timer)
  }
}

function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//').replace(/\?.*$/, '?...')
}
