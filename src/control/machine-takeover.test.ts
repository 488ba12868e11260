import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTime } from '../base/time.ts'
import { Node } from '../kinds/core/node.ts'
import { Pod } from '../kinds/core/pod.ts'
import type { Decision } from '../kinds/decide.ts'
import { object } from '../sim/stack.ts'
import { decideTakeover, type SeenLostMachine } from './machine-takeover.ts'

const NOW = Date.UTC(2026, 0, 1)

function node(ready: string, sinceMs = 60_000): Node {
  return object(Node, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n2', uid: 'u' },
    status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: formatTime(NOW - sinceMs) }] },
  })
}

function pod(more: Record<string, unknown> = {}): Pod {
  return object(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', uid: 'p', labels: { 'kubevirt.io': 'virt-launcher' } },
    spec: { nodeName: 'n2', containers: [{ name: 'compute', image: 'x' }] },
    status: { phase: 'Running' },
    ...more,
  })
}

function told(seen: Partial<SeenLostMachine>): string {
  const whole = { pod: pod(), node: node('Unknown'), periodMs: 15_000, stuck: [], ...seen }
  const { actions, wakeAt }: Decision = decideTakeover(whole, NOW)
  const words = actions.map((action) =>
    action.do === 'note'
      ? action.reason
      : action.do === 'delete'
        ? `delete grace ${action.graceSeconds}`
        : action.do,
  )
  return [...words, ...(wakeAt === undefined ? [] : [`again in ${wakeAt - NOW} ms`])].join('; ')
}

test('transcript: what becomes of a machine whose node is silent', () => {
  assert.equal(told({ node: node('True') }), '')
  assert.equal(told({ node: node('False') }), '')
  assert.equal(told({ node: node('Unknown', 5_000) }), 'again in 10000 ms')
  assert.equal(told({}), 'NodeLost; delete grace 0')
  assert.equal(told({ stuck: ['pvc-1'] }), 'WaitsForNode; again in 10000 ms')
  assert.equal(told({ periodMs: undefined }), '')
  assert.equal(told({ pod: pod({ status: { phase: 'Succeeded' } }) }), '')
  assert.equal(told({ pod: pod({ metadata: { name: 'p', namespace: 'default', uid: 'p' } }) }), '')
  assert.equal(told({ node: undefined }), '')
})
