// Objects through their life: created, read, listed, changed, watched, deleted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAt, startApi } from '../../../test/api-fixture.ts'
import type { WatchEvent } from '../../base/call.ts'
import { ApiError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'

const start = () => startApi()

function configMap(name: string, data: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', ...metadata }, data }
}

async function refusal(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    return error
  }
  throw new assert.AssertionError({ message: 'was not refused' })
}

test('create gives identity; read gives the same object', async () => {
  const api = await start()
  const made = await api.create(configMap('a', { x: '1' }))
  assert.equal(made.metadata.namespace, 'default')
  assert.match(made.metadata.uid ?? '', /^[0-9a-f-]{36}$/)
  const read = await api.call('get', 'v1/namespaces/default/configmaps/a')
  assert.deepEqual(read, made)
  const again = await refusal(api.create(configMap('a', {})))
  assert.equal(again.message, 'configmaps "a" already exists')
  assert.equal((await refusal(api.call('get', 'v1/namespaces/default/configmaps/b'))).code, 404)
  await api.close()
})

test('update needs the latest version; a write that changes nothing keeps it', async () => {
  const api = await start()
  const made = await api.create(configMap('a', { x: '1' }))
  const at = 'v1/namespaces/default/configmaps/a'
  const same = await api.call('update', at, { body: made as unknown as JsonObject })
  assert.equal((same as unknown as KubeObject).metadata.resourceVersion, made.metadata.resourceVersion)
  const next = { ...(made as unknown as JsonObject), data: { x: '2' } }
  await api.call('update', at, { body: next })
  assert.equal(
    (await refusal(api.call('update', at, { body: { ...next, data: { x: '3' } } }))).reason,
    'Conflict',
  )
  await api.close()
})

test('merge and JSON patches land, twenty at once too', async () => {
  const api = await start()
  await api.create(configMap('a', { x: '1' }))
  const at = 'v1/namespaces/default/configmaps/a'
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      api.call('patch', at, { patchType: 'merge', body: { data: { [`k${index}`]: 'v' } } }),
    ),
  )
  const patched = await api.call('patch', at, {
    patchType: 'json',
    body: [{ op: 'remove', path: '/data/x' }],
  })
  assert.equal(Object.keys(patched['data'] as object).length, 20)
  await api.close()
})

test('a watch tells every change once and in order, selections included', async () => {
  const api = await start()
  const stop = new AbortController()
  const call = callAt('watch', 'v1/namespaces/default/configmaps', { options: { labelSelector: 'env=prod' } })
  const events: WatchEvent[] = []
  const done = (async () => {
    for await (const event of api.api.watch({ ...call, signal: stop.signal })) {
      events.push(event)
      if (events.length === 3) stop.abort()
    }
  })()
  await new Promise((resolve) => setTimeout(resolve, 10))
  await api.create(configMap('a', {}, { labels: { env: 'prod' } }))
  const at = 'v1/namespaces/default/configmaps/a'
  await api.call('patch', at, { patchType: 'merge', body: { metadata: { labels: { env: 'test' } } } })
  const last = await api.call('patch', at, {
    patchType: 'merge',
    body: { metadata: { labels: { env: 'prod' } } },
  })
  await done
  assert.deepEqual(
    events.map(({ type }) => type),
    ['ADDED', 'DELETED', 'ADDED'],
  )
  assert.deepEqual(events[1]?.object.metadata.labels, { env: 'prod' })
  assert.equal(
    events[2]?.object.metadata.resourceVersion,
    (last as unknown as KubeObject).metadata.resourceVersion,
  )
  await api.close()
})

test('a finalizer holds the object; its removal lets it go', async () => {
  const api = await start()
  await api.create(configMap('a', {}, { finalizers: ['example.com/hold'] }))
  const at = 'v1/namespaces/default/configmaps/a'
  const marked = (await api.call('delete', at)) as unknown as KubeObject
  assert.ok(marked.metadata.deletionTimestamp)
  await api.call('patch', at, { patchType: 'merge', body: { metadata: { finalizers: null } } })
  assert.equal((await refusal(api.call('get', at))).code, 404)
  await api.close()
})

function secret(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'kube-public' } }
}

test('lists come in pages from one snapshot', async () => {
  const api = await start()
  for (const name of ['a', 'b', 'c']) await api.create(secret(name))
  const first = await api.call('list', 'v1/namespaces/kube-public/secrets', { options: { limit: 2 } })
  const metadata = first['metadata'] as { continue: string; remainingItemCount: number }
  assert.equal(metadata.remainingItemCount, 1)
  await api.create(secret('d'))
  const second = await api.call('list', 'v1/namespaces/kube-public/secrets', {
    options: { limit: 2, continueToken: metadata.continue },
  })
  assert.deepEqual(
    (second['items'] as unknown as KubeObject[]).map((item) => item.metadata.name),
    ['c'],
  )
  await api.close()
})
