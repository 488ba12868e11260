// How people use and misuse the API: lost updates, misspelt fields, nulls, quantities, odd names, apply conflicts,
// selectors, dry runs.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JsonObject } from '../src/base/json.ts'
import type { KubeObject } from '../src/base/object.ts'
import { ask, callAt, type Fixture, type HttpAnswer, startApi } from './api-fixture.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const MACHINES = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines'
const MERGE = { 'content-type': 'application/merge-patch+json' }
const APPLY = { 'content-type': 'application/apply-patch+yaml' }

let api: Fixture
before(async () => {
  api = await startApi()
})
after(() => api.close())

function configMap(name: string, more: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more }
}

function machine(name: string, domain: JsonObject = {}, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'default', ...(more['metadata'] as JsonObject | undefined) },
    spec: {
      runStrategy: 'Halted',
      template: {
        spec: { domain: { devices: {}, resources: { requests: { memory: '128Mi' } }, ...domain } },
      },
    },
  }
}

function metadataOf(answer: HttpAnswer): KubeObject['metadata'] {
  return (answer.json as unknown as KubeObject).metadata
}

function messageOf(answer: HttpAnswer): string {
  return String(answer.json['message'])
}

test('of fifty writers with one version exactly one wins; fifty patches all land', async () => {
  const made = await ask(api, 'POST', MAPS, { body: configMap('api04') })
  assert.equal(made.status, 201)
  const puts = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      ask(api, 'PUT', `${MAPS}/api04`, { body: { ...made.json, data: { n: String(index) } } }),
    ),
  )
  assert.equal(puts.filter(({ status }) => status === 200).length, 1)
  const lost = puts.filter(({ status }) => status === 409)
  assert.equal(lost.length, 49)
  assert.ok(lost.every(({ json }) => json['reason'] === 'Conflict'))
  const patches = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      ask(api, 'PATCH', `${MAPS}/api04`, { headers: MERGE, body: { data: { [`k${index}`]: 'v' } } }),
    ),
  )
  assert.ok(patches.every(({ status }) => status === 200))
  const read = await ask(api, 'GET', `${MAPS}/api04`)
  assert.equal(Object.keys(read.json['data'] as object).length, 51)
  const blind = await ask(api, 'PUT', `${MAPS}/api04`, { body: configMap('api04', { data: { last: 'w' } }) })
  assert.equal(blind.status, 200)
  const other = configMap('api04', { metadata: { name: 'api04', uid: 'another' } })
  assert.equal((await ask(api, 'PUT', `${MAPS}/api04`, { body: other })).status, 409)
  const wrong = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'another' } }
  assert.equal((await ask(api, 'DELETE', `${MAPS}/api04`, { body: wrong })).status, 409)
})

test('the status does not count as a generation, the spec counts one', async () => {
  const made = await ask(api, 'POST', MACHINES, { body: machine('api04vm') })
  assert.equal(metadataOf(made).generation, 1)
  const status = { status: { printableStatus: 'Stopped' } }
  const told = await ask(api, 'PATCH', `${MACHINES}/api04vm/status`, { headers: MERGE, body: status })
  assert.equal(metadataOf(told).generation, 1)
  assert.deepEqual((told.json['status'] as JsonObject)['printableStatus'], 'Stopped')
  const spec = { spec: { runStrategy: 'Always' }, status: { printableStatus: 'ignored' } }
  const changed = await ask(api, 'PATCH', `${MACHINES}/api04vm`, { headers: MERGE, body: spec })
  assert.equal(metadataOf(changed).generation, 2)
  assert.deepEqual((changed.json['status'] as JsonObject)['printableStatus'], 'Stopped')
  const { resourceVersion: _version, ...metadata } = metadataOf(changed)
  const bare = await ask(api, 'PUT', `${MACHINES}/api04vm`, { body: { ...changed.json, metadata } })
  assert.equal(bare.status, 422)
})

