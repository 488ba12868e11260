import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { decideAttachment } from './attachment.ts'

const at = (name: string) => ({ name, namespace: 'longhorn-system' })
const volume = { metadata: at('v'), spec: { nodeID: 'one' } } as unknown as Volume
const replica = {
  metadata: at('v-r'),
  spec: { desireState: 'running' },
  status: { currentState: 'running', storageIP: '127.0.0.1', port: 0 },
} as unknown as Replica

function engine(currentState: string, desireState: string): Engine {
  return {
    metadata: at('v-e-0'),
    spec: { nodeID: 'one', desireState, replicaAddressMap: { 'v-r': '127.0.0.1:0' } },
    status: { currentState, endpoint: currentState === 'running' ? 'nbd+unix:///x' : '' },
  } as unknown as Engine
}

function decide(one: Engine): readonly [string, readonly unknown[]] {
  const { state, actions } = decideAttachment({ volume, engine: one, replicas: [replica], wantedNode: 'one' })
  return [state, actions.map((action) => (action.do === 'patch' ? action.patch : action.do))]
}

test('an engine that lost what it stood on is stopped first, although the volume is still wanted', () => {
  assert.deepEqual(decide(engine('error', 'running')), ['detaching', [{ spec: { desireState: 'stopped' } }]])
  // Until its agent has said that it stopped, nothing is started: the agent would not hear of the stop.
  assert.deepEqual(decide(engine('error', 'stopped')), ['detaching', []])
})

test('one that stopped starts again on the same node', () => {
  assert.deepEqual(decide(engine('stopped', 'stopped')), [
    'attaching',
    [{ spec: { desireState: 'running' } }],
  ])
  assert.deepEqual(decide(engine('running', 'running')), ['attached', []])
})
