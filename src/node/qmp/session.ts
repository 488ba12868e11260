// A QMP session over a unix socket: QEMU's and qemu-storage-daemon's monitor (QEMU Machine Protocol specification).
// A monitor serves one client at a time, so whoever holds a session owns that socket. Every command has a timeout;
// a session that broke answers all that waits with a failure and tells it by `closed`.
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { ByteStream, Host } from '../../host/host.ts'

export interface QmpEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970, by the clock of the host. */
  readonly atMs: number
}

export interface QmpOptions {
  /** Ask for out-of-band commands, which run while the main loop hangs. */
  readonly oob?: boolean
  readonly connectTimeoutMs: number
  readonly onEvent?: (event: QmpEvent) => void
}

export interface QmpSession {
  execute(
    command: string,
    args?: Readonly<Record<string, unknown>>,
    timeoutMs?: number,
  ): Promise<Result<unknown>>
  /** Only on sessions opened with `oob`. */
  executeOob(
    command: string,
    args?: Readonly<Record<string, unknown>>,
    timeoutMs?: number,
  ): Promise<Result<unknown>>
  close(): void
  readonly closed: Promise<void>
}

/** Commands answer within milliseconds; one that takes this long is stuck behind a dead disk. */
export const QMP_TIMEOUT_MS = 10_000
/** Longest line we read; query-block of many disks is some tens of kilobytes. */
const LINE_MAX_BYTES = 8 * 1024 * 1024

interface Waiting {
  readonly command: string
  readonly settle: (result: Result<unknown>) => void
}

interface Message {
  readonly QMP?: unknown
  readonly id?: number
  readonly return?: unknown
  readonly error?: { readonly class?: string; readonly desc?: string }
  readonly event?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly timestamp?: { readonly seconds: number; readonly microseconds: number }
}

function brokenFailure(command: string): Failure {
  return {
    reason: 'MonitorClosed',
    message: `the monitor closed before it answered ${command}`,
    retry: 'later',
    command,
  }
}

class Session implements QmpSession {
  readonly #host: Host
  readonly #stream: ByteStream
  readonly #onEvent: ((event: QmpEvent) => void) | undefined
  readonly #waiting = new Map<number, Waiting>()
  #nextId = 1
  #open = true
  #greeted: ((ok: boolean) => void) | undefined
  readonly greeting: Promise<boolean>
  readonly closed: Promise<void>

  constructor(host: Host, stream: ByteStream, onEvent: ((event: QmpEvent) => void) | undefined) {
    this.#host = host
    this.#stream = stream
    this.#onEvent = onEvent
    this.greeting = new Promise((resolve) => {
      this.#greeted = resolve
    })
    this.closed = this.#read()
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    let pending = ''
    try {
      for await (const chunk of this.#stream.readable) {
        pending += decoder.decode(chunk, { stream: true })
        if (pending.length > LINE_MAX_BYTES) break
        const lines = pending.split('\n')
        pending = lines.pop() ?? ''
        for (const line of lines) if (line.trim() !== '') this.#take(line)
      }
    } catch {
      // A reset is an end like any other: QEMU died.
    }
    this.#open = false
    this.#greeted?.(false)
    for (const waiting of this.#waiting.values()) waiting.settle(failed(brokenFailure(waiting.command)))
    this.#waiting.clear()
    this.#stream.close()
  }

  #take(line: string): void {
    let message: Message
    try {
      message = JSON.parse(line) as Message
    } catch {
      return
    }
    if (message.QMP !== undefined) this.#greeted?.(true)
    else if (message.event !== undefined) {
      const at = message.timestamp
      const atMs = at ? at.seconds * 1000 + Math.floor(at.microseconds / 1000) : this.#host.clock.now()
      this.#onEvent?.({ event: message.event, data: message.data ?? {}, atMs })
    } else if (message.id !== undefined) this.#settle(message.id, message)
  }

  #settle(id: number, message: Message): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    waiting.settle(
      message.error
        ? failed({
            reason: 'MonitorRefused',
            message: `${waiting.command}: ${message.error.desc ?? 'refused'}`,
            retry: 'never',
            command: waiting.command,
          })
        : ok(message.return),
    )
  }

  #send(
    key: 'execute' | 'exec-oob',
    command: string,
    args: object | undefined,
    timeoutMs: number,
  ): Promise<Result<unknown>> {
    if (!this.#open) return Promise.resolve(failed(brokenFailure(command)))
    const id = this.#nextId++
    return new Promise((resolve) => {
      const cancel = this.#host.clock.after(timeoutMs, () => {
        this.#waiting.delete(id)
        resolve(
          failed({
            reason: 'MonitorTimedOut',
            message: `${command} had no answer within ${timeoutMs} ms`,
            retry: 'later',
            command,
          }),
        )
      })
      const settle = (result: Result<unknown>): void => {
        cancel()
        resolve(result)
      }
      this.#waiting.set(id, { command, settle })
      const text = `${JSON.stringify({ [key]: command, ...(args ? { arguments: args } : {}), id })}\n`
      this.#stream.write(new TextEncoder().encode(text)).catch(() => {
        if (this.#waiting.delete(id)) settle(failed(brokenFailure(command)))
      })
    })
  }

  execute(command: string, args?: object, timeoutMs = QMP_TIMEOUT_MS): Promise<Result<unknown>> {
    return this.#send('execute', command, args, timeoutMs)
  }

  executeOob(command: string, args?: object, timeoutMs = QMP_TIMEOUT_MS): Promise<Result<unknown>> {
    return this.#send('exec-oob', command, args, timeoutMs)
  }

  close(): void {
    this.#stream.close()
  }
}

/** Waits for the greeting and negotiates capabilities. */
export async function openQmp(
  host: Host,
  socketPath: string,
  options: QmpOptions,
): Promise<Result<QmpSession>> {
  const dialed = await host.net.dial({ unix: socketPath }, options.connectTimeoutMs)
  if (!dialed.ok) return dialed
  const session = new Session(host, dialed.value, options.onEvent)
  const greeted = await new Promise<boolean>((resolve) => {
    const cancel = host.clock.after(options.connectTimeoutMs, () => resolve(false))
    void session.greeting.then((heard) => {
      cancel()
      resolve(heard)
    })
  })
  if (!greeted) {
    session.close()
    return failed({
      reason: 'MonitorBusy',
      message: `no greeting on ${socketPath}: another client holds the monitor, or the process hangs`,
      retry: 'later',
    })
  }
  const enabled = await session.execute('qmp_capabilities', options.oob ? { enable: ['oob'] } : {})
  if (!enabled.ok) {
    session.close()
    return enabled
  }
  return ok(session)
}
