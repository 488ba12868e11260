// The ports to the world. Everything outside host/real reaches time, chance, files, programs and the network
// through these, so that the simulation can take their place. Failures come back as Result values.
import type { Failure, Result } from '../base/result.ts'

export interface Host {
  readonly clock: Clock
  readonly random: Random
  readonly files: Files
  readonly exec: Exec
  readonly net: Net
  readonly log: Log
  readonly meter: Meter
}

export interface Clock {
  /** Wall clock, milliseconds since 1970. */
  now(): number
  /** Monotonic, milliseconds; only differences mean something. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts (then rejects with AbortError). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, call: () => void): () => void
}

export interface Random {
  bytes(count: number): Uint8Array
  /** In [0, 1). */
  float(): number
  uuid(): string
}

export interface FileStat {
  readonly sizeBytes: number
  /** Bytes really allocated on the disk. */
  readonly allocatedBytes: number
  readonly modifiedMs: number
  readonly kind: 'file' | 'folder' | 'link' | 'socket' | 'other'
  readonly mode: number
}

export interface DiskSpace {
  readonly totalBytes: number
  readonly freeBytes: number
}

/** Paths are absolute. A missing file is a failure with reason `NotFound`, a full disk `NoSpace`. */
export interface Files {
  read(path: string): Promise<Result<Uint8Array>>
  readText(path: string): Promise<Result<string>>
  /** Reads `length` bytes at `offset`; fewer at the end of the file. */
  readAt(path: string, offset: number, length: number): Promise<Result<Uint8Array>>
  /**
   * Temporary file, fsync, rename, fsync of the folder: after it resolves the content survives a power cut. Without a
   * mode only the owner may read it (0600); the umask has no say.
   */
  writeDurable(path: string, content: Uint8Array | string, mode?: number): Promise<Result<void>>
  /** Opens for appending or positioned writing. */
  open(path: string, how: 'append' | 'write' | 'create-new', mode?: number): Promise<Result<OpenFile>>
  list(folder: string): Promise<Result<readonly string[]>>
  stat(path: string): Promise<Result<FileStat>>
  makeFolder(path: string, mode?: number): Promise<Result<void>>
  rename(from: string, to: string): Promise<Result<void>>
  link(from: string, to: string): Promise<Result<void>>
  /** Removes a file or a whole folder; a missing one is no failure. */
  remove(path: string): Promise<Result<void>>
  chown(path: string, uid: number, gid: number): Promise<Result<void>>
  chmod(path: string, mode: number): Promise<Result<void>>
  space(path: string): Promise<Result<DiskSpace>>
  syncFolder(path: string): Promise<Result<void>>
}

export interface OpenFile {
  write(bytes: Uint8Array, offset?: number): Promise<Result<void>>
  truncate(sizeBytes: number): Promise<Result<void>>
  sync(): Promise<Result<void>>
  close(): Promise<void>
}

export interface CommandOutput {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly timeoutMs: number
  readonly stdin?: Uint8Array | string
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  readonly uid?: number
  readonly gid?: number
  /** Called for each line on stderr or stdout while the program runs (progress). */
  readonly onLine?: (line: string) => void
}

/** How to start a process that outlives us. No pipes: stdout and stderr go to files. */
export interface DetachedOptions {
  readonly cwd: string
  readonly stdoutPath: string
  readonly stderrPath: string
  readonly env?: Readonly<Record<string, string>>
}

/** A process by identity: the pid alone may be reused, pid with start time may not. */
export interface ProcessIdentity {
  readonly pid: number
  /** Field 22 of /proc/PID/stat, clock ticks since boot. */
  readonly startTicks: number
  /** /proc/sys/kernel/random/boot_id: a start time means something only within one boot. */
  readonly bootId: string
}

