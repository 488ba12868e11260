// The link over real TLS: who may call, what travels, and what an asker is told when nothing comes back.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { AgentStream, AgentTarget } from '../../base/agent-port.ts'
import type { JsonObject } from '../../base/json.ts'
import { failed, ok, type Result } from '../../base/result.ts'
import { callerOf, nodeLeaf, serverLeaf } from '../../cluster/node-names.ts'
import { issueLeaf, type KeyPairPem, makeAuthority } from '../../cluster/pki.ts'
import type { Listener } from '../../host/host.ts'
import { realCertificates } from '../../host/real/certificates.ts'
import { realHost } from '../../host/real/index.ts'
import { createLink, type Link } from './create-link.ts'
import { type LinkClient, linkClient } from './link-client.ts'
import { agentsOfAllNodes, type NodeAgent, serverFacing } from './remote-agent.ts'
import { BODY_MAX_BYTES, type LinkTls } from './wire.ts'

const host = realHost({ log: { level: 'error' } })
const TIMEOUT_MS = 10_000

let folder = ''
let listener: Listener
let one: Link
let nodeTwo: LinkClient
let server: LinkClient
let stranger: LinkClient
let otherCluster: LinkClient
const aborted: string[] = []
const uploaded: Buffer[] = []
let opened: AgentTarget | undefined

function must<T>(result: Result<T>): T {
  assert.ok(result.ok, result.ok ? '' : result.failure.message)
  return result.value
}

/** Gives back in capitals what is written to it. */
function shouting(): AgentStream {
  const waiting: Uint8Array[] = [Buffer.from('hello ')]
  let wake = (): void => undefined
  let ended = false
  const closed = Promise.withResolvers<void>()
  async function* read(): AsyncGenerator<Uint8Array> {
    while (true) {
      const next = waiting.shift()
      if (next) yield next
      else if (ended) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    readable: read(),
    async write(bytes) {
      waiting.push(Buffer.from(Buffer.from(bytes).toString().toUpperCase()))
      wake()
    },
    close() {
      ended = true
      wake()
      closed.resolve()
    },
    closed: closed.promise,
  }
}

const localAgent = {
  dial: {
    async open(_node: string, target: AgentTarget) {
      opened = target
      return target.name === 'off'
        ? failed({ reason: 'MachineNotRunning', message: 'VMI is not running', retry: 'later' as const })
        : ok(shouting())
    },
  },
  uploads: {
    async receive({ body }: { readonly body: AsyncIterable<Uint8Array> }) {
      for await (const chunk of body) uploaded.push(Buffer.from(chunk))
      return ok(undefined)
    },
  },
  actions: {
    async pause(_node: string, { name }: { readonly name: string }) {
      return name === 'off'
        ? failed({ reason: 'AlreadyPaused', message: 'VMI is already paused', retry: 'never' as const })
        : ok(undefined)
    },
    screenshot: async () => ok(new Uint8Array([137, 80, 78, 71])),
  },
} as unknown as NodeAgent

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'croft-link-'))
  const authority = must(await makeAuthority(host, folder, 'croft'))
  const another = must(await makeAuthority(host, folder, 'croft'))
  const tlsOf = (pair: KeyPairPem): LinkTls => ({ caPem: authority.certificatePem, ...pair })
  const leaf = async (by: KeyPairPem, request: Parameters<typeof issueLeaf>[3]): Promise<LinkTls> =>
    tlsOf(must(await issueLeaf(host, folder, by, request)))
  const first = await leaf(authority, nodeLeaf('one', ['127.0.0.1']))
  one = createLink({
    host,
    certificates: realCertificates,
    nodeName: 'one',
    tls: () => first,
    callerOf,
    peer: () => undefined,
    serverFacing: () => serverFacing('one', localAgent),
    sendImage:
      () =>
      async ({ name }) =>
        name === 'debian'
          ? ok({
              sizeBytes: 5,
              sha512: 'abc',
              body: (async function* () {
                yield Buffer.from('image')
              })(),
            })
          : failed({ reason: 'ImageUnknown', message: 'this node has not got that image', retry: 'later' }),
  })
  one.answer('test.echo', async (body, caller) => ok({ ...body, caller }))
  one.answer('test.refuse', async () =>
    failed({ reason: 'DiskFull', message: 'the disk is full', retry: 'later' }),
  )
  one.answer('test.bug', () => Promise.reject(new Error('a bug')))
  one.answer('test.never', (_body, caller, signal) => {
    return new Promise(() => signal.addEventListener('abort', () => aborted.push(caller), { once: true }))
  })
  listener = must(await one.listen({ host: '127.0.0.1', port: 0 }))
  const { address } = listener
  assert.ok('port' in address)
  const peer = (name: string) =>
    name === 'one'
      ? { host: '127.0.0.1', port: address.port }
      : name === 'dead'
        ? { host: '127.0.0.1', port: 1 }
        : undefined
  const clientWith = (tls: LinkTls): LinkClient => linkClient({ host, peer, tls: () => tls })
  nodeTwo = clientWith(await leaf(authority, nodeLeaf('two', ['127.0.0.2'])))
  server = clientWith(await leaf(authority, serverLeaf('one')))
  stranger = clientWith(
    await leaf(authority, { commonName: 'somebody', organizations: ['people'], usage: 'client' }),
  )
  otherCluster = clientWith(await leaf(another, nodeLeaf('two', ['127.0.0.2'])))
})

