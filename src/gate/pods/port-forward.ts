// pods/portforward over the channel protocol of Kubernetes (v4.channel.k8s.io): ports in the query, for the port at
// place i channel 2i carries the data and 2i+1 what went wrong; both begin with the port, little endian.
import { Buffer } from 'node:buffer'
import type { AgentStream } from '../../base/agent-port.ts'
import { refuse } from '../../base/errors.ts'
import type { UpgradeAnswer, WebSocketPeer } from '../../host/host.ts'
import { type Ask, agentOf, type GateDeps, gateClient } from '../ask.ts'
import { readPort } from '../streams/instance-streams.ts'
import { type Launcher, readLauncher } from './launcher.ts'
import { openSpdyPorts, SPDY_PROTOCOL } from './spdy-port-forward.ts'

const BINARY = 'v4.channel.k8s.io'
const TEXT = 'v4.base64.channel.k8s.io'
/** More connections in one WebSocket than anybody forwards by hand; channels are one byte, too. */
const PORTS_MAX = 64

interface Channel {
  readonly port: number
  readonly number: number
  readonly stream: AgentStream | undefined
  readonly problem: string | undefined
}

export async function openPodPorts(
  deps: GateDeps,
  ask: Ask,
  protocols: readonly string[],
): Promise<UpgradeAnswer> {
  const { request, info } = ask
  if (protocols.includes(SPDY_PROTOCOL)) return openSpdyPorts(deps, ask)
  const protocol = [BINARY, TEXT].find((known) => protocols.includes(known))
  if (!protocol)
    throw refuse.badRequest(
      `port-forward speaks ${BINARY}, not ${protocols.join(', ') || 'a socket without protocol'}: use "virtctl port-forward" or a client of that protocol`,
    )
  const ports = portsOf(info.query)
  const launcher = await readLauncher(gateClient(deps), info)
  const channels = await Promise.all(ports.map((port, index) => openChannel(deps, launcher, port, index)))
  const closeAll = (): void => {
    for (const { stream } of channels) stream?.close()
  }
  request.signal.addEventListener('abort', closeAll, { once: true })
  return { protocol, talk: (socket) => talk(framed(socket, protocol === TEXT), channels, closeAll) }
}

function portsOf(query: URLSearchParams): readonly number[] {
  const words = query.getAll('ports').flatMap((list) => list.split(','))
  if (words.length === 0 || words.length > PORTS_MAX)
    throw refuse.badRequest(`query parameter "ports" must name 1 to ${PORTS_MAX} ports`)
  return words.map((word) => readPort(word, 'tcp'))
}

async function openChannel(
  deps: GateDeps,
  { nodeName, ref }: Launcher,
  port: number,
  number: number,
): Promise<Channel> {
  const opened = await agentOf(deps).dial.open(nodeName, { ...ref, type: 'port', port })
  return opened.ok
    ? { port, number, stream: opened.value, problem: undefined }
    : { port, number, stream: undefined, problem: opened.failure.message }
}

interface Framed {
  send(channel: number, bytes: Uint8Array): Promise<void>
  readonly messages: AsyncIterable<{ readonly channel: number; readonly bytes: Uint8Array }>
}

function framed(socket: WebSocketPeer, asText: boolean): Framed {
  return {
    send(channel, bytes) {
      if (asText) return socket.send(`${channel}${Buffer.from(bytes).toString('base64')}`)
      const frame = new Uint8Array(bytes.length + 1)
      frame[0] = channel
      frame.set(bytes, 1)
      return socket.send(frame)
    },
    messages: messagesOf(socket, asText),
  }
}

async function* messagesOf(socket: WebSocketPeer, asText: boolean): Framed['messages'] {
  for await (const { data } of socket.messages) {
    const [first] = data
    if (first === undefined) continue
    const rest = data.subarray(1)
    // In the text form the channel is a digit.
    yield asText
      ? { channel: first - 48, bytes: Buffer.from(Buffer.from(rest).toString('latin1'), 'base64') }
      : { channel: first, bytes: rest }
  }
}

async function talk(socket: Framed, channels: readonly Channel[], closeAll: () => void): Promise<void> {
  try {
    for (const { port, number } of channels) {
      const head = Uint8Array.of(port & 0xff, port >> 8)
      await socket.send(2 * number, head)
      await socket.send(2 * number + 1, head)
    }
    const downs = channels.map((channel) => sendDown(socket, channel))
    const up = sendUp(socket, channels)
    await Promise.race([Promise.all(downs), up])
  } finally {
    closeAll()
  }
}

async function sendDown(socket: Framed, { number, stream, problem }: Channel): Promise<void> {
  try {
    if (problem !== undefined) await socket.send(2 * number + 1, new TextEncoder().encode(problem))
    if (stream) for await (const bytes of stream.readable) await socket.send(2 * number, bytes)
  } catch {
    // Either side is gone; the end of the conversation says it.
  }
}

async function sendUp(socket: Framed, channels: readonly Channel[]): Promise<void> {
  for await (const { channel, bytes } of socket.messages) {
    const stream = channel % 2 === 0 ? channels[channel / 2]?.stream : undefined
    await stream?.write(bytes).catch(() => stream.close())
  }
}
