// The network of the real host: real sockets on the loopback, every protocol that a client may come with.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Failure, Result } from '../../base/result.ts'
import type { HttpHandler, HttpRequest, Listener, TlsMaterial } from '../host.ts'
import { StreamFailure } from '../host.ts'
import { realHost } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'croft-net-'))
const { net } = realHost({ log: { level: 'error', write: () => undefined } })
const local = { host: '127.0.0.1', port: 0 }
const idleTimeoutMs = 5000

function value<T>(result: Result<T>): T {
  assert.ok(result.ok, result.ok ? '' : `${result.failure.reason}: ${result.failure.message}`)
  return result.value
}

function failure(result: Result<unknown>): Failure {
  assert.ok(!result.ok, 'expected a failure')
  return result.failure
}

async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function selfSigned(name: string): TlsMaterial {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ],
      ...['-keyout', key, '-out', certificate, '-subj', `/CN=${name}`],
      ...['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'],
    ],
    { stdio: 'ignore' },
  )
  return { keyPem: readFileSync(key, 'utf8'), certificatePem: readFileSync(certificate, 'utf8') }
}

interface Seen {
  request?: HttpRequest
  aborted: number
  produced: number
  producerEnded: number
}
const seen: Seen = { aborted: 0, produced: 0, producerEnded: 0 }
const chunk = new Uint8Array(64 * 1024)

async function* endless(): AsyncGenerator<Uint8Array> {
  try {
    while (true) {
      seen.produced += 1
      yield chunk
    }
  } finally {
    seen.producerEnded += 1
  }
}

async function* breaking(): AsyncGenerator<string> {
  yield 'half'
  throw new Error('broken')
}

async function* waiting(signal: AbortSignal): AsyncGenerator<string> {
  yield 'first\n'
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  seen.producerEnded += 1
}

const handler: HttpHandler = {
  async handle(request) {
    seen.request = request
    request.signal.addEventListener('abort', () => (seen.aborted += 1))
    const path = request.url.split('?')[0]
    if (path === '/echo')
      return { status: 201, headers: { 'X-Method': request.method }, body: await text(request.body) }
    if (path === '/endless') return { status: 200, headers: {}, body: endless() }
    if (path === '/breaking') return { status: 200, headers: {}, body: breaking() }
    if (path === '/watch') return { status: 200, headers: {}, body: waiting(request.signal) }
    if (path === '/cookies')
      return { status: 200, headers: { 'set-cookie': ['a=1', 'b=2'], connection: 'close' } }
    if (path === '/redirect') return { status: 302, headers: { location: '/echo' } }
    if (path === '/silent') return new Promise(() => undefined)
    if (path === '/bug') throw new Error('a bug')
    return { status: 404, headers: {}, body: 'no such page' }
  },
  async upgrade(request, protocols) {
    if (request.url === '/refused') return { refuse: { status: 403, headers: {}, body: 'not you' } }
    return {
      protocol: protocols.at(-1),
      async talk(socket) {
        for await (const message of socket.messages) {
          if (message.binary) await socket.send(message.data)
          else await socket.send(`said ${Buffer.from(message.data).toString()}`)
        }
      },
    }
  },
}

let tls: TlsMaterial
let secure: Listener
let plain: Listener
let secureUrl: string
let plainUrl: string

before(async () => {
  tls = selfSigned('server')
  secure = value(await net.listenHttp(local, handler, tls))
  plain = value(await net.listenHttp(local, handler))
  secureUrl = `https://127.0.0.1:${portOf(secure)}`
  plainUrl = `http://127.0.0.1:${portOf(plain)}`
})

after(async () => {
  await Promise.all([secure.close(100), plain.close(100)])
  rmSync(folder, { recursive: true })
})

function portOf(listener: Listener): number {
  return 'port' in listener.address ? listener.address.port : 0
}

function get(url: string, more: object = {}) {
  return net.request({ method: 'GET', url, idleTimeoutMs, caPem: tls.certificatePem, ...more })
}

