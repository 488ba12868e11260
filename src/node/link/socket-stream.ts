// A WebSocket as the byte stream it carries, and a byte stream poured into a WebSocket.
import type { AgentStream } from '../../base/agent-port.ts'
import { StreamFailure, type WebSocketPeer } from '../../host/host.ts'

/** RFC 6455: 1000 normal, 1011 the other side cannot go on. */
const NORMAL = 1000
const BROKEN = 1011

export function streamOf(socket: WebSocketPeer): AgentStream {
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const { data } of socket.messages) if (data.length > 0) yield data
  }
  return {
    readable: read(),
    write: (bytes) => socket.send(bytes),
    close: () => socket.close(NORMAL),
    closed: socket.closed,
  }
}

/** Both ways, with back pressure, until either ends. */
export async function join(socket: WebSocketPeer, stream: AgentStream): Promise<void> {
  void socket.closed.then(() => stream.close())
  const down = sendAll(socket, stream)
  for await (const { data } of socket.messages) {
    if (data.length === 0) continue
    try {
      await stream.write(data)
    } catch {
      break // The other direction knows why it ended.
    }
  }
  stream.close()
  await down
}

async function sendAll(socket: WebSocketPeer, stream: AgentStream): Promise<void> {
  try {
    for await (const bytes of stream.readable) await socket.send(bytes)
    socket.close(NORMAL, 'the stream ended')
  } catch (error) {
    socket.close(BROKEN, error instanceof StreamFailure ? error.failure.message : 'the stream broke off')
  } finally {
    stream.close()
  }
}
