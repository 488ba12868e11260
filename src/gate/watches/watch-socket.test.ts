// Many watches over one WebSocket: events in order, each with the caller's own rights, and refusals as a Status.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ADMIN_TOKEN } from '../../../test/api-fixture.ts'
import type { JsonObject } from '../../base/json.ts'
import type { WebSocketPeer } from '../../host/host.ts'
import { realHost } from '../../host/real/index.ts'
import { type GateFixture, startGate } from '../gate.fixture.ts'

const TIMEOUT_MS = 20_000
let fixture: GateFixture

before(async () => {
  fixture = await startGate()
})
after(() => fixture.close())

interface Said {
  readonly id: number
  readonly event?: {
    readonly type: string
    readonly object: { readonly metadata: { readonly name?: string } }
  }
  readonly end?: { readonly code: number } | null
}

async function open(headers: Readonly<Record<string, string>>) {
  const { net } = realHost({ log: { level: 'error' } as never })
  const opened = await net.openWebSocket({
    url: `${fixture.url.replace('https', 'wss')}/v1-croft/watch`,
    protocols: [],
    idleTimeoutMs: TIMEOUT_MS,
    caPem: fixture.caPem,
    headers,
  })
  if (!opened.ok) return { failure: opened.failure.message }
  const socket: WebSocketPeer = opened.value
  const messages = socket.messages[Symbol.asyncIterator]()
  const next = async (): Promise<Said> => {
    const { done, value } = await messages.next()
    assert.ok(!done, 'the socket ended')
    return JSON.parse(new TextDecoder().decode(value.data)) as Said
  }
  return { socket, next, say: (value: object) => socket.send(JSON.stringify(value)) }
}

const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

function configMap(name: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: {},
  } as JsonObject
}

test('two watches share a socket; each tells its own changes, and one can be closed', async () => {
  const line = await open(admin)
  assert.ok(line.socket)
  const { resourceVersion } = (await fixture.call('list', 'v1/namespaces'))['metadata'] as {
    resourceVersion: string
  }
  await line.say({ open: 1, path: '/api/v1/namespaces/default/configmaps', resourceVersion })
  await line.say({
    open: 2,
    path: '/api/v1/namespaces/default/configmaps',
    resourceVersion,
    fieldSelector: 'metadata.name=b',
  })
  await fixture.create(configMap('a'))
  await fixture.create(configMap('b'))
  const said = [await line.next(), await line.next(), await line.next()]
  const told = said.map(({ id, event }) => `${id} ${event?.type} ${event?.object.metadata.name}`).sort()
  assert.deepEqual(told, ['1 ADDED a', '1 ADDED b', '2 ADDED b'])
  await line.say({ close: 1 })
  await line.say({ open: 3, path: '/api/v1/namespaces/default/configmaps', resourceVersion: 'nonsense' })
  const refused = await line.next()
  assert.equal(refused.id, 3)
  assert.equal(refused.end?.code, 400)
  await fixture.call('delete', 'v1/namespaces/default/configmaps/b')
  const gone = await line.next()
  assert.deepEqual([gone.id, gone.event?.type], [2, 'DELETED'])
  line.socket.close(1000)
})

test('a caller without the right gets a Status for that watch only, nobody gets no socket', async () => {
  const line = await open({ ...admin, 'impersonate-user': 'guest' })
  assert.ok(line.socket)
  await line.say({ open: 1, path: '/api/v1/secrets', resourceVersion: '1' })
  assert.deepEqual((await line.next()).end?.code, 403)
  line.socket.close(1000)
  const nobody = await open({})
  assert.match(nobody.failure ?? '', /401/)
})

test('a message that is no wish ends the socket', async () => {
  const line = await open(admin)
  assert.ok(line.socket)
  await line.say({ hello: 1 })
  await line.socket.closed
})
