// Talks to qemu-guest-agent inside the guest over its channel. The guest may be malicious or asleep: every exchange
// has a time limit and a size limit, and begins with a delimited sync, so that leftovers of an earlier one are not
// taken for an answer. The channel serves one client, so exchanges of one machine wait for each other.
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import type { ByteStream, Clock, Net, Random } from '../../host/host.ts'

const DIAL_TIMEOUT_MS = 2_000
const SYNC_TIMEOUT_MS = 3_000
export const AGENT_TIMEOUT_MS = 5_000
/** guest-fsfreeze-freeze waits for the guest's disks. */
export const FREEZE_TIMEOUT_MS = 60_000
/** A guest must not fill our memory. Bytes. */
const ANSWER_MAX_BYTES = 4 * 1024 * 1024
/** Byte that resets the agent's parser and marks the beginning of a delimited answer. */
const DELIMITER = 0xff

export interface GuestAgentPorts {
  readonly net: Net
  readonly clock: Clock
  readonly random: Random
}

export interface GuestAgent {
  /** Failures: `AgentNotConnected`, `AgentTimeout`, `AgentError` (the agent's own words). */
  execute(command: string, args?: JsonObject, timeoutMs?: number): Promise<Result<unknown>>
  /** For commands that are not answered on success (shutdown): resolves when the words are sent. */
  tell(command: string, args?: JsonObject): Promise<Result<void>>
}

export function guestAgent(ports: GuestAgentPorts, path: string): GuestAgent {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work)
    last = turn.catch(() => undefined)
    return turn
  }
  return {
    execute: (command, args = {}, timeoutMs = AGENT_TIMEOUT_MS) =>
      inTurn(() =>
        exchange(ports, path, async (line) => line.ask({ execute: command, arguments: args }, timeoutMs)),
      ),
    tell: (command, args = {}) =>
      inTurn(() => exchange(ports, path, async (line) => line.send({ execute: command, arguments: args }))),
  }
}

interface Line {
  send(message: JsonObject): Promise<Result<void>>
  ask(message: JsonObject, timeoutMs: number): Promise<Result<unknown>>
}

async function exchange<T>(
  ports: GuestAgentPorts,
  path: string,
  talk: (line: Line) => Promise<Result<T>>,
): Promise<Result<T>> {
  const dialled = await ports.net.dial({ unix: path }, DIAL_TIMEOUT_MS)
  if (!dialled.ok)
    return failed({
      reason: 'AgentNotConnected',
      message: 'the channel of the guest agent is closed',
      retry: 'later',
    })
  const stream = dialled.value
  try {
    const reader = lineReader(stream, ports.clock)
    const synced = await sync(stream, reader, Math.floor(ports.random.float() * 2 ** 31))
    if (!synced.ok) return synced
    return await talk({
      send: (message) => write(stream, encode(message)),
      async ask(message, timeoutMs) {
        const sent = await write(stream, encode(message))
        return sent.ok ? answerOf(await reader(timeoutMs)) : sent
      },
    })
  } finally {
    stream.close()
  }
}

async function sync(stream: ByteStream, reader: Reader, id: number): Promise<Result<void>> {
  const message = encode({ execute: 'guest-sync-delimited', arguments: { id } })
  const sent = await write(stream, Uint8Array.of(DELIMITER, ...message))
  if (!sent.ok) return sent
  // Answers to what others asked before may come first; ours carries the number.
  for (;;) {
    const line = await reader(SYNC_TIMEOUT_MS)
    if (!line.ok) return line
    const answer = parseLine(line.value)
    if (answer && answer['return'] === id) return ok(undefined)
  }
}

type Reader = (timeoutMs: number) => Promise<Result<string>>

function lineReader(stream: ByteStream, clock: Clock): Reader {
  const chunks = stream.readable[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  let held = ''
  return async (timeoutMs) => {
    const deadline = clock.monotonic() + timeoutMs
    for (;;) {
      const end = held.indexOf('\n')
      if (end >= 0) {
        const line = held.slice(0, end)
        held = held.slice(end + 1)
        if (line.trim() !== '') return ok(line)
        continue
      }
      if (held.length > ANSWER_MAX_BYTES)
        return failed({
          reason: 'AgentError',
          message: 'the guest agent answered with too much',
          retry: 'never',
        })
      const left = deadline - clock.monotonic()
      const next = left > 0 ? await within(chunks.next(), left, clock) : undefined
      if (next === undefined)
        return failed({
          reason: 'AgentTimeout',
          message: `the guest agent did not answer within ${timeoutMs} ms`,
          retry: 'later',
        })
      if (next.done)
        return failed({ reason: 'AgentNotConnected', message: 'the guest agent went away', retry: 'later' })
      // Everything up to the delimiter is the rest of something older.
      const bytes = next.value
      const mark = bytes.lastIndexOf(DELIMITER)
      if (mark >= 0) held = ''
      held += decoder.decode(bytes.subarray(mark + 1), { stream: true })
    }
  }
}

async function within<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T | undefined> {
  let cancel = (): void => undefined
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined))
  })
  try {
    return await Promise.race([work.catch(() => undefined), late])
  } finally {
    cancel()
  }
}

function encode(message: JsonObject): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(message)}\n`)
}

async function write(stream: ByteStream, bytes: Uint8Array): Promise<Result<void>> {
  try {
    await stream.write(bytes)
    return ok(undefined)
  } catch {
    return failed({ reason: 'AgentNotConnected', message: 'the guest agent went away', retry: 'later' })
  }
}

function parseLine(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function answerOf(line: Result<string>): Result<unknown> {
  if (!line.ok) return line
  const answer = parseLine(line.value)
  const error = answer?.['error']
  if (!answer || isObject(error)) {
    const said = isObject(error) ? String(error['desc'] ?? error['class']) : 'no JSON'
    return failed({ reason: 'AgentError', message: `the guest agent refused: ${said}`, retry: 'never' })
  }
  return ok(answer['return'])
}
