// One QMP session with a QEMU: greeting, capabilities, commands with time limits, events. A QMP socket serves one
// client; a session that ended is never revived, the machine makes a new one.
import type { JsonObject } from '../../base/json.ts'
import { isObject, parseJson, printJson } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import type { ByteStream, Clock, Net } from '../../host/host.ts'

/** A command that QEMU's main loop answers at once; it is slow only when the machine is starved or storage hangs. */
export const QMP_TIMEOUT_MS = 10_000
/** One message; query-block of 256 disks stays well below. Bytes. */
const MESSAGE_MAX_BYTES = 16 * 1024 * 1024

export interface QmpEvent {
  readonly event: string
  readonly data: JsonObject
  /** QEMU's wall clock. Milliseconds since 1970. */
  readonly at: number
}

export interface ExecuteOptions {
  readonly timeoutMs?: number
  /** Out of band: answered while the main loop hangs. Only on a session opened with `oob`. */
  readonly oob?: boolean
}

export interface Qmp {
  /** Failures: `QmpError` (QEMU's own words), `QmpTimeout`, `QmpClosed`. */
  execute(command: string, args?: JsonObject, options?: ExecuteOptions): Promise<Result<unknown>>
  onEvent(listener: (event: QmpEvent) => void): () => void
  /** Resolves when the session is over, for whatever reason. */
  readonly closed: Promise<void>
  close(): void
}

export interface QmpOptions {
  readonly oob: boolean
  /** For the whole of dialling, greeting and negotiation. */
  readonly timeoutMs: number
}

export interface QmpPorts {
  readonly net: Net
  readonly clock: Clock
}

/** Failures: `QmpUnreachable`, `QmpTimeout`. */
export async function connectQmp(
  { net, clock }: QmpPorts,
  path: string,
  options: QmpOptions,
): Promise<Result<Qmp>> {
  const dialled = await net.dial({ unix: path }, options.timeoutMs)
  if (!dialled.ok)
    return failed({
      reason: 'QmpUnreachable',
      message: `QEMU does not answer on ${path}: ${dialled.failure.message}`,
      retry: 'later',
    })
  const session = new Session(dialled.value, clock)
  void session.read()
  const greeted = await session.greeting(options.timeoutMs)
  const ready = greeted.ok
    ? await session.execute('qmp_capabilities', options.oob ? { enable: ['oob'] } : {}, {
        timeoutMs: options.timeoutMs,
      })
    : greeted
  if (ready.ok) return ok(session)
  session.close()
  return ready
}

interface Waiting {
  readonly resolve: (answer: Result<unknown>) => void
  readonly cancel: () => void
}

class Session implements Qmp {
  readonly closed: Promise<void>
  readonly #stream: ByteStream
  readonly #clock: Clock
  readonly #waiting = new Map<string, Waiting>()
  readonly #listeners = new Set<(event: QmpEvent) => void>()
  #next = 1
  #over = false

  constructor(stream: ByteStream, clock: Clock) {
    this.#stream = stream
    this.#clock = clock
    this.closed = stream.closed
    void stream.closed.then(() => this.#end())
  }

  greeting(timeoutMs: number): Promise<Result<unknown>> {
    return this.#wait('QMP', 'greeting', timeoutMs)
  }

  async execute(
    command: string,
    args: JsonObject = {},
    options: ExecuteOptions = {},
  ): Promise<Result<unknown>> {
    if (this.#over) return failed(closedFailure(command))
    const id = `c${this.#next++}`
    const answer = this.#wait(id, command, options.timeoutMs ?? QMP_TIMEOUT_MS)
    const message = { [options.oob ? 'exec-oob' : 'execute']: command, arguments: args, id }
    try {
      await this.#stream.write(new TextEncoder().encode(`${printJson(message)}\n`))
    } catch {
      this.#settle(id, failed(closedFailure(command)))
    }
    return answer
  }

  onEvent(listener: (event: QmpEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    this.#stream.close()
    this.#end()
  }

  async read(): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const chunk of this.#stream.readable) {
        rest += decoder.decode(chunk, { stream: true })
        const lines = rest.split('\n')
        rest = lines.pop() ?? ''
        if (rest.length > MESSAGE_MAX_BYTES) break
        for (const line of lines) if (line.trim() !== '') this.#take(line)
      }
    } catch {
      // A broken stream is a closed one; the machine finds out why.
    }
    this.close()
  }

  #wait(id: string, command: string, timeoutMs: number): Promise<Result<unknown>> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(timeoutMs, () => {
        this.#settle(
          id,
          failed({
            reason: 'QmpTimeout',
            message: `QEMU did not answer ${command} within ${timeoutMs} ms`,
            retry: 'later',
          }),
        )
      })
      this.#waiting.set(id, { resolve, cancel })
    })
  }

  #settle(id: string, answer: Result<unknown>): void {
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    this.#waiting.delete(id)
    waiting.cancel()
    waiting.resolve(answer)
  }

  #take(line: string): void {
    const message = parseMessage(line)
    if (!message) {
      this.close()
      return
    }
    const error = message['error']
    if (message['QMP'] !== undefined) this.#settle('QMP', ok(message['QMP']))
    else if (typeof message['event'] === 'string') this.#tell(message['event'], message)
    else
      this.#settle(
        String(message['id']),
        isObject(error) ? failed(errorFailure(error)) : ok(message['return']),
      )
  }

  #tell(event: string, message: JsonObject): void {
    const stamp = isObject(message['timestamp']) ? message['timestamp'] : {}
    const at = Number(stamp['seconds'] ?? 0) * 1000 + Math.floor(Number(stamp['microseconds'] ?? 0) / 1000)
    const data = isObject(message['data']) ? message['data'] : {}
    for (const listener of this.#listeners) listener({ event, data, at })
  }

  #end(): void {
    this.#over = true
    for (const id of [...this.#waiting.keys()]) this.#settle(id, failed(closedFailure(id)))
  }
}

function parseMessage(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function errorFailure(error: JsonObject): Failure {
  return {
    reason: 'QmpError',
    message: `QEMU refused: ${String(error['desc'] ?? error['class'])}`,
    retry: 'never',
  }
}

function closedFailure(command: string): Failure {
  return {
    reason: 'QmpClosed',
    message: `the connection to QEMU closed before ${command} was answered`,
    retry: 'later',
  }
}
