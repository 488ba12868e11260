// multipart/form-data as a stream (RFC 7578, RFC 2046): finds the first part of a wanted name and gives its bytes on as
// they come, so that an image of any size passes through without being kept.
import { Buffer } from 'node:buffer'
import { refuse } from '../../base/errors.ts'

/** Headers of a part are short. Bytes. */
const HEAD_MAX_BYTES = 16 * 1024
const BOUNDARY_MAX = 70

/** Undefined for another content type. Throws 400 for a multipart type without a usable boundary. */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) return undefined
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '')
  const boundary = match?.[1] ?? match?.[2] ?? ''
  if (boundary === '' || boundary.length > BOUNDARY_MAX)
    throw refuse.badRequest('the multipart body names no boundary')
  return boundary
}

/** Bytes that are there, and more on demand. */
class Window {
  #bytes: Buffer = Buffer.alloc(0)
  readonly #source: AsyncIterator<Uint8Array>

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  async more(): Promise<boolean> {
    const next = await this.#source.next()
    if (next.done === true) return false
    this.#bytes =
      this.#bytes.length === 0 ? Buffer.from(next.value) : Buffer.concat([this.#bytes, next.value])
    return true
  }

  take(count: number): Buffer {
    const taken = this.#bytes.subarray(0, count)
    this.#bytes = this.#bytes.subarray(count)
    return taken
  }

  async end(): Promise<void> {
    await this.#source.return?.()
  }
}

/** Throws 400 where there is no such part, or the body breaks off before its end. */
export async function* readPart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  names: readonly string[],
): AsyncGenerator<Uint8Array> {
  const window = new Window(body)
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  try {
    await skipPreamble(window, boundary)
    while (true) {
      const name = await readHead(window)
      if (name === undefined) throw refuse.badRequest(`the body has no part named ${names.join(' or ')}`)
      if (names.includes(name)) {
        yield* untilDelimiter(window, delimiter)
        return
      }
      for await (const _skipped of untilDelimiter(window, delimiter));
    }
  } finally {
    await window.end()
  }
}

async function skipPreamble(window: Window, boundary: string): Promise<void> {
  const first = Buffer.from(`--${boundary}`, 'latin1')
  while (true) {
    const at = window.bytes.indexOf(first)
    if (at >= 0) {
      window.take(at + first.length)
      return
    }
    if (window.bytes.length > HEAD_MAX_BYTES)
      throw refuse.badRequest('the multipart body does not begin with its boundary')
    if (!(await window.more())) throw brokenOff()
  }
}

/** After a delimiter: `--` ends the body (undefined), else headers follow; the name of the part may be empty. */
async function readHead(window: Window): Promise<string | undefined> {
  while (true) {
    if (window.bytes.subarray(0, 2).toString('latin1') === '--') return undefined
    const end = window.bytes.indexOf('\r\n\r\n')
    if (end >= 0) {
      const head = window.take(end + 4).toString('utf8')
      return /^content-disposition:.*?;\s*name="?([^";\r\n]*)"?/im.exec(head)?.[1] ?? ''
    }
    if (window.bytes.length > HEAD_MAX_BYTES) throw refuse.badRequest('the headers of a part are too long')
    if (!(await window.more())) throw brokenOff()
  }
}

async function* untilDelimiter(window: Window, delimiter: Buffer): AsyncGenerator<Uint8Array> {
  while (true) {
    const at = window.bytes.indexOf(delimiter)
    if (at >= 0) {
      if (at > 0) yield window.take(at)
      window.take(delimiter.length)
      return
    }
    // The delimiter may have begun at the end of what is here.
    const safe = window.bytes.length - delimiter.length + 1
    if (safe > 0) yield window.take(safe)
    if (!(await window.more())) throw brokenOff()
  }
}

function brokenOff() {
  return refuse.badRequest('the multipart body breaks off before its last boundary; send it again')
}