async function until(condition: () => boolean): Promise<void> {
  for (let round = 0; !condition(); round += 1) {
    assert.ok(round < 250, 'it never came true')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('HTTP/1.1, plain and over TLS', async () => {
  for (const base of [plainUrl, secureUrl]) {
    const response = value(
      await get(`${base}/echo?q=1`, { method: 'POST', body: 'body', headers: { 'X-A': 'b' } }),
    )
    assert.equal(response.status, 201)
    assert.equal(response.headers['x-method'], 'POST')
    assert.equal(response.headers['content-length'], '4')
    assert.equal(await text(response.body), 'body')
    assert.equal(seen.request?.url, '/echo?q=1')
    assert.equal(seen.request?.headers['x-a'], 'b')
    assert.equal(seen.request?.peer.address, '127.0.0.1')
    assert.equal(seen.request?.peer.certificate, undefined)
  }
  assert.equal(value(await get(`${plainUrl}/cookies`)).headers['set-cookie'], 'a=1, b=2')
  assert.equal(value(await get(`${plainUrl}/redirect`)).status, 302)
})

test('HTTP/2: a thousand requests at once on one connection', async () => {
  const session = connectHttp2(secureUrl, { ca: tls.certificatePem })
  const one = (index: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': '/echo' })
      let body = ''
      stream.setEncoding('utf8')
      stream.on('response', (headers) => (body += `${headers[':status']} `))
      stream.on('data', (part: string) => (body += part))
      stream.on('end', () => resolve(body))
      stream.on('error', reject)
      stream.end(`n${index}`)
    })
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, index) => one(index)))
  assert.deepEqual(
    answers,
    Array.from({ length: 1000 }, (_, index) => `201 n${index}`),
  )
  assert.equal(seen.request?.headers['host'], secureUrl.slice('https://'.length))
  assert.ok(Object.keys(seen.request?.headers ?? {}).every((name) => !name.startsWith(':')))
  const cookies = session.request({ ':path': '/cookies' })
  const headers = await new Promise<object>((resolve) => cookies.once('response', (shown) => resolve(shown)))
  assert.deepEqual(Object.entries(headers).find(([name]) => name === 'set-cookie')?.[1], ['a=1', 'b=2'])
  session.close()
})

test('a client certificate is handed on, verified or not', async () => {
  const client = selfSigned('client')
  const response = await get(`${secureUrl}/echo`, client)
  const shown = value(
    await get(`${secureUrl}/echo`, { certificatePem: client.certificatePem, keyPem: client.keyPem }),
  )
  await text(shown.body)
  await text(value(response).body)
  const der = seen.request?.peer.certificate ?? new Uint8Array()
  assert.ok(client.certificatePem.replaceAll('\n', '').includes(Buffer.from(der).toString('base64')))
})

test('the certificate is swapped for new connections', async () => {
  const other = selfSigned('other')
  const listener = value(await net.listenHttp(local, handler, tls))
  const url = `https://127.0.0.1:${portOf(listener)}/echo`
  await text(value(await get(url, { headers: { connection: 'close' } })).body)
  listener.setTls(other)
  assert.equal(failure(await get(url)).reason, 'TlsFailed')
  await text(value(await get(url, { caPem: other.certificatePem })).body)
  await listener.close(100)
})

test('a slow reader slows the producer down, and its going away stops it', async () => {
  for (const base of [plainUrl, secureUrl]) {
    Object.assign(seen, { aborted: 0, produced: 0, producerEnded: 0 })
    const response = value(await get(`${base}/endless`))
    const reading = response.body[Symbol.asyncIterator]()
    await reading.next()
    let last = -1
    await until(() => last === (last = seen.produced) && last > 0)
    assert.ok(seen.produced < 1000, `${seen.produced} chunks of 64 KiB were produced for nobody`)
    await reading.return?.()
    await until(() => seen.producerEnded === 1 && seen.aborted === 1)
  }
})