export interface Exec {
  /** Runs to the end. A code other than 0 is a failure with reason `CommandFailed`, a missing program `CommandMissing`. */
  run(argv: readonly string[], options: CommandOptions): Promise<Result<CommandOutput>>
  /** Starts in an own session (setsid), detached from us; returns once the process exists. */
  startDetached(argv: readonly string[], options: DetachedOptions): Promise<Result<ProcessIdentity>>
  /** Whether exactly this process is still alive (zombies count as dead). */
  isAlive(process: ProcessIdentity): Promise<boolean>
  /** Signals exactly this process; false when it was gone already. */
  kill(process: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<boolean>
  /** Resolves when exactly this process has ended, or rejects with AbortError. */
  waitExit(process: ProcessIdentity, signal: AbortSignal): Promise<void>
  /** Absolute path of a program on PATH, or undefined. */
  find(program: string): Promise<string | undefined>
}

/**
 * How a stream that was already handed out tells that it broke: iterating a body or a stream throws it, a write
 * rejects with it. Within one room it is caught and becomes a Result again.
 */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * A byte stream in both directions: a TCP or unix socket, a tunnel, a WebSocket's binary payload. When the other side
 * ends, `readable` ends and the whole closes; `closed` never rejects.
 */
export interface ByteStream {
  /** Read once. Ends quietly when either side closes; throws StreamFailure when the connection broke. */
  readonly readable: AsyncIterable<Uint8Array>
  /** Resolves when the bytes are accepted below (back pressure). Rejects once the stream is closed. */
  write(bytes: Uint8Array): Promise<void>
  /** Ends our direction, then the whole. Idempotent. */
  close(): void
  readonly closed: Promise<void>
}

export type Address = { readonly unix: string } | { readonly host: string; readonly port: number }

export interface Peer {
  readonly address: string
  readonly port: number
  /** DER of the client certificate, when one was presented (not yet verified). */
  readonly certificate?: Uint8Array
}

export interface HttpRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly peer: Peer
  readonly body: AsyncIterable<Uint8Array>
  /** Aborts when the client went away. */
  readonly signal: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array | string>
}

export interface WebSocketMessage {
  readonly data: Uint8Array
  readonly binary: boolean
}

export interface WebSocketPeer {
  readonly protocol: string
  readonly messages: AsyncIterable<WebSocketMessage>
  send(data: Uint8Array | string): Promise<void>
  close(code?: number, reason?: string): void
  readonly closed: Promise<void>
}

/** What a handler answers to an upgrade: refuse it with a response, or accept it with a protocol and a conversation. */
export type UpgradeAnswer =
  | { readonly refuse: HttpResponse }
  | { readonly protocol: string | undefined; readonly talk: (socket: WebSocketPeer) => Promise<void> }

export interface HttpHandler {
  handle(request: HttpRequest): Promise<HttpResponse>
  /** `protocols` are those the client offered, in its order. */
  upgrade(request: HttpRequest, protocols: readonly string[]): Promise<UpgradeAnswer>
}

export interface TlsMaterial {
  readonly certificatePem: string
  readonly keyPem: string
  /** CAs whose client certificates may be presented; presentation stays optional. */
  readonly clientCaPem?: string
}

export interface Listener {
  readonly address: { readonly host: string; readonly port: number } | { readonly unix: string }
  /** Swaps the certificate for new connections. */
  setTls(material: TlsMaterial): void
  /** Stops accepting, lets requests in flight finish within `graceMs`, then cuts. */
  close(graceMs: number): Promise<void>
}

export interface HttpClientRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** A stream is sent as it comes, with the pace of the other side. */
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>
  readonly signal?: AbortSignal
  /** No byte for this long aborts the request. Milliseconds. */
  readonly idleTimeoutMs: number
  readonly caPem?: string
  readonly certificatePem?: string
  readonly keyPem?: string
  /** Takes any certificate of the server: only for what the caller checks by other means. */
  readonly anyCertificate?: boolean
  /** Resolved addresses are offered here before connecting; returning false refuses (server-side request forgery). */
  readonly allowAddress?: (ip: string) => boolean
}

export interface HttpClientResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Throws StreamFailure when it breaks off. Leaving the loop early ends the connection. */
  readonly body: AsyncIterable<Uint8Array>
}

export interface Net {
  /** HTTPS with HTTP/2 and HTTP/1.1 and WebSocket upgrades on one port; plain HTTP when `tls` is left out. */
  listenHttp(at: Address, handler: HttpHandler, tls?: TlsMaterial): Promise<Result<Listener>>
  /** No redirects are followed; the caller decides. */
  request(request: HttpClientRequest): Promise<Result<HttpClientResponse>>
  openWebSocket(
    request: Omit<HttpClientRequest, 'method' | 'body'> & { readonly protocols: readonly string[] },
  ): Promise<Result<WebSocketPeer>>
  dial(to: Address, timeoutMs: number): Promise<Result<ByteStream>>
  listenStream(at: Address, accept: (stream: ByteStream, peer: Peer) => void): Promise<Result<Listener>>
}

export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

export type Labels = Readonly<Record<string, string>>
export interface Meter {
  count(name: string, by?: number, labels?: Labels): void
  gauge(name: string, value: number, labels?: Labels): void
  /** A duration or size in a histogram. */
  observe(name: string, value: number, labels?: Labels): void
}

export type { Failure }
