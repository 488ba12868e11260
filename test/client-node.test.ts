// @kubernetes/client-node, the client that Node programs use: calls and an informer over HTTPS.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  makeInformer,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import { type HttpsApi, startHttpsApi } from './https-api.ts'

let api: HttpsApi
let config: KubeConfig
before(async () => {
  api = await startHttpsApi()
  config = new KubeConfig()
  config.loadFromFile(api.kubeconfig)
})
after(() => api.close())

async function eventually(what: string, holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail(`never: ${what}`)
}

test('typed and custom calls', async () => {
  const core = config.makeApiClient(CoreV1Api)
  const made = await core.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: { name: 'typed' }, data: { a: '1' } },
  })
  assert.ok(made.metadata?.uid)
  const { items } = await core.listNamespacedConfigMap({ namespace: 'default', limit: 1 })
  assert.equal(items.length, 1)
  await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'typed' })
  await assert.rejects(core.readNamespacedConfigMap({ namespace: 'default', name: 'typed' }), { code: 404 })
  const custom = config.makeApiClient(CustomObjectsApi)
  const listed = (await custom.listNamespacedCustomObject({
    group: 'kubevirt.io',
    version: 'v1',
    namespace: 'default',
    plural: 'virtualmachines',
  })) as { readonly kind: string }
  assert.equal(listed.kind, 'VirtualMachineList')
})

test('an informer sees what is there and what happens', async () => {
  const core = config.makeApiClient(CoreV1Api)
  const create = (name: string) =>
    core.createNamespacedConfigMap({ namespace: 'kube-public', body: { metadata: { name } } })
  await create('before')
  const informer = makeInformer<V1ConfigMap>(config, '/api/v1/namespaces/kube-public/configmaps', () =>
    core.listNamespacedConfigMap({ namespace: 'kube-public' }),
  )
  const seen: string[] = []
  for (const type of ['add', 'update', 'delete'] as const)
    informer.on(type, (object: V1ConfigMap) => {
      seen.push(`${type} ${object.metadata?.name ?? ''}`)
    })
  await informer.start()
  await eventually('before is seen', () => seen.includes('add before'))
  await create('later')
  await core.patchNamespacedConfigMap({
    namespace: 'kube-public',
    name: 'later',
    body: [{ op: 'add', path: '/data', value: { a: '1' } }],
  })
  await core.deleteNamespacedConfigMap({ namespace: 'kube-public', name: 'later' })
  await eventually('its life is seen', () =>
    ['add later', 'update later', 'delete later'].every((event) => seen.includes(event)),
  )
  await informer.stop()
})
