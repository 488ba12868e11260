// The serial console of one machine. QEMU itself keeps the log file, so that nothing is lost while the agent is
// away; the agent holds the socket's only connection, shares it among console clients and keeps the log short.
import { failed, ok, type Result } from '../../base/result.ts'
import type { ByteStream, Host } from '../../host/host.ts'

/** What a late client sees of the past. Bytes. */
export const REPLAY_BYTES = 64 * 1024
/** The log is cut to half of this when it grows beyond. Bytes. */
export const SERIAL_LOG_MAX_BYTES = 4 * 1024 * 1024
const LOG_CHECK_MS = 10_000
const DIAL_TIMEOUT_MS = 5_000
const REDIAL_MS = 1_000
/** A client that reads slower than the guest writes is cut off rather than slowing the guest. Bytes. */
const CLIENT_BACKLOG_MAX_BYTES = 1024 * 1024

export interface Serial {
  /** A new client: the replay first (unless left out), then what the guest says; writes go to the guest. */
  open(options: { readonly replay: boolean }): Promise<Result<ByteStream>>
  /** The log's end as text: `tailLines` lines, or all of it; with `follow` then what comes. */
  log(options: { readonly tailLines?: number; readonly follow: boolean }): Promise<Result<ByteStream>>
  close(): void
}

export interface SerialPaths {
  readonly socket: string
  readonly log: string
}

export function openSerial(host: Host, paths: SerialPaths): Serial {
  return new SharedSerial(host, paths)
}

class SharedSerial implements Serial {
  readonly #host: Host
  readonly #paths: SerialPaths
  readonly #clients = new Set<Client>()
  #line: ByteStream | undefined
  #over = false
  #cancelTimer: () => void = () => undefined

  constructor(host: Host, paths: SerialPaths) {
    this.#host = host
    this.#paths = paths
    void this.#keepConnected()
    this.#checkLogLater()
  }

  async open({ replay }: { readonly replay: boolean }): Promise<Result<ByteStream>> {
    const client = this.#join((bytes) => this.#line?.write(bytes) ?? Promise.resolve())
    const past = replay ? await this.#tail(REPLAY_BYTES) : new Uint8Array()
    client.begin(past)
    return ok(client.stream)
  }

  async log({
    tailLines,
    follow,
  }: {
    readonly tailLines?: number
    readonly follow: boolean
  }): Promise<Result<ByteStream>> {
    const client = this.#join(async () => undefined)
    const past = await this.#tail(SERIAL_LOG_MAX_BYTES)
    client.begin(tailLines === undefined ? past : lastLines(past, tailLines))
    if (!follow) client.finish()
    return ok(client.stream)
  }

  close(): void {
    this.#over = true
    this.#cancelTimer()
    this.#line?.close()
    for (const client of this.#clients) client.finish()
  }

  #join(write: (bytes: Uint8Array) => Promise<void>): Client {
    const client: Client = new Client(write, () => this.#clients.delete(client))
    this.#clients.add(client)
    return client
  }

  async #tail(bytes: number): Promise<Uint8Array> {
    const stat = await this.#host.files.stat(this.#paths.log)
    if (!stat.ok) return new Uint8Array()
    const from = Math.max(0, stat.value.sizeBytes - bytes)
    // More than the size said, because the guest goes on writing.
    const read = await this.#host.files.readAt(this.#paths.log, from, bytes + CLIENT_BACKLOG_MAX_BYTES)
    return read.ok ? read.value : new Uint8Array()
  }

  async #keepConnected(): Promise<void> {
    while (!this.#over) {
      const dialled = await this.#host.net.dial({ unix: this.#paths.socket }, DIAL_TIMEOUT_MS)
      if (dialled.ok) await this.#drain(dialled.value)
      if (!this.#over) await this.#host.clock.sleep(REDIAL_MS).catch(() => undefined)
    }
  }

