import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { judge, lookOver } from '../judge.ts'
import { VolumeEpoch } from './volume-epoch.ts'

const record = (spec: JsonObject): JsonObject => ({
  apiVersion: 'storage.croft.io/v1alpha1',
  kind: 'VolumeEpoch',
  metadata: { name: 'pvc-1', namespace: 'longhorn-system' },
  spec,
})
const engine = (incarnation: string): JsonObject => ({ name: 'pvc-1-e-0', incarnation, nodeID: 'a' })
const inSync = [{ replica: 'pvc-1-r-0', incarnation: 'x' }]
const look = lookOver([])

test('epochs run forward by one, and each belongs to one engine', () => {
  const at = (spec: JsonObject, previous?: KubeObject): readonly string[] =>
    judge(VolumeEpoch, record(spec), look, previous).causes.map(({ field }) => field)
  const first = judge(VolumeEpoch, record({ epoch: 4, engine: engine('a'), inSync }), look).object
  assert.deepEqual(at({ epoch: 5, engine: engine('b'), inSync }, first), [])
  assert.deepEqual(at({ epoch: 4, engine: engine('a'), inSync, cleanShutdown: true }, first), [])
  assert.deepEqual(at({ epoch: 3, engine: engine('a'), inSync }, first), ['spec.epoch'])
  assert.deepEqual(at({ epoch: 6, engine: engine('b'), inSync }, first), ['spec.epoch'])
  assert.deepEqual(at({ epoch: 4, engine: engine('b'), inSync }, first), ['spec.engine'])
  assert.deepEqual(at({ epoch: 5, engine: engine('b'), inSync: [] }, first), ['spec.inSync'])
  assert.deepEqual(at({ epoch: -1, inSync }), ['spec.epoch'])
  assert.deepEqual(at({ epoch: 1, inSync: [...inSync, ...inSync] }), ['spec.inSync[1]'])
})
