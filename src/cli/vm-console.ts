// `croft vm console`: a raw terminal, left with Ctrl-]. With piped input: types it, shows what the guest says, and
// leaves when the guest has been silent for a moment.
import type { WebSocketPeer } from '../host/host.ts'
import { say } from '../words/say.ts'
import { EXIT, type Run, type World } from './command.ts'
import { connect } from './connect.ts'
import { openConsole, waitForText } from './console.ts'
import { timeoutOf } from './machine.ts'

/** Ctrl-], as in telnet and virtctl. */
const ESCAPE = 0x1d
/** After piped input has ended: a guest that says nothing for this long has answered. Milliseconds. */
const SILENCE_MS = 2_000
/** A guest that never is silent does not hold a script up for ever. Milliseconds. */
const LINGER_MAX_MS = 60_000
/** A guest that boots by emulation. Milliseconds. */
const UNTIL_TIMEOUT_MS = 5 * 60_000

export const vmConsole: Run = async (call, world) => {
  const [name = ''] = call.args
  const { terminal } = world
  const connection = await connect(call, world)
  const until = call.text('until')
  if (until !== undefined) {
    await waitForText(world, connection, {
      name,
      text: until,
      timeoutMs: timeoutOf(call, UNTIL_TIMEOUT_MS),
      onBytes: (bytes) => terminal.out(bytes),
    })
    return EXIT.done
  }
  const socket = await openConsole(connection, name)
  terminal.note(`${say(world.language, 'cli.consoleEscape', { name })}\n`)
  const left = await talk(world, socket)
  terminal.note(left === 'guest' ? `\r\n${say(world.language, 'cli.consoleClosed')}\n` : '\r\n')
  return EXIT.done
}

/** Who ended it. */
async function talk(world: World, socket: WebSocketPeer): Promise<'person' | 'guest'> {
  const { terminal, host } = world
  let ended: 'person' | 'guest' = 'guest'
  let heardAt = host.clock.monotonic()
  const leave = (): void => {
    ended = 'person'
    socket.close()
  }
  const stopListening = terminal.onInterrupt(leave)
  terminal.raw(true)
  void typeIn(world, socket, { leave, heardAt: () => heardAt }).catch(() => socket.close())
  try {
    for await (const { data } of socket.messages) {
      heardAt = host.clock.monotonic()
      terminal.out(data)
    }
  } finally {
    terminal.raw(false)
    stopListening()
    socket.close()
  }
  return ended
}

async function typeIn(
  { terminal, host }: World,
  socket: WebSocketPeer,
  { leave, heardAt }: { readonly leave: () => void; readonly heardAt: () => number },
): Promise<void> {
  for await (const chunk of terminal.input) {
    const at = terminal.inIsTerminal ? chunk.indexOf(ESCAPE) : -1
    if (at !== 0) await socket.send(at === -1 ? chunk : chunk.subarray(0, at))
    if (at !== -1) return leave()
  }
  const since = host.clock.monotonic()
  for (;;) {
    const now = host.clock.monotonic()
    const quietFor = now - Math.max(since, heardAt())
    if (quietFor >= SILENCE_MS || now - since >= LINGER_MAX_MS) return leave()
    await host.clock.sleep(SILENCE_MS - quietFor)
  }
}
