// A serial console as bytes both ways over a WebSocket, for a terminal, a pipe, or a program that waits for a text.
import type { WebSocketPeer } from '../host/host.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type World } from './command.ts'
import type { Connection } from './connect.ts'
import { actionPath } from './machine.ts'

/** KubeVirt's name for bytes without a frame of their own. */
const PROTOCOL = 'plain.kubevirt.io'

export async function openConsole(
  connection: Connection,
  name: string,
  signal?: AbortSignal,
): Promise<WebSocketPeer> {
  const path = actionPath(connection, VirtualMachineInstance.plural, name, 'console')
  return connection.openWebSocket(path, [PROTOCOL], signal)
}

export interface TextWait {
  readonly name: string
  readonly text: string
  readonly timeoutMs: number
  /** Sees what the guest says, as it comes. */
  readonly onBytes?: (bytes: Uint8Array) => void
  /** Typed once at the start: a new line makes a login that waits say its words again. */
  readonly nudge?: string
}

/** Longest text that is looked for across two messages. Characters. */
const KEPT_MAX = 4096

/** Reads until the guest has said the text. Throws CliError 124 when it does not come in time. */
export async function waitForText(world: World, connection: Connection, wait: TextWait): Promise<void> {
  const ending = new AbortController()
  const stop = world.host.clock.after(wait.timeoutMs, () => ending.abort())
  const socket = await openConsole(connection, wait.name, ending.signal)
  const decoder = new TextDecoder()
  let seen = ''
  try {
    if (wait.nudge !== undefined) await socket.send(new TextEncoder().encode(wait.nudge))
    for await (const { data } of socket.messages) {
      wait.onBytes?.(data)
      seen = (seen + decoder.decode(data, { stream: true })).slice(-KEPT_MAX)
      if (seen.includes(wait.text)) return
    }
  } catch (error) {
    if (!ending.signal.aborted) throw error
  } finally {
    stop()
    socket.close()
  }
  throw new CliError({
    what: ending.signal.aborted
      ? `The guest has not said ${JSON.stringify(wait.text)} in ${Math.round(wait.timeoutMs / 1000)} s.`
      : 'The console was closed.',
    ...(seen.trim() === '' ? {} : { why: `Its last words: ${lastLine(seen)}` }),
    next: `croft vm console ${wait.name}`,
    code: ending.signal.aborted ? EXIT.timedOut : EXIT.failed,
    reason: ending.signal.aborted ? 'TimedOut' : 'Closed',
  })
}

function lastLine(text: string): string {
  return (
    printable(text)
      .split(/[\r\n]+/)
      .filter((line) => line.trim() !== '')
      .at(-1) ?? ''
  )
}

/** Without the escape sequences that a guest draws with. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return text.replace(/\u001b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])/g, '')
}
