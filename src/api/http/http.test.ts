// The HTTP side: paths, forms of answers, errors, discovery, watches as streams.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ADMIN_TOKEN, ask, type Fixture, startApi } from '../../../test/api-fixture.ts'
import type { JsonObject } from '../../base/json.ts'
import { duplicateKeys } from './duplicates.ts'
import { negotiate } from './negotiate.ts'
import { readRequestInfo } from './request-info.ts'
import { readYaml } from './yaml.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
let api: Fixture
before(async () => {
  api = await startApi()
})
after(() => api.close())

function lines(text: string): readonly JsonObject[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
}

test('method and path say what is asked', () => {
  const read = (method: string, url: string) => {
    const { verb, group, version, namespace, resource, name, subresource, rest } = readRequestInfo(
      method,
      url,
    )
    return [verb, group, version, namespace, resource, name, subresource, ...rest].join('|')
  }
  assert.equal(read('GET', '/api/v1/namespaces/a/pods/p/log?follow=true'), 'get||v1|a|pods|p|log')
  assert.equal(read('GET', '/api/v1/namespaces/a'), 'get||v1|a|namespaces|a|')
  assert.equal(read('PUT', '/api/v1/namespaces/a/finalize'), 'update||v1|a|namespaces|a|finalize')
  assert.equal(read('GET', '/apis/apps/v1/deployments?watch=1'), 'watch|apps|v1||deployments||')
  assert.equal(
    read('DELETE', '/apis/kubevirt.io/v1/namespaces/a/virtualmachines'),
    'deletecollection|kubevirt.io|v1|a|virtualmachines||',
  )
  assert.equal(read('GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx'), 'list||v1||pods|x|')
  const forward =
    '/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/m/portforward/22/tcp'
  assert.equal(
    read('GET', forward),
    'get|subresources.kubevirt.io|v1|a|virtualmachineinstances|m|portforward|22|tcp',
  )
})

test('the Accept header chooses the form, or nothing fits', () => {
  assert.equal(negotiate(undefined)?.as, 'object')
  assert.equal(negotiate('text/html, */*;q=0.1')?.as, 'object')
  assert.equal(negotiate('application/*'), undefined)
  assert.equal(negotiate('application/vnd.kubernetes.protobuf,application/json')?.as, 'object')
  assert.equal(negotiate('application/json;as=Table;v=v1;g=meta.k8s.io')?.as, 'table')
  assert.equal(negotiate('application/json;as=Table;v=v9;g=meta.k8s.io,application/json')?.as, 'object')
})

test('doubled keys are found, others are not', () => {
  assert.deepEqual(duplicateKeys('{"a":{"b":1,"b":2},"c":[{"d":1},{"d":1,"d":{}}]}'), ['a.b', 'c[1].d'])
  assert.deepEqual(duplicateKeys('{"a":"a\\"b\\\\","b":"{\\"a\\":1}","c":{"a":[1,"x:y",{"a":null}]}}'), [])
})

test('YAML reads as kubectl reads it', () => {
  const { value } = readYaml('a: on\nb: 0777\nc: 9007199254740993\nd: 2026-01-01\ne: 1:30\nf: "on"\ng: ~\n')
  assert.deepEqual(value, {
    a: true,
    b: 511,
    c: 9007199254740993n,
    d: '2026-01-01',
    e: '1:30',
    f: 'on',
    g: null,
  })
  assert.deepEqual(readYaml('a: 1\na: 2\n').duplicates, ['line 2: key "a" already set in map'])
  assert.throws(() => readYaml('a: [1\n'), { code: 400 })
  assert.throws(() => readYaml('a: 1\n\tb: 2\n'), { code: 400 })
})

test('what is not there is told in Kubernetes words', async () => {
  const missing = await ask(api, 'GET', `${MAPS}/nope`)
  assert.deepEqual(missing.json, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "nope" not found',
    reason: 'NotFound',
    details: { name: 'nope', kind: 'configmaps' },
    code: 404,
  })
  assert.equal((await ask(api, 'GET', '/api/v1/nopes')).json['reason'], 'NotFound')
  assert.equal((await ask(api, 'GET', '/apis/nope.io/v1/things')).text, '404 page not found\n')
  assert.equal((await ask(api, 'POST', `${MAPS}/x`, { body: {} })).status, 405)
  assert.equal((await ask(api, 'PUT', MAPS, { body: {} })).status, 405)
  assert.equal((await ask(api, 'GET', MAPS, { headers: { accept: 'application/*' } })).status, 406)
  assert.equal(
    (await ask(api, 'POST', MAPS, { body: 'x', headers: { 'content-type': 'text/plain' } })).status,
    415,
  )
  const huge = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'h' },
    data: { x: 'x'.repeat(3_200_000) },
  }
  assert.equal((await ask(api, 'POST', MAPS, { body: huge })).status, 413)
  assert.equal((await ask(api, 'GET', '/api/v1/namespaces/none/configmaps')).status, 200)
})

