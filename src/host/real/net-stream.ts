// TCP and unix sockets as byte streams: dialling, listening, back pressure, and failures with a reason.
import { unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'
import { type Address, type ByteStream, type Listener, type Peer, StreamFailure } from '../host.ts'
import { codedError, failureOf } from './failure.ts'

/** A peer that vanished without a word is noticed after about this long. Milliseconds. */
const KEEP_ALIVE_MS = 30_000

export function addressText(address: Address): string {
  return 'unix' in address ? address.unix : `${address.host}:${address.port}`
}

export function dial(to: Address, timeoutMs: number): Promise<Result<ByteStream>> {
  const doing = `connecting to ${addressText(to)}`
  return new Promise((resolve) => {
    const socket = connect('unix' in to ? { path: to.unix } : { host: to.host, port: to.port, noDelay: true })
    const timer = setTimeout(() => socket.destroy(codedError('ETIMEDOUT', 'timed out')), timeoutMs)
    const onError = (error: Error): void => {
      clearTimeout(timer)
      resolve(failed(failureOf(error, doing)))
    }
    socket.once('error', onError)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', onError)
      resolve(ok(streamOf(socket, addressText(to))))
    })
  })
}

export function streamOf(socket: Socket, name: string): ByteStream {
  let broken: Failure | undefined
  let ours = false
  socket.setKeepAlive(true, KEEP_ALIVE_MS)
  socket.on('error', (error) => {
    broken ??= failureOf(error, `talking to ${name}`)
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return {
    closed,
    readable: readQuietly(socket, () => (ours ? undefined : broken)),
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => {
          if (error) reject(new StreamFailure(broken ?? failureOf(error, `talking to ${name}`)))
          else resolve()
        })
      }),
    close() {
      ours = true
      socket.destroySoon()
      socket.resume() // Unread bytes would keep the socket from ever reaching its end.
    },
  }
}

/** Node throws "premature close" for every end that is not a polite one; only a broken connection is worth that. */
async function* readQuietly(socket: Socket, broken: () => Failure | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of socket) yield chunk as Uint8Array
  } catch {
    const failure = broken()
    if (failure !== undefined) throw new StreamFailure(failure)
  }
}

export async function listenStream(
  at: Address,
  accept: (stream: ByteStream, peer: Peer) => void,
): Promise<Result<Listener>> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const peer = { address: socket.remoteAddress ?? '', port: socket.remotePort ?? 0 }
    accept(streamOf(socket, peer.address === '' ? addressText(at) : `${peer.address}:${peer.port}`), peer)
  })
  const bound = await bind(server, at)
  if (!bound.ok) return bound
  return ok({
    address: bound.value,
    setTls: () => undefined,
    close: (graceMs) => closeServer(server, () => sockets, graceMs),
  })
}

/** Listens; a socket file that a dead process left behind is cleared away first. */
export async function bind(server: Server, at: Address): Promise<Result<Listener['address']>> {
  const doing = `listening on ${addressText(at)}`
  for (let attempt = 1; ; attempt += 1) {
    const error = await listenOnce(server, at)
    if (error === undefined) break
    const failure = failureOf(error, doing)
    const stale = attempt === 1 && 'unix' in at && failure.reason === 'AddressInUse' && !(await answers(at))
    if (!stale) return failed(failure)
    await unlink(at.unix).catch(() => undefined)
  }
  const address = server.address()
  if ('unix' in at || typeof address !== 'object' || address === null) return ok(at)
  return ok({ host: address.address, port: address.port })
}

function listenOnce(server: Server, at: Address): Promise<Error | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen('unix' in at ? { path: at.unix } : { host: at.host, port: at.port }, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
}

async function answers(at: Address): Promise<boolean> {
  const stream = await dial(at, 1000)
  if (stream.ok) stream.value.close()
  return stream.ok
}

/** Stops accepting; connections that are still there after the grace are cut. */
export function closeServer(server: Server, open: () => Iterable<Socket>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const socket of open()) socket.destroy()
    }, graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