test('a client that goes away aborts the request, over HTTP/2 too', async () => {
  Object.assign(seen, { aborted: 0, producerEnded: 0 })
  const session = connectHttp2(secureUrl, { ca: tls.certificatePem })
  const stream = session.request({ ':path': '/watch' })
  await new Promise((resolve) => stream.once('data', resolve))
  stream.close(constants.NGHTTP2_CANCEL)
  await until(() => seen.aborted === 1 && seen.producerEnded === 1)
  session.close()
  const abort = new AbortController()
  const body = value(await get(`${plainUrl}/watch`, { signal: abort.signal })).body[Symbol.asyncIterator]()
  assert.equal(String((await body.next()).value), 'first\n')
  abort.abort()
  await assert.rejects(
    async () => body.next(),
    (error) => error instanceof StreamFailure && error.failure.reason === 'Aborted',
  )
  await until(() => seen.aborted === 2 && seen.producerEnded === 2)
})

test('a broken producer is visible as a broken body, a bug as 500', async () => {
  for (const base of [plainUrl, secureUrl]) {
    const body = value(await get(`${base}/breaking`)).body
    await assert.rejects(
      text(body),
      (error) => error instanceof StreamFailure && error.failure.reason === 'ConnectionReset',
    )
    const bug = value(await get(`${base}/bug`))
    assert.equal(bug.status, 500)
    assert.equal(await text(bug.body), 'internal error\n')
  }
})

test('failures of a request have reasons', async () => {
  const spare = value(await net.listenStream(local, (stream) => stream.close()))
  const dead = portOf(spare)
  assert.equal(failure(await get(`http://127.0.0.1:${dead}/`)).reason, 'ConnectionReset')
  await spare.close(0)
  const reasons = await Promise.all(
    [
      get(`http://127.0.0.1:${dead}/`),
      get('http://no-such-name.invalid/'),
      get('ftp://127.0.0.1/'),
      get('not a url'),
      get(`${secureUrl}/echo`, { caPem: undefined, headers: { connection: 'close' } }),
      get(`${plainUrl}/silent`, { idleTimeoutMs: 100 }),
      get(`${plainUrl}/echo`, { signal: AbortSignal.abort() }),
    ].map(async (answer) => failure(await answer).reason),
  )
  assert.deepEqual(reasons, [
    'ConnectionRefused',
    'NameNotFound',
    'InvalidAddress',
    'InvalidAddress',
    'TlsFailed',
    'TimedOut',
    'Aborted',
  ])
})

test('silence in the middle of a body ends it, a slow reader does not', async () => {
  const body = value(await get(`${plainUrl}/watch`, { idleTimeoutMs: 100 })).body[Symbol.asyncIterator]()
  await body.next()
  await new Promise((resolve) => setTimeout(resolve, 250)) // Our own slowness is not held against the other side.
  await assert.rejects(
    async () => body.next(),
    (error) => error instanceof StreamFailure && error.failure.reason === 'TimedOut',
  )
})

test('an address that is not allowed is refused, literal or by name, in every spelling', async () => {
  const port = portOf(plain)
  const asked: string[] = []
  const allowAddress = (ip: string): boolean => {
    asked.push(ip)
    return ip !== '127.0.0.1' && ip !== '::1'
  }
  for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '2130706433', '[::1]']) {
    const refused = failure(await get(`http://${host}:${port}/echo`, { allowAddress }))
    assert.equal(refused.reason, 'AddressRefused', host)
  }
  assert.ok(asked.includes('127.0.0.1'))
  await text(value(await get(`http://localhost:${port}/echo`, { allowAddress: () => true })).body)
})