test('misspelt and doubled fields: refused, warned of, or dropped, as asked', async () => {
  const typo = machine('api07', { memmory: { guest: '1Gi' } })
  const strict = await ask(api, 'POST', `${MACHINES}?fieldValidation=Strict`, { body: typo })
  assert.equal(strict.status, 400)
  assert.match(messageOf(strict), /unknown field "spec.template.spec.domain.memmory"/)
  const warned = await ask(api, 'POST', `${MACHINES}?fieldValidation=Warn`, { body: typo })
  assert.equal(warned.status, 201)
  assert.deepEqual(warned.headers['warning'], [
    '299 - "unknown field \\"spec.template.spec.domain.memmory\\""',
  ])
  assert.ok(!warned.text.includes('memmory'))
  const another = machine('api07c', { memmory: { guest: '1Gi' } })
  const silent = await ask(api, 'POST', `${MACHINES}?fieldValidation=Ignore`, { body: another })
  assert.equal(silent.status, 201)
  assert.equal(silent.headers['warning'], undefined)
  const doubled = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: api07b, namespace: default}
spec:
  runStrategy: Halted
  template:
    spec:
      domain: {devices: {}, resources: {requests: {memory: 128Mi}}}
      volumes: [{name: a, emptyDisk: {capacity: 1Gi}}]
      volumes: []
`
  const yaml = { 'content-type': 'application/yaml' }
  const twice = await ask(api, 'POST', `${MACHINES}?fieldValidation=Strict`, { body: doubled, headers: yaml })
  assert.equal(twice.status, 400)
  assert.match(messageOf(twice), /"volumes" already set/)
  const json = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"},"data":{"a":"1","a":"2"}}`
  const again = await ask(api, 'POST', `${MAPS}?fieldValidation=Strict`, { body: json })
  assert.match(messageOf(again), /duplicate field "data.a"/)
})

test('a part at the wrong depth is told by its path, and what is missing for it too', async () => {
  const indented = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'api07c', namespace: 'default' },
    spec: {
      runStrategy: 'Halted',
      template: { metadata: { labels: { a: 'b' }, spec: { domain: { devices: {} } } } },
    },
  }
  const strict = await ask(api, 'POST', `${MACHINES}?fieldValidation=Strict`, { body: indented })
  assert.equal(strict.status, 400)
  assert.match(messageOf(strict), /unknown field "spec.template.metadata.spec"/)
})

test('null equals absent, deletes in a merge patch, and is no body', async () => {
  const body = {
    ...machine('api08', { devices: { disks: null, interfaces: null } }),
    metadata: {
      name: 'api08',
      namespace: 'default',
      creationTimestamp: null,
      labels: null,
      annotations: null,
    },
    status: null,
  }
  const made = await ask(api, 'POST', MACHINES, { body })
  assert.equal(made.status, 201, made.text)
  assert.ok(!made.text.includes(':null'), made.text)
  await ask(api, 'PATCH', `${MACHINES}/api08`, { headers: MERGE, body: { metadata: { labels: { a: 'b' } } } })
  const cleared = await ask(api, 'PATCH', `${MACHINES}/api08`, {
    headers: MERGE,
    body: { metadata: { labels: null } },
  })
  assert.equal(cleared.status, 200)
  assert.equal(metadataOf(cleared).labels, undefined)
  for (const text of ['null', '[]', '"x"', '', '{', '\u0000']) {
    const bad = await ask(api, 'POST', MAPS, { body: text })
    assert.equal(bad.status, 400, text)
    assert.equal(bad.json['kind'], 'Status')
  }
})

test('quantities come back in canonical form, bad ones are refused with their path', async () => {
  const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
  const claim = (name: string, storage: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage } } },
  })
  const good = { '1024Mi': '1Gi', '1.5Gi': '1536Mi', '1E': '1E', '9007199254740993': '9007199254740993' }
  for (const [given, wanted] of Object.entries(good)) {
    const made = await ask(api, 'POST', claims, { body: claim(`q-${given.toLowerCase()}`, given) })
    assert.equal(made.status, 201, made.text)
    assert.match(made.text, new RegExp(`"storage":"${wanted}"`))
  }
  for (const bad of ['1gi', '1GiB', '1 Gi', '', '1_000', '0x10', '1,5Gi', 'NaN', '-1Gi']) {
    const refused = await ask(api, 'POST', claims, { body: claim('q-bad', bad) })
    assert.ok(refused.status === 400 || refused.status === 422, `${bad}: ${refused.status}`)
    assert.match(messageOf(refused), /storage/)
  }
})

