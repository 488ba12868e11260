import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApi } from '../../../test/api-fixture.ts'
import { realClock } from '../../host/real/clock.ts'
import { realHost } from '../../host/real/index.ts'
import { expireEvents } from './expiry.ts'

test('an event goes an hour after it was last seen', async () => {
  let aheadMs = 0
  const clock = { ...realClock, now: () => realClock.now() + aheadMs, after: () => () => {} }
  const api = await startApi({ host: { ...realHost({ log: { level: 'error' } }), clock } })
  const at = (name: string) => `v1/namespaces/default/events/${name}`
  const event = (name: string, lastTimestamp: string) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'x' },
    reason: 'Seen',
    type: 'Normal',
    lastTimestamp,
  })
  const inTwoHours = `${new Date(realClock.now() + 7_200_000).toISOString().slice(0, 19)}Z`
  await api.create(event('old', '2026-01-01T00:00:00Z'))
  await api.create(event('fresh', inTwoHours))
  aheadMs = 3_700_000
  await expireEvents(api.api.core)
  assert.equal((await api.call('get', at('fresh')))['reason'], 'Seen')
  await assert.rejects(api.call('get', at('old')), { code: 404 })
  await api.close()
})