after(async () => {
  await listener.close(0)
  await rm(folder, { recursive: true, force: true })
})

async function failureOf(result: Promise<Result<unknown>>): Promise<string> {
  const got = await result
  assert.ok(!got.ok, 'it was refused')
  return got.failure.reason
}

const echo = (client: LinkClient, body: JsonObject) => client.call('one', 'test.echo', body, TIMEOUT_MS)

test('a call brings its answer, and the caller is who its certificate says', async () => {
  assert.deepEqual(must(await echo(nodeTwo, { size: 3n as never, word: 'Grüße' })), {
    size: 3,
    word: 'Grüße',
    caller: 'two',
  })
  assert.equal(must(await echo(server, {}))['caller'], '')
})

test('a refusal travels as it is; a bug of the other side is told, and not ours', async () => {
  const refused = await nodeTwo.call('one', 'test.refuse', {}, TIMEOUT_MS)
  assert.deepEqual(refused, {
    ok: false,
    failure: { reason: 'DiskFull', message: 'the disk is full', retry: 'later' },
  })
  assert.equal(await failureOf(nodeTwo.call('one', 'test.bug', {}, TIMEOUT_MS)), 'Failed')
  assert.equal(await failureOf(nodeTwo.call('one', 'test.unknown', {}, TIMEOUT_MS)), 'NoSuchMethod')
})

test('only nodes and servers of this cluster are answered', async () => {
  assert.equal(await failureOf(echo(stranger, {})), 'Unauthorized')
  assert.equal(await failureOf(echo(otherCluster, {})), 'Unauthorized')
  assert.equal(await failureOf(stranger.open('one', target('web'))), 'Unauthorized')
  assert.equal(await failureOf(nodeTwo.open('one', target('web'))), 'Forbidden')
  assert.equal(await failureOf(nodeTwo.call('one', 'machine.pause', {}, TIMEOUT_MS)), 'Forbidden')
})

test('silence ends at the time limit, and a cancelled call at once; the other side hears of both', async () => {
  const began = Date.now()
  assert.equal(await failureOf(nodeTwo.call('one', 'test.never', {}, 300)), 'TimedOut')
  assert.ok(Date.now() - began < 5_000)
  const ending = new AbortController()
  const call = nodeTwo.call('one', 'test.never', {}, TIMEOUT_MS, ending.signal)
  setTimeout(() => ending.abort(), 100)
  assert.equal(await failureOf(call), 'Aborted')
  for (let look = 0; look < 100 && aborted.length < 2; look += 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(aborted, ['two', 'two'])
})

test('nodes that nobody knows or that do not answer are told apart', async () => {
  assert.equal(await failureOf(nodeTwo.call('nowhere', 'test.echo', {}, TIMEOUT_MS)), 'NodeUnknown')
  assert.equal(await failureOf(nodeTwo.call('dead', 'test.echo', {}, TIMEOUT_MS)), 'NodeUnreachable')
})

test('a large body passes; one above the limit is refused, whichever way it goes', async () => {
  const text = 'x'.repeat(1024 * 1024)
  assert.equal(must(await echo(nodeTwo, { text }))['text'], text)
  const tooLarge = 'x'.repeat(BODY_MAX_BYTES + 1)
  assert.match(await failureOf(echo(nodeTwo, { tooLarge })), /^(BodyTooLarge|NodeUnreachable)$/)
})

const target = (name: string): AgentTarget => ({ type: 'serial', namespace: 'default', name, uid: 'u1' })

test('a stream carries bytes both ways until one side ends it; why there is none is told', async () => {
  const agents = agentsOfAllNodes('elsewhere', () => undefined, server)
  const stream = must(await agents.dial.open('one', { ...target('web'), noReplay: true }))
  assert.equal(opened?.noReplay, true)
  await stream.write(Buffer.from('world'))
  let heard = ''
  for await (const bytes of stream.readable) {
    heard += Buffer.from(bytes).toString()
    if (heard.endsWith('WORLD')) stream.close()
  }
  assert.equal(heard, 'hello WORLD')
  await stream.closed
  assert.equal(await failureOf(agents.dial.open('one', target('off'))), 'MachineNotRunning')
})

test('actions, pictures and uploads of another node', async () => {
  const { actions, uploads } = agentsOfAllNodes('elsewhere', () => undefined, server)
  const machine = { namespace: 'default', name: 'web', uid: 'u1' }
  must(await actions.pause('one', machine))
  assert.equal(await failureOf(actions.pause('one', { ...machine, name: 'off' })), 'AlreadyPaused')
  assert.deepEqual([...must(await actions.screenshot('one', machine))], [137, 80, 78, 71])
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let part = 0; part < 64; part += 1) yield Buffer.alloc(64 * 1024, part)
  }
  must(await uploads.receive({ nodeName: 'one', backingImage: 'img', body: body() }))
  assert.equal(Buffer.concat(uploaded).length, 4 * 1024 * 1024)
})

test('an image of a node comes with its length and sum', async () => {
  const { signal } = new AbortController()
  const image = must(await nodeTwo.fetchImage('one', { name: 'debian', uid: 'u' }, signal))
  let text = ''
  for await (const chunk of image.body) text += Buffer.from(chunk).toString()
  assert.deepEqual([image.sizeBytes, image.sha512, text], [5, 'abc', 'image'])
  assert.equal(await failureOf(nodeTwo.fetchImage('one', { name: 'none', uid: 'u' }, signal)), 'ImageUnknown')
})