test('odd names are refused in words; odd keys are data', async () => {
  for (const name of ['ok-1', '1-ok', 'con', 'constructor', 'tostring', 'a.b.c'])
    assert.equal((await ask(api, 'POST', MAPS, { body: configMap(name) })).status, 201, name)
  for (const name of [
    'Upper',
    'under_score',
    '-lead',
    'trail-',
    'dot..dot',
    '..',
    'a/b',
    'naïve',
    'space in',
    '',
    '__proto__',
  ]) {
    const refused = await ask(api, 'POST', MAPS, { body: configMap(name) })
    assert.equal(refused.status, 422, name)
    assert.match(messageOf(refused), /metadata.name/)
  }
  for (const length of [58, 63, 250]) {
    const body = configMap('', { metadata: { generateName: 'g'.repeat(length) } })
    const made = await ask(api, 'POST', MAPS, { body })
    assert.equal(made.status, 201)
    assert.match(metadataOf(made).name ?? '', /^g{58}[a-z0-9]{5}$/)
  }
  const labelled = (value: string) =>
    configMap('', { metadata: { generateName: 'l-', labels: { a: value, constructor: 'x' } } })
  assert.equal((await ask(api, 'POST', MAPS, { body: labelled('v'.repeat(63)) })).status, 201)
  assert.equal((await ask(api, 'POST', MAPS, { body: labelled('v'.repeat(64)) })).status, 422)
  const proto = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto"},"data":{"__proto__":"x"}}'
  const stored = await ask(api, 'POST', MAPS, { body: proto })
  assert.ok(stored.status === 201 || stored.status === 422)
  assert.equal(({} as { x?: string }).x, undefined)
})

test('server-side apply: conflict, force, giving up a field, no change the second time', async () => {
  const a = machine('api11', { cpu: { cores: 2 } })
  const url = (manager: string) => `${MACHINES}/api11?fieldManager=${manager}`
  assert.equal((await ask(api, 'PATCH', url('A'), { headers: APPLY, body: a })).status, 201)
  const b = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'api11', namespace: 'default', labels: { team: 'b' } },
    spec: { template: { spec: { domain: { cpu: { cores: 4 } } } } },
  }
  const conflict = await ask(api, 'PATCH', url('B'), { headers: APPLY, body: b })
  assert.equal(conflict.status, 409)
  assert.match(messageOf(conflict), /"A".*\.spec\.template\.spec\.domain\.cpu\.cores/)
  const forced = await ask(api, 'PATCH', `${url('B')}&force=true`, { headers: APPLY, body: b })
  assert.equal(forced.status, 200)
  assert.deepEqual(metadataOf(forced).labels, { team: 'b' })
  const without = machine('api11')
  const given = await ask(api, 'PATCH', url('A'), { headers: APPLY, body: without })
  assert.equal(given.status, 200, given.text)
  assert.match(given.text, /"cores":4/)
  const again = await ask(api, 'PATCH', url('A'), { headers: APPLY, body: without })
  assert.equal(metadataOf(again).resourceVersion, metadataOf(given).resourceVersion)
})

test('selectors select, and a bad one is never everything', async () => {
  const labels: Record<string, JsonObject> = { s1: { env: 'prod', tier: 'web' }, s2: { env: 'test' }, s3: {} }
  await ask(api, 'POST', '/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'api17' } },
  })
  const url = '/api/v1/namespaces/api17/secrets'
  for (const [name, own] of Object.entries(labels))
    await ask(api, 'POST', url, {
      body: { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels: own } },
    })
  const names = async (query: string) => {
    const listed = await ask(api, 'GET', `${url}?${query}`)
    assert.equal(listed.status, 200, listed.text)
    return (listed.json['items'] as unknown as KubeObject[]).map(({ metadata }) => metadata.name)
  }
  const select = (text: string) => names(`labelSelector=${encodeURIComponent(text)}`)
  assert.deepEqual(await select('env=prod'), ['s1'])
  assert.deepEqual(await select('env!=prod'), ['s2', 's3'])
  assert.deepEqual(await select('env in (prod, test)'), ['s1', 's2'])
  assert.deepEqual(await select('env notin (prod)'), ['s2', 's3'])
  assert.deepEqual(await select('!env'), ['s3'])
  assert.deepEqual(await select('env=prod,tier!=db'), ['s1'])
  assert.deepEqual(await select('env='), [])
  assert.deepEqual(await names('fieldSelector=metadata.name%3Ds2'), ['s2'])
  assert.deepEqual(await names('fieldSelector=metadata.name!%3Ds2'), ['s1', 's3'])
  assert.equal((await ask(api, 'GET', `${url}?labelSelector=%3Dx`)).status, 400)
  assert.equal((await ask(api, 'GET', `${url}?fieldSelector=data.x%3D1`)).status, 400)
  await ask(api, 'DELETE', `${url}?labelSelector=env%3Dtest`)
  assert.deepEqual(await names(''), ['s1', 's3'])
})