test('who asks without or with a wrong credential', async () => {
  const anonymous = await ask(api, 'GET', MAPS, { headers: { authorization: '' } })
  assert.equal(anonymous.status, 403)
  assert.match(
    anonymous.text,
    /User \\"system:anonymous\\" cannot list resource \\"configmaps\\" in API group \\"\\" in the namespace \\"default\\"/,
  )
  assert.equal((await ask(api, 'GET', '/version', { headers: { authorization: '' } })).status, 200)
  assert.equal(
    (await ask(api, 'GET', '/version', { headers: { authorization: 'Bearer wrong' } })).status,
    401,
  )
  assert.equal(
    (await ask(api, 'GET', '/version', { headers: { authorization: `Bearer ${ADMIN_TOKEN}x` } })).status,
    401,
  )
  assert.equal((await ask(api, 'GET', MAPS, { headers: { authorization: 'Bearer a.b.c' } })).status, 401)
})

test('tables carry columns, rows and the metadata of each object', async () => {
  await api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shown' }, data: { a: '1' } })
  const { json } = await ask(api, 'GET', `${MAPS}/shown`, { headers: TABLE })
  assert.equal(json['kind'], 'Table')
  const [row] = json['rows'] as readonly { cells: unknown[]; object: JsonObject }[]
  assert.deepEqual(row?.cells.slice(0, 2), ['shown', 1])
  assert.equal(row?.object['kind'], 'PartialObjectMetadata')
  const whole = await ask(api, 'GET', `${MAPS}?includeObject=Object`, { headers: TABLE })
  assert.match(whole.text, /"kind":"ConfigMap"/)
})

test('a watch is lines of JSON: the present, the end of it, then what happens', async () => {
  const url = `${MAPS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1&fieldSelector=metadata.name%3Dw`
  await api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'w' } })
  const watching = ask(api, 'GET', url)
  await new Promise((resolve) => setTimeout(resolve, 50))
  await ask(api, 'DELETE', `${MAPS}/w`)
  const events = lines((await watching).text) as unknown as {
    type: string
    object: { metadata: JsonObject }
  }[]
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ADDED', 'BOOKMARK', 'DELETED'],
  )
  assert.deepEqual(events[1]?.object.metadata['annotations'], { 'k8s.io/initial-events-end': 'true' })
  assert.ok(
    Number(events[2]?.object.metadata['resourceVersion']) >
      Number(events[1]?.object.metadata['resourceVersion']),
  )
  const wrong = await ask(api, 'GET', `${MAPS}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true`)
  assert.equal(wrong.status, 422)
})

test('a watch from forgotten history says 410 in its stream; a list beyond the present waits and gives up', async () => {
  for (let turn = 0; turn < 5; turn += 1)
    await ask(api, 'PATCH', `${MAPS}/shown`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { data: { turn: String(turn) } },
    })
  await api.deps.store.compact(api.deps.store.revision())
  const [event] = lines((await ask(api, 'GET', `${MAPS}?watch=1&resourceVersion=1`)).text)
  assert.equal(event?.['type'], 'ERROR')
  assert.equal((event as { object: JsonObject } | undefined)?.object['code'], 410)
  const early = await ask(api, 'GET', `${MAPS}?resourceVersion=999999`)
  assert.equal(early.status, 504)
  assert.equal(early.headers['retry-after'], '1')
})

test('discovery is whole, has a tag and honours it', async () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const first = await ask(api, 'GET', '/apis', { headers: { accept } })
  assert.equal(first.headers['content-type'], accept)
  assert.match(first.text, /"subresources.kubevirt.io"/)
  const etag = String(first.headers['etag'])
  assert.equal((await ask(api, 'GET', '/apis', { headers: { accept, 'if-none-match': etag } })).status, 304)
  assert.equal((await ask(api, 'GET', '/apis')).json['kind'], 'APIGroupList')
  const core = (await ask(api, 'GET', '/api/v1')).json['resources'] as readonly JsonObject[]
  const eviction = core.find((one) => one['name'] === 'pods/eviction')
  assert.deepEqual([eviction?.['group'], eviction?.['kind']], ['policy', 'Eviction'])
  assert.equal((await ask(api, 'GET', '/apis/nope.io')).status, 404)
})

test('keys of tokens are public and only in their own media type', async () => {
  const keys = await ask(api, 'GET', '/openid/v1/jwks')
  assert.equal(keys.headers['content-type'], 'application/jwk-set+json')
  assert.equal((keys.json['keys'] as JsonObject[])[0]?.['kty'], 'EC')
  assert.equal(
    (await ask(api, 'GET', '/openid/v1/jwks', { headers: { accept: 'application/json' } })).status,
    406,
  )
})