  async #drain(line: ByteStream): Promise<void> {
    if (this.#over) return line.close()
    this.#line = line
    try {
      for await (const chunk of line.readable) for (const client of this.#clients) client.take(chunk)
    } catch {
      // Dialled again.
    }
    this.#line = undefined
    line.close()
  }

  #checkLogLater(): void {
    if (this.#over) return
    this.#cancelTimer = this.#host.clock.after(LOG_CHECK_MS, () => {
      void this.#cutLog().finally(() => this.#checkLogLater())
    })
  }

  /** QEMU appends, so the file may be cut under it; bytes of the moment in between are lost from the log only. */
  async #cutLog(): Promise<void> {
    const { files } = this.#host
    const stat = await files.stat(this.#paths.log)
    if (!stat.ok || stat.value.sizeBytes <= SERIAL_LOG_MAX_BYTES) return
    const keep = SERIAL_LOG_MAX_BYTES / 2
    const end = await files.readAt(this.#paths.log, stat.value.sizeBytes - keep, keep)
    const opened = await files.open(this.#paths.log, 'append')
    if (!opened.ok) return
    if (end.ok) {
      await opened.value.truncate(0)
      await opened.value.write(end.value)
    }
    await opened.value.close()
  }
}

/** One console client: a queue between the guest and a reader who may be slow. */
class Client {
  readonly stream: ByteStream
  readonly #queue: Uint8Array[] = []
  /** What came while the past was being read. */
  #early: Uint8Array[] | undefined = []
  #queued = 0
  #wake: () => void = () => undefined
  #over = false
  readonly #resolveClosed: () => void
  readonly #leave: () => void

  constructor(write: (bytes: Uint8Array) => Promise<void>, leave: () => void) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#resolveClosed = resolve
    this.#leave = leave
    this.stream = {
      readable: this.#read(),
      write: (bytes) => (this.#over ? Promise.reject(new Error('the console is closed')) : write(bytes)),
      close: () => {
        this.#queue.length = 0
        this.finish()
      },
      closed: promise,
    }
  }

  take(bytes: Uint8Array): void {
    if (this.#early) this.#early.push(bytes)
    else this.#push(bytes)
  }

  /** The log may hold already what came in the meantime: that is not told twice. */
  begin(past: Uint8Array): void {
    const early = this.#early ?? []
    this.#early = undefined
    const fresh = joinBytes(early)
    if (past.length > 0) this.#push(past)
    const known = overlap(past, fresh)
    if (fresh.length > known) this.#push(fresh.subarray(known))
  }

  finish(): void {
    if (this.#over) return
    this.#over = true
    this.#leave()
    this.#wake()
    if (this.#queue.length === 0) this.#resolveClosed()
  }

  #push(bytes: Uint8Array): void {
    if (this.#over) return
    this.#queue.push(bytes)
    this.#queued += bytes.length
    if (this.#queued > CLIENT_BACKLOG_MAX_BYTES + SERIAL_LOG_MAX_BYTES) this.finish()
    this.#wake()
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = this.#queue.shift()
        if (next) {
          this.#queued -= next.length
          yield next
          continue
        }
        if (this.#over) return
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      this.finish()
      this.#resolveClosed()
    }
  }
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** Length of the longest beginning of `fresh` that `past` ends with. */
export function overlap(past: Uint8Array, fresh: Uint8Array): number {
  for (let length = Math.min(past.length, fresh.length); length > 0; length -= 1) {
    let index = 0
    while (index < length && past[past.length - length + index] === fresh[index]) index += 1
    if (index === length) return length
  }
  return 0
}

function lastLines(bytes: Uint8Array, count: number): Uint8Array {
  let found = 0
  for (let index = bytes.length - 2; index >= 0; index -= 1) {
    if (bytes[index] !== 10) continue
    found += 1
    if (found === count) return bytes.subarray(index + 1)
  }
  return count === 0 ? new Uint8Array() : bytes
}

/** For a machine without a serial console. */
export function noSerial(): Result<ByteStream> {
  return failed({ reason: 'NoSerialConsole', message: 'No serial consoles are present.', retry: 'never' })
}

/** The log of a machine that is not running. */
export async function readLog(
  host: Host,
  path: string,
  tailLines: number | undefined,
): Promise<Result<ByteStream>> {
  const stat = await host.files.stat(path)
  // A link in its place would lead elsewhere; QEMU never makes one.
  if (!stat.ok || stat.value.kind !== 'file') return ok(finished(new Uint8Array()))
  const from = Math.max(0, stat.value.sizeBytes - SERIAL_LOG_MAX_BYTES)
  const read = await host.files.readAt(path, from, SERIAL_LOG_MAX_BYTES)
  if (!read.ok) return read
  return ok(finished(tailLines === undefined ? read.value : lastLines(read.value, tailLines)))
}

function finished(bytes: Uint8Array): ByteStream {
  const client = new Client(
    async () => undefined,
    () => undefined,
  )
  client.begin(bytes)
  client.finish()
  return client.stream
}
