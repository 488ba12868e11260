// What the server keeps in order by itself: owners and what belongs to them, namespaces, definitions.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, type Fixture, startApi } from '../../../test/api-fixture.ts'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { SYSTEM_NAMESPACES } from '../bootstrap/objects.ts'

const MAPS = 'v1/namespaces/default/configmaps'
let api: Fixture
before(async () => {
  api = await startApi()
})
after(() => api.close())

function configMap(name: string, owners: readonly KubeObject[] = [], namespace = 'default'): JsonObject {
  const ownerReferences = owners.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    blockOwnerDeletion: true,
  }))
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ownerReferences } }
}

async function exists(path: string): Promise<boolean> {
  return api.call('get', path).then(
    () => true,
    () => false,
  )
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail(`never: ${what}`)
}

test('what belongs to a deleted object goes; with a second owner it stays', async () => {
  const [one, two] = [await api.create(configMap('one')), await api.create(configMap('two'))]
  await api.create(configMap('of-one', [one]))
  await api.create(configMap('of-both', [one, two]))
  await api.call('delete', `${MAPS}/one`)
  await eventually('of-one is gone', async () => !(await exists(`${MAPS}/of-one`)))
  await eventually('of-both has one owner', async () => {
    const both = (await api.call('get', `${MAPS}/of-both`)) as unknown as KubeObject
    return both.metadata.ownerReferences?.length === 1
  })
})

test('an owner that was never there, or another object of its name, owns nothing', async () => {
  const ghost = { ...(await api.create(configMap('ghost'))) }
  const wrong = { ...ghost, metadata: { ...ghost.metadata, uid: 'another' } }
  await api.create(configMap('of-ghost', [wrong]))
  await eventually('of-ghost is gone', async () => !(await exists(`${MAPS}/of-ghost`)))
  assert.ok(await exists(`${MAPS}/ghost`))
})

test('foreground: the owner waits for what belongs to it', async () => {
  const owner = await api.create(configMap('front'))
  const held = { ...configMap('behind', [owner]) }
  await api.create({
    ...held,
    metadata: { ...(held['metadata'] as JsonObject), finalizers: ['example.com/hold'] },
  })
  await api.call('delete', `${MAPS}/front`, { body: { propagationPolicy: 'Foreground' } })
  await eventually('behind is going', async () => {
    const behind = (await api.call('get', `${MAPS}/behind`)) as unknown as KubeObject
    return behind.metadata.deletionTimestamp !== undefined
  })
  assert.ok(await exists(`${MAPS}/front`))
  await api.call('patch', `${MAPS}/behind`, { patchType: 'merge', body: { metadata: { finalizers: null } } })
  await eventually('both are gone', async () => !(await exists(`${MAPS}/front`)))
})

test('orphan: what belonged to the owner stays without it', async () => {
  const owner = await api.create(configMap('parent'))
  await api.create(configMap('child', [owner]))
  await api.call('delete', `${MAPS}/parent`, { body: { propagationPolicy: 'Orphan' } })
  await eventually('parent is gone', async () => !(await exists(`${MAPS}/parent`)))
  const child = (await api.call('get', `${MAPS}/child`)) as unknown as KubeObject
  assert.equal(child.metadata.ownerReferences, undefined)
})

test('a namespace that the server itself needs is never deleted', async () => {
  for (const name of SYSTEM_NAMESPACES)
    await assert.rejects(api.call('delete', `v1/namespaces/${name}`), { code: 403 }, name)
})

