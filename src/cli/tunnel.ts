// Streams between a port of this process and a guest: TCP ports, and the screen.
import type { ByteStream, WebSocketPeer } from '../host/host.ts'
import { VirtualMachineInstance } from '../kinds/kubevirt/virtual-machine-instance.ts'
import type { Connection } from './connect.ts'
import { actionPath } from './machine.ts'

const PROTOCOL = 'plain.kubevirt.io'

/** A TCP port of the guest. Resolves when either side has closed. */
export async function forward(
  connection: Connection,
  name: string,
  port: number,
  stream: ByteStream,
): Promise<void> {
  const path = actionPath(connection, VirtualMachineInstance.plural, name, `portforward/${port}/tcp`)
  await join(stream, await connection.openWebSocket(path, [PROTOCOL]))
}

/** The screen of the guest, as RFB. */
export async function forwardScreen(connection: Connection, name: string, stream: ByteStream): Promise<void> {
  const path = actionPath(connection, VirtualMachineInstance.plural, name, 'vnc')
  await join(stream, await connection.openWebSocket(path, [PROTOCOL]))
}

async function join(stream: ByteStream, socket: WebSocketPeer): Promise<void> {
  const inward = (async () => {
    for await (const { data } of socket.messages) await stream.write(data)
    stream.close()
  })()
  try {
    for await (const bytes of stream.readable) await socket.send(bytes)
  } finally {
    socket.close()
    await inward.catch(() => undefined)
  }
}
