// Joins a WebSocket with a byte stream of an agent, both ways, with back pressure; the end of one is the end of both.
import type { AgentStream } from '../../base/agent-port.ts'
import { StreamFailure, type WebSocketPeer } from '../../host/host.ts'

/** RFC 6455: 1000 normal, 1011 the server cannot go on. */
const NORMAL = 1000
const BROKEN = 1011

export async function pipe(socket: WebSocketPeer, stream: AgentStream): Promise<void> {
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
    socket.close(NORMAL, 'the guest ended the stream')
  } catch (error) {
    socket.close(BROKEN, error instanceof StreamFailure ? error.failure.message : 'the stream broke off')
  } finally {
    stream.close()
  }
}
