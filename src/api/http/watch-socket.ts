// A watch over WebSocket, as browsers use it: one text message for each event.
import type { UpgradeAnswer, WebSocketPeer } from '../../host/host.ts'
import type { Core } from '../core.ts'
import type { Served } from '../served.ts'
import type { WatchStream } from '../watch/watch.ts'
import type { Shown } from './answer.ts'
import { watchBytes } from './watch-answer.ts'

export interface WatchTalk {
  readonly shown: Shown
  readonly protocols: readonly string[]
}

const decoder = new TextDecoder()

export function talkWatch(core: Core, served: Served, stream: WatchStream, talk: WatchTalk): UpgradeAnswer {
  return {
    // The protocol that carries the bearer token is not one to speak.
    protocol: talk.protocols.find((protocol) => !protocol.startsWith('base64url.bearer.')),
    talk: (socket) => converse(core, served, stream, { socket, shown: talk.shown }),
  }
}

interface Conversation {
  readonly socket: WebSocketPeer
  readonly shown: Shown
}

async function converse(
  core: Core,
  served: Served,
  stream: WatchStream,
  { socket, shown }: Conversation,
): Promise<void> {
  void socket.closed.then(() => stream.close())
  for await (const bytes of watchBytes(core, served, stream, shown))
    for (const line of decoder.decode(bytes).split('\n')) if (line !== '') await socket.send(line)
  socket.close(1000)
}
