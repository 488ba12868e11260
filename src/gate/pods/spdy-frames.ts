// Frames of SPDY/3.1 as Kubernetes' port-forward needs them: reading all that a client may send, writing the few that
// a server answers with (draft-mbelshe-httpbis-spdy-00).
import { Buffer } from 'node:buffer'
import { refuse } from '../../base/errors.ts'
import type { Inflater } from '../../host/inflater.ts'

/** Words that both sides know beforehand; the draft's own list, in its order. */
const WORDS =
  'options,head,post,put,delete,trace,accept,accept-charset,accept-encoding,accept-language,accept-ranges,age,allow,' +
  'authorization,cache-control,connection,content-base,content-encoding,content-language,content-length,' +
  'content-location,content-md5,content-range,content-type,date,etag,expect,expires,from,host,if-match,' +
  'if-modified-since,if-none-match,if-range,if-unmodified-since,last-modified,location,max-forwards,pragma,' +
  'proxy-authenticate,proxy-authorization,range,referer,retry-after,server,te,trailer,transfer-encoding,upgrade,' +
  'user-agent,vary,via,warning,www-authenticate,method,get,status,200 OK,version,HTTP/1.1,url,public,set-cookie,' +
  'keep-alive,origin'
const TAIL =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505' +
  '203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized' +
  '403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable' +
  'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT' +
  'chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,' +
  'text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.'

export const SPDY_DICTIONARY: Uint8Array = Buffer.concat([
  ...WORDS.split(',').map((word) => Buffer.concat([number32(word.length), Buffer.from(word)])),
  Buffer.from(TAIL),
])

export type SpdyFrame =
  | {
      readonly type: 'open'
      readonly stream: number
      readonly headers: ReadonlyMap<string, string>
      readonly last: boolean
    }
  | { readonly type: 'data'; readonly stream: number; readonly bytes: Uint8Array; readonly last: boolean }
  | { readonly type: 'reset'; readonly stream: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'goaway' }
  | { readonly type: 'other' }

const VERSION = 3
const SYN_STREAM = 1
const SYN_REPLY = 2
const RST_STREAM = 3
const PING = 6
const GOAWAY = 7
const FLAG_LAST = 1
const HEAD_BYTES = 8
/** The format allows 16 MiB; nobody who forwards ports sends more than this at once. */
const FRAME_MAX_BYTES = 4 * 1024 * 1024
const HEADERS_MAX = 64

/** Cuts a stream of bytes into frames. Throws 400 for what is no SPDY. */
export async function* readFrames(
  bytes: AsyncIterable<Uint8Array>,
  inflater: Inflater,
): AsyncGenerator<SpdyFrame> {
  let left: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    left = left.length === 0 ? Buffer.from(chunk) : Buffer.concat([left, chunk])
    while (left.length >= HEAD_BYTES) {
      const length = left.readUIntBE(5, 3)
      if (length > FRAME_MAX_BYTES) throw refuse.badRequest('a SPDY frame is too long')
      if (left.length < HEAD_BYTES + length) break
      const head = left.subarray(0, HEAD_BYTES)
      const body = left.subarray(HEAD_BYTES, HEAD_BYTES + length)
      left = left.subarray(HEAD_BYTES + length)
      yield await frameOf(head, body, inflater)
    }
  }
}

async function frameOf(head: Buffer, body: Buffer, inflater: Inflater): Promise<SpdyFrame> {
  const last = (head.readUInt8(4) & FLAG_LAST) !== 0
  const first = head.readUInt32BE(0)
  if (first < 0x8000_0000) return { type: 'data', stream: first, bytes: body, last }
  const version = (first >>> 16) & 0x7fff
  if (version !== VERSION) throw refuse.badRequest(`SPDY version ${version} is not spoken here, only 3`)
  const number = (at: number): number => {
    if (body.length < at + 4) throw refuse.badRequest('a SPDY frame is too short')
    return body.readUInt32BE(at) & 0x7fff_ffff
  }
  switch (first & 0xffff) {
    case SYN_STREAM: {
      const stream = number(0)
      return {
        type: 'open',
        stream,
        last,
        headers: headersOf(Buffer.from(await inflater.unpack(body.subarray(10)))),
      }
    }
    case RST_STREAM:
      return { type: 'reset', stream: number(0) }
    case PING:
      return { type: 'ping', id: number(0) }
    case GOAWAY:
      return { type: 'goaway' }
    default:
      return { type: 'other' }
  }
}

function headersOf(block: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  let at = 0
  const text = (): string => {
    if (at + 4 > block.length) throw refuse.badRequest('SPDY headers break off')
    const length = block.readUInt32BE(at)
    if (at + 4 + length > block.length) throw refuse.badRequest('SPDY headers break off')
    const value = block.toString('utf8', at + 4, at + 4 + length)
    at += 4 + length
    return value
  }
  const count = block.length < 4 ? 0 : block.readUInt32BE(0)
  if (count > HEADERS_MAX) throw refuse.badRequest('too many SPDY headers')
  at = 4
  for (let index = 0; index < count; index++) {
    const name = text().toLowerCase()
    headers.set(name, text())
  }
  return headers
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function control(type: number, body: Uint8Array): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt16BE(0x8000 | VERSION, 0)
  head.writeUInt16BE(type, 2)
  head.writeUIntBE(body.length, 5, 3)
  return Buffer.concat([head, body])
}

export function dataFrame(stream: number, bytes: Uint8Array, last = false): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(stream, 0)
  head.writeUInt8(last ? FLAG_LAST : 0, 4)
  head.writeUIntBE(bytes.length, 5, 3)
  return Buffer.concat([head, bytes])
}

/**
 * Replies without headers. They are one zlib stream over the whole conversation: its two first bytes go with the first
 * reply, and each reply is a stored block of its own.
 */
export function replyWriter(): (stream: number) => Uint8Array {
  let begun = false
  return (stream) => {
    const noHeaders = number32(0)
    const stored = [0x00, noHeaders.length, 0x00, 0xff - noHeaders.length, 0xff, ...noHeaders]
    // An empty block makes readers give out what they have.
    const block = Buffer.from([...stored, 0x00, 0x00, 0x00, 0xff, 0xff])
    const begin = begun ? [] : [0x78, 0x01]
    begun = true
    return control(SYN_REPLY, Buffer.concat([number32(stream), Buffer.from(begin), block]))
  }
}

export function pingFrame(id: number): Uint8Array {
  return control(PING, number32(id))
}

/** 3: the stream is refused; 5: it is over. */
export function resetFrame(stream: number, why: 3 | 5): Uint8Array {
  return control(RST_STREAM, Buffer.concat([number32(stream), number32(why)]))
}
