// `croft vm forward` and `croft vm vnc`: ports of this computer that lead into a guest, until Ctrl-C.
import type { ByteStream, Listener } from '../host/host.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import { failedError, usageError } from './cli-error.ts'
import { type Call, EXIT, type Run, type World } from './command.ts'
import { absolute, type Connection, connect, readAnswer } from './connect.ts'
import { actionPath } from './machine.ts'
import { notFoundNear } from './show.ts'
import { forward, forwardScreen } from './tunnel.ts'

const PORT_MAX = 65_535
/** Programs that show a VNC screen, in the order of preference. */
const VIEWERS = [
  ['remote-viewer', 'vnc://ADDRESS'],
  ['vncviewer', 'HOST::PORT'],
  ['xtigervncviewer', 'HOST::PORT'],
] as const

interface Pair {
  readonly here: number
  readonly there: number
}

export const vmForward: Run = async (call, world) => {
  const [name = '', ...words] = call.args
  if (words.length === 0) throw usageError('Which port? For instance: croft vm forward web 8080:80')
  const pairs = words.map(pairOf)
  const connection = await connect(call, world)
  await notFoundNear(world, connection, VirtualMachineInstance, name)
  const at = call.text('address') ?? '127.0.0.1'
  const listeners: Listener[] = []
  try {
    for (const { here, there } of pairs) {
      const listener = await listen(world, { host: at, port: here }, (stream) =>
        forward(connection, name, there, stream),
      )
      listeners.push(listener)
      world.terminal.out(`${addressOf(listener)} -> ${name}:${there}\n`)
    }
    await interrupted(world)
  } finally {
    for (const listener of listeners) await listener.close(0)
  }
  return EXIT.done
}

/** `80` or `8080:80`; 0 in front takes a free one. */
function pairOf(word: string): Pair {
  const [, here, there] = /^(?:(\d+):)?(\d+)$/.exec(word) ?? []
  const pair = { here: Number(here ?? there), there: Number(there) }
  if (there === undefined || pair.here > PORT_MAX || pair.there > PORT_MAX || pair.there === 0)
    throw usageError(`"${word}" is no port and no pair of ports such as 8080:80.`)
  return pair
}

async function listen(
  { host, terminal }: World,
  at: { readonly host: string; readonly port: number },
  lead: (stream: ByteStream) => Promise<void>,
): Promise<Listener> {
  const listening = await host.net.listenStream(at, (stream) => {
    void lead(stream).catch((error: unknown) => {
      terminal.note(`croft: ${error instanceof Error ? error.message : String(error)}\n`)
      stream.close()
    })
  })
  if (!listening.ok)
    throw failedError(
      `Port ${at.port} cannot be listened on.`,
      listening.failure,
      'Choose another one, or 0.',
    )
  return listening.value
}

function addressOf({ address }: Listener): string {
  return 'port' in address ? `${address.host}:${address.port}` : ''
}

function interrupted({ terminal }: World): Promise<void> {
  return new Promise((resolve) => {
    const stop = terminal.onInterrupt(() => {
      stop()
      resolve()
    })
  })
}

export const vmVnc: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  await notFoundNear(world, connection, VirtualMachineInstance, name)
  const picture = call.text('screenshot')
  if (picture !== undefined) return screenshot(world, connection, name, picture)
  const listener = await listen(world, { host: '127.0.0.1', port: portOf(call) }, (stream) =>
    forwardScreen(connection, name, stream),
  )
  try {
    const viewer = call.on('proxy-only') ? undefined : await viewerFor(world, listener)
    world.terminal.out(`${addressOf(listener)}\n`)
    if (viewer) return await world.terminal.handOver(viewer)
    world.terminal.note(`The screen of ${name} is at vnc://${addressOf(listener)} until Ctrl-C.\n`)
    await interrupted(world)
  } finally {
    await listener.close(0)
  }
  return EXIT.done
}

/** Any free port without `--port`. */
function portOf(call: Call): number {
  const port = call.number('port') ?? 0
  if (port > PORT_MAX) throw usageError(`--port ${port} is no port.`)
  return port
}

async function viewerFor({ host }: World, listener: Listener): Promise<readonly string[] | undefined> {
  const { address } = listener
  if (!('port' in address)) return undefined
  for (const [program, form] of VIEWERS)
    if ((await host.exec.find(program)) !== undefined)
      return [
        program,
        form
          .replace('ADDRESS', addressOf(listener))
          .replace('HOST', address.host)
          .replace('PORT', String(address.port)),
      ]
  return undefined
}

async function screenshot(world: World, connection: Connection, name: string, file: string): Promise<number> {
  const path = actionPath(connection, VirtualMachineInstance.plural, name, 'vnc/screenshot')
  const answer = await connection.send({ method: 'GET', path })
  if (answer.status !== 200) await readAnswer(answer)
  const chunks: Uint8Array[] = []
  for await (const chunk of answer.body) chunks.push(chunk)
  const picture = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    picture.set(chunk, at)
    at += chunk.length
  }
  const written = await world.host.files.writeDurable(absolute(file, world.terminal.folder), picture, 0o644)
  if (!written.ok) throw failedError('The picture cannot be written.', written.failure)
  world.terminal.note(`The screen of ${name} is in ${file}.\n`)
  return EXIT.done
}