test('WebSockets: protocol, text, binary, refusal, back pressure', async () => {
  for (const base of [plainUrl, secureUrl]) {
    const url = `${base.replace('http', 'ws')}/talk`
    const open = (at: string) =>
      net.openWebSocket({ url: at, idleTimeoutMs, caPem: tls.certificatePem, protocols: ['a.b', 'c.d'] })
    const socket = value(await open(url))
    assert.equal(socket.protocol, 'c.d')
    const messages = socket.messages[Symbol.asyncIterator]()
    await socket.send('hi')
    assert.equal(Buffer.from((await messages.next()).value?.data ?? []).toString(), 'said hi')
    const large = new Uint8Array(3 * 1024 * 1024).fill(7)
    await Promise.all([socket.send(large), socket.send(large)])
    for (let count = 0; count < 2; count += 1) {
      const { value: message } = await messages.next()
      assert.ok(message?.binary && Buffer.from(message.data).equals(large))
    }
    socket.close()
    assert.equal((await messages.next()).done, true)
    await socket.closed
    await assert.rejects(socket.send('late'), StreamFailure)
    const refused = failure(await open(url.replace('talk', 'refused')))
    assert.equal(refused.reason, 'UpgradeRefused')
    assert.match(refused.message, /403 not you/)
  }
  const none = value(await net.openWebSocket({ url: `${plainUrl}/talk`, idleTimeoutMs, protocols: [] }))
  assert.equal(none.protocol, '')
  none.close()
  assert.equal(
    failure(await net.openWebSocket({ url: 'ws://127.0.0.1:1/', idleTimeoutMs, protocols: [] })).reason,
    'ConnectionRefused',
  )
})

test('an upgrade to anything but WebSocket is answered as the plain request that it is, too', async () => {
  const raw = connectTcp(portOf(plain), '127.0.0.1')
  raw.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
  const answer = String(await text(raw))
  assert.match(answer, /^HTTP\/1\.1 404 /)
  assert.match(answer, /no such page/)
})

test('closing lets a request in flight finish and cuts what outlasts the grace', async () => {
  const listener = value(
    await net.listenHttp(local, {
      ...handler,
      handle: async () => {
        await new Promise((resolve) => setTimeout(resolve, 200))
        return { status: 200, headers: {}, body: 'finished' }
      },
    }),
  )
  const url = `http://127.0.0.1:${portOf(listener)}/`
  const running = get(url)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const closed = listener.close(5000)
  assert.equal(await text(value(await running).body), 'finished')
  await closed
  assert.equal(failure(await get(url)).reason, 'ConnectionRefused')
  const watched = value(await net.listenHttp(local, handler, tls))
  const session = connectHttp2(`https://127.0.0.1:${portOf(watched)}`, { ca: tls.certificatePem })
  session.on('error', () => undefined)
  const stream = session.request({ ':path': '/watch' })
  stream.on('error', () => undefined)
  await new Promise((resolve) => stream.once('data', resolve))
  await watched.close(100)
})

test('streams over TCP and unix sockets, both ways, with their ends', async () => {
  for (const at of [local, { unix: join(folder, 's.sock') }]) {
    const listener = value(await net.listenStream(at, (stream) => void echo(stream)))
    const stream = value(await net.dial(listener.address, 1000))
    await stream.write(new TextEncoder().encode('ping'))
    const reading = stream.readable[Symbol.asyncIterator]()
    assert.equal(Buffer.from((await reading.next()).value).toString(), 'ping')
    stream.close()
    stream.close()
    assert.equal((await reading.next()).done, true)
    await stream.closed
    await assert.rejects(stream.write(new Uint8Array(1)), StreamFailure)
    await listener.close(1000)
    assert.match(failure(await net.dial(listener.address, 1000)).reason, /^(ConnectionRefused|NotFound)$/)
  }
})

async function echo(stream: {
  readable: AsyncIterable<Uint8Array>
  write(bytes: Uint8Array): Promise<void>
}): Promise<void> {
  for await (const part of stream.readable) await stream.write(part)
}

test('a port in use is told; a socket file left by a dead process is taken over', async () => {
  const first = value(await net.listenStream(local, () => undefined))
  assert.equal(
    failure(await net.listenStream({ host: '127.0.0.1', port: portOf(first) }, () => undefined)).reason,
    'AddressInUse',
  )
  await first.close(0)
  const unix = join(folder, 'stale.sock')
  const script = `require('net').createServer().listen(${JSON.stringify(unix)}, () => process.kill(process.pid, 'SIGKILL'))`
  assert.throws(() => execFileSync(process.execPath, ['-e', script]))
  const taken = value(await net.listenStream({ unix }, () => undefined))
  assert.equal(failure(await net.listenStream({ unix }, () => undefined)).reason, 'AddressInUse')
  await taken.close(0)
})