test('a namespace refuses newcomers while it goes, and goes with its content', async () => {
  await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'brief' } })
  await eventually('defaults', () => exists('v1/namespaces/brief/serviceaccounts/default'))
  await eventually('root CA', () => exists('v1/namespaces/brief/configmaps/kube-root-ca.crt'))
  const held = configMap('held', [], 'brief')
  await api.create({
    ...held,
    metadata: { ...(held['metadata'] as JsonObject), finalizers: ['example.com/hold'] },
  })
  await api.call('delete', 'v1/namespaces/brief')
  await assert.rejects(api.create(configMap('late', [], 'brief')), {
    code: 403,
    details: {
      name: 'late',
      kind: 'configmaps',
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: 'namespace brief is being terminated',
          field: 'metadata.namespace',
        },
      ],
    },
  })
  await eventually('the rest is told', async () =>
    JSON.stringify(await api.call('get', 'v1/namespaces/brief')).includes(
      'configmaps has 1 resource instances',
    ),
  )
  await api.call('patch', 'v1/namespaces/brief/configmaps/held', {
    patchType: 'merge',
    body: { metadata: { finalizers: null } },
  })
  await eventually('brief is gone', async () => !(await exists('v1/namespaces/brief')))
})

test('a definition: served at once, pruned and defaulted, gone with its objects; our own stay', async () => {
  const size = { type: 'integer', default: 3 }
  const spec = { type: 'object', properties: { size } }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  }
  const url = '/apis/example.com/v1/namespaces/default/widgets'
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { other: 1 } }
  assert.equal((await ask(api, 'GET', url)).status, 404)
  await api.create(definition)
  const made = await ask(api, 'POST', url, { body: widget })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.json['spec'], { size: 3 })
  const wider = { size, color: { type: 'string', default: 'blue' } }
  await api.call('patch', 'apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com', {
    patchType: 'json',
    body: [
      {
        op: 'replace',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties',
        value: wider,
      },
    ],
  })
  const read = await ask(api, 'GET', `${url}/w`)
  assert.deepEqual(read.json['spec'], { size: 3, color: 'blue' })
  const held = { ...widget, metadata: { name: 'held', finalizers: ['example.com/hold'] } }
  assert.equal((await ask(api, 'POST', url, { body: held })).status, 201)
  await api.call('delete', 'apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com')
  await eventually('w is gone', async () => (await ask(api, 'GET', `${url}/w`)).status === 404)
  const late = await ask(api, 'POST', url, { body: widget })
  assert.equal(late.status, 405)
  assert.match(late.text, /while custom resource definition is terminating/)
  await api.call('patch', 'example.com/v1/namespaces/default/widgets/held', {
    patchType: 'merge',
    body: { metadata: { finalizers: null } },
  })
  await eventually('the kind is gone', async () => (await ask(api, 'GET', url)).status === 404)
  const own = 'apiextensions.k8s.io/v1/customresourcedefinitions/virtualmachines.kubevirt.io'
  await eventually('our own kinds show', () => exists(own))
  await assert.rejects(api.call('delete', own), { code: 403 })
})

test('what each namespace has comes back after its deletion', async () => {
  for (const path of [`${MAPS}/kube-root-ca.crt`, 'v1/namespaces/default/serviceaccounts/default']) {
    await eventually('it is there', () => exists(path))
    const { metadata } = (await api.call('get', path)) as unknown as KubeObject
    await api.call('delete', path)
    await eventually('it is another one', async () => {
      const now = (await api.call('get', path).catch(() => undefined)) as unknown as KubeObject | undefined
      return now !== undefined && now.metadata.uid !== metadata.uid
    })
  }
})

test('an event is one object under both of its groups', async () => {
  const regarding = { kind: 'ConfigMap', namespace: 'default', name: 'x' }
  await api.create({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'noted', namespace: 'default' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'test',
    reportingInstance: 'test-1',
    action: 'Look',
    reason: 'Seen',
    regarding,
    note: 'it was seen',
    type: 'Normal',
  })
  const core = await api.call('get', 'v1/namespaces/default/events/noted')
  assert.equal(core['message'], 'it was seen')
  assert.deepEqual(core['involvedObject'], regarding)
  const view = await api.call('get', 'events.k8s.io/v1/namespaces/default/events/noted')
  assert.equal(view['note'], 'it was seen')
  const listed = await ask(api, 'GET', '/apis/events.k8s.io/v1/namespaces/default/events')
  assert.match(listed.text, /"note":"it was seen"/)
})