test('a dry run answers as if done and does nothing', async () => {
  const revision = api.deps.store.revision()
  const body = machine('api19')
  for (let turn = 0; turn < 20; turn += 1)
    assert.equal((await ask(api, 'POST', `${MACHINES}?dryRun=All`, { body })).status, 201)
  assert.equal((await ask(api, 'GET', `${MACHINES}/api19`)).status, 404)
  const bad = await ask(api, 'POST', `${MACHINES}?dryRun=All`, { body: machine('Api19') })
  assert.equal(bad.status, 422)
  assert.equal((await ask(api, 'POST', `${MACHINES}?dryRun=Some`, { body })).status, 400)
  const real = await ask(api, 'POST', MAPS, { body: configMap('api19', { data: { a: '1' } }) })
  const patched = await ask(api, 'PATCH', `${MAPS}/api19?dryRun=All`, {
    headers: MERGE,
    body: { data: { a: '2' } },
  })
  assert.deepEqual(patched.json['data'], { a: '2' })
  const applied = configMap('api19', { data: { b: '1' } })
  const url = `${MAPS}/api19?dryRun=All&fieldManager=x`
  assert.equal((await ask(api, 'PATCH', url, { headers: APPLY, body: applied })).status, 200)
  assert.equal(
    (await ask(api, 'PUT', `${MAPS}/api19?dryRun=All`, { body: { ...real.json, data: {} } })).status,
    200,
  )
  assert.equal((await ask(api, 'DELETE', `${MAPS}/api19?dryRun=All`)).status, 200)
  const read = await ask(api, 'GET', `${MAPS}/api19`)
  assert.deepEqual(read.json, real.json)
  assert.equal(api.deps.store.revision() - revision, 1)
})

test('a quota holds against six at once, and says what is used', async () => {
  await ask(api, 'POST', '/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns-q' } },
  })
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard: { 'requests.storage': '10Gi', 'count/secrets': '2' } },
  }
  await ask(api, 'POST', '/api/v1/namespaces/ns-q/resourcequotas', { body: quota })
  const claim = (name: string, storage: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage } } },
  })
  const claims = '/api/v1/namespaces/ns-q/persistentvolumeclaims'
  const over = await ask(api, 'POST', claims, { body: claim('a', '11Gi') })
  assert.equal(over.status, 403)
  assert.match(
    messageOf(over),
    /exceeded quota: q, requested: requests.storage=11Gi, used: .*limited: requests.storage=10Gi/,
  )
  assert.equal((await ask(api, 'POST', claims, { body: claim('a', '10Gi') })).status, 201)
  assert.equal((await ask(api, 'POST', claims, { body: claim('b', '1Mi') })).status, 403)
  const burst = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      ask(api, 'POST', '/api/v1/namespaces/ns-q/secrets', {
        body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: `s${index}` } },
      }),
    ),
  )
  assert.equal(burst.filter(({ status }) => status === 201).length, 2)
})

test('a viewer reads and can do nothing else', async () => {
  const user = { username: 'viewer', groups: ['system:authenticated'] }
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
  const rules = [
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get', 'list', 'watch'] },
  ]
  await ask(api, 'POST', `${roles}/roles`, {
    body: { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'look' }, rules },
  })
  await ask(api, 'POST', `${roles}/rolebindings`, {
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'look' },
      subjects: [{ kind: 'User', name: 'viewer', apiGroup: 'rbac.authorization.k8s.io' }],
      roleRef: { kind: 'Role', name: 'look', apiGroup: 'rbac.authorization.k8s.io' },
    },
  })
  const at = 'kubevirt.io/v1/namespaces/default/virtualmachines'
  await api.api.call(callAt('list', at, { user }))
  for (const [verb, path] of [
    ['create', at],
    ['update', `${at}/api11`],
    ['patch', `${at}/api11`],
    ['delete', `${at}/api11`],
    ['deletecollection', at],
    ['get', `${at}/api11/status`],
    ['list', 'kubevirt.io/v1/namespaces/kube-system/virtualmachines'],
    ['list', 'v1/namespaces/default/secrets'],
  ] as const)
    await assert.rejects(
      api.api.call(callAt(verb, path, { user, body: {} })),
      { code: 403 },
      `${verb} ${path}`,
    )
  const headers = { 'impersonate-user': 'viewer' }
  const start = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/api11/start'
  const refused = await ask(api, 'PUT', start, { headers })
  assert.equal(refused.status, 403)
  assert.match(
    messageOf(refused),
    /cannot update resource "virtualmachines\/start" in API group "subresources.kubevirt.io"/,
  )
})
