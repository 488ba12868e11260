// The client over the network against the real API server: same interface, same answers as in process.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Api, createApi } from '../api/create-api.ts'
import { ApiError } from '../base/errors.ts'
import type { Listener } from '../host/host.ts'
import { realCertificates } from '../host/real/certificates.ts'
import { realHost } from '../host/real/index.ts'
import { ConfigMap } from '../kinds/core/config-map.ts'
import { allKinds } from '../kinds/index.ts'
import { memoryStore } from '../store/memory.ts'
import type { Client } from './client.ts'
import { createHttpsClient, pathOf } from './https.ts'
import { createInformers } from './informer.ts'
import { parseKubeconfig, printKubeconfig } from './kubeconfig.ts'

const host = realHost({ log: { level: 'error' } })
let api: Api
let listener: Listener
let client: Client
let server = ''

before(async () => {
  api = await createApi({
    store: memoryStore(),
    host,
    certificates: realCertificates,
    kinds: allKinds,
    identity: {
      clientCaPem: '',
      servingCaPem: '',
      tokenKeys: [],
      issuer: 'https://kubernetes.default.svc',
      staticTokens: [{ token: 'secret', username: 'admin', groups: ['system:masters'] }],
    },
    advertised: { addresses: ['127.0.0.1'], port: 6443, serviceIp: '10.96.0.1' },
    croftVersion: '0',
  })
  const listening = await host.net.listenHttp({ host: '127.0.0.1', port: 0 }, api.handler)
  assert.ok(listening.ok)
  listener = listening.value
  assert.ok('port' in listener.address)
  server = `http://127.0.0.1:${listener.address.port}`
  client = createHttpsClient({ net: host.net, server, fieldManager: 'test', token: () => 'secret' })
})

after(async () => {
  await listener.close(0)
  api.close()
})

function configMap(name: string, data: Record<string, string>): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data } as ConfigMap
}

const where = { namespace: 'default' }

async function refusalOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ApiError, String(error))
  return `${error.code} ${error.reason}: ${error.message}`
}

test('create, get, patch, update, list and delete', async () => {
  const made = await client.create(ConfigMap, configMap('a', { x: 'ä€😀' }))
  assert.equal(made.data?.['x'], 'ä€😀')
  assert.equal((await client.get(ConfigMap, 'a', where)).metadata.uid, made.metadata.uid)
  const patched = await client.patch(ConfigMap, 'a', { data: { y: '2' } }, where)
  assert.deepEqual(patched.data, { x: 'ä€😀', y: '2' })
  const updated = await client.update(ConfigMap, { ...patched, data: { z: '3' } } as ConfigMap)
  assert.deepEqual(updated.data, { z: '3' })
  const listed = await client.list(ConfigMap, { ...where, fieldSelector: 'metadata.name=a' })
  assert.deepEqual(
    listed.items.map((one) => [one.kind, one.apiVersion, one.metadata.name]),
    [['ConfigMap', 'v1', 'a']],
  )
  assert.match(await refusalOf(client.delete(ConfigMap, 'a', { ...where, uid: 'another' })), /^409 Conflict/)
  await client.delete(ConfigMap, 'a', where)
  assert.match(await refusalOf(client.get(ConfigMap, 'a', where)), /^404 NotFound: configmaps "a" not found/)
})

test('refusals arrive as they are, a server that is away is 503, a bad token 401', async () => {
  await client.create(ConfigMap, configMap('twice', {}))
  assert.match(await refusalOf(client.create(ConfigMap, configMap('twice', {}))), /^409 AlreadyExists/)
  assert.match(await refusalOf(client.create(ConfigMap, configMap('No Good', {}))), /^422 Invalid/)
  const stale = { metadata: { resourceVersion: '1' }, data: { a: 'b' } }
  assert.match(await refusalOf(client.patch(ConfigMap, 'twice', stale, where)), /^409 Conflict/)
  const stranger = createHttpsClient({ net: host.net, server, fieldManager: 'x', token: () => 'wrong' })
  assert.match(await refusalOf(stranger.list(ConfigMap, where)), /^401 Unauthorized/)
  const nobody = createHttpsClient({ net: host.net, server: 'http://127.0.0.1:1', fieldManager: 'x' })
  assert.match(await refusalOf(nobody.list(ConfigMap, where)), /^503 ServiceUnavailable/)
})

test('a watch tells events until it is aborted', async () => {
  const { resourceVersion } = await client.list(ConfigMap, where)
  const end = new AbortController()
  const told: string[] = []
  const watching = (async () => {
    for await (const { type, object } of client.watch(ConfigMap, {
      ...where,
      resourceVersion,
      signal: end.signal,
    })) {
      told.push(`${type} ${object.metadata.name}`)
      if (type === 'DELETED') end.abort()
    }
  })()
  await client.create(ConfigMap, configMap('w', {}))
  await client.patch(ConfigMap, 'w', { data: { a: 'x'.repeat(200_000) } }, where)
  await client.delete(ConfigMap, 'w', where)
  await watching
  assert.deepEqual(told, ['ADDED w', 'MODIFIED w', 'DELETED w'])
})

test('caches work over the network, page by page, with frozen objects', async () => {
  for (let index = 0; index < 7; index += 1) await client.create(ConfigMap, configMap(`p${index}`, {}))
  const end = new AbortController()
  const informers = createInformers(client, host, { signal: end.signal, pageSize: 3 })
  informers.start(ConfigMap, where)
  await informers.synced()
  const found = informers.look.get(ConfigMap, 'default', 'p6')
  assert.ok(found !== undefined && Object.isFrozen(found.metadata))
  const seen = new Promise<void>((resolve) => {
    informers.subscribe(ConfigMap, ({ object }) => object.metadata.name === 'late' && resolve())
  })
  await client.create(ConfigMap, configMap('late', {}))
  await seen
  end.abort()
})

test('paths name group, version, namespace, object and subresource', () => {
  assert.equal(pathOf(ConfigMap, 'a b', 'x/y', 'status'), '/api/v1/namespaces/a%20b/configmaps/x%2Fy/status')
  const cluster = { ...ConfigMap, group: 'storage.k8s.io', scope: 'Cluster' as const, plural: 'things' }
  assert.equal(pathOf(cluster, 'ignored'), '/apis/storage.k8s.io/v1/things')
})

test('kubeconfig: what is printed is parsed, and what is wrong is told', () => {
  const config = {
    server: 'https://10.0.0.1:6443',
    namespace: 'default',
    cluster: 'croft',
    user: 'admin',
    caPem: '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n',
    token: 't',
  }
  assert.deepEqual(parseKubeconfig(printKubeconfig(config)), { ok: true, value: { ...config, files: {} } })
  const why = (text: string, context?: string): string => {
    const parsed = parseKubeconfig(text, context)
    return parsed.ok ? 'parsed' : parsed.failure.message
  }
  assert.match(why(''), /empty or not a mapping/)
  assert.match(why('a: ['), /not YAML/)
  assert.match(why('{}'), /names no current-context/)
  assert.match(why(printKubeconfig(config), 'other'), /has no context other/)
})
