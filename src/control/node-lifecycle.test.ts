import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Node } from '../kinds/core/node.ts'
import { Pod } from '../kinds/core/pod.ts'
import { type Decision, decider } from '../kinds/decide.ts'
import { Lease } from '../kinds/kubernetes/lease.ts'
import { object, startStack } from '../sim/stack.ts'
import { decideNode, nodeLifecycle, type SeenNode } from './node-lifecycle.ts'
import { decidePodCleanup } from './pod-cleanup.ts'

const NOW = Date.UTC(2026, 0, 1)

function node(ready: string | undefined, more: Record<string, unknown> = {}): Node {
  return object(Node, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', uid: 'u', resourceVersion: '5', labels: { 'kubevirt.io/schedulable': 'true' } },
    spec: {},
    status: ready === undefined ? {} : { conditions: [{ type: 'Ready', status: ready }] },
    ...more,
  })
}

function seen(one: Node, leaseAgeMs: number | undefined, more: Partial<SeenNode> = {}): SeenNode {
  return { node: one, leaseAgeMs, leaseDurationMs: 10_000, nodeAgeMs: 0, pods: [], ...more }
}

/** The decision in a few words. */
function told({ actions, status, wakeAt }: Decision): string {
  const words = actions.map((action) => {
    if (action.do === 'note') return action.reason
    if (action.do !== 'patch') return action.do
    if (action.target.kind === Pod) return `pod ${action.target.name} not ready`
    const { spec, metadata } = action.patch as {
      spec?: { taints: readonly { key: string; effect: string }[] | null }
      metadata?: { labels: Record<string, string> }
    }
    if (metadata !== undefined) return `schedulable=${metadata.labels['kubevirt.io/schedulable']}`
    return `taints ${(spec?.taints ?? []).map((taint) => `${taint.key.split('/')[1]}:${taint.effect}`).join(' ')}`
  })
  const conditions = (status?.['conditions'] ?? []) as readonly { type: string; status: string }[]
  const ready = conditions.find((condition) => condition.type === 'Ready')
  return [
    ...words,
    ...(ready ? [`Ready=${ready.status}`] : []),
    ...(wakeAt === undefined ? [] : [`again in ${wakeAt - NOW} ms`]),
  ].join('; ')
}

test('transcript: a node, the age of its lease, what follows', () => {
  const unreachable = [
    { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' },
  ]
  const pod = object(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', uid: 'p' },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  })
  const lines: readonly (readonly [what: string, seen: SeenNode, says: string])[] = [
    ['healthy', seen(node('True'), 3_000), 'again in 17000 ms'],
    [
      'silent for two durations',
      seen(node('True'), 20_000, { pods: [pod] }),
      'taints unreachable:NoSchedule unreachable:NoExecute; schedulable=false; pod p not ready; NodeNotReady; Ready=Unknown',
    ],
    [
      'lost and told already',
      seen(
        node('Unknown', {
          metadata: { name: 'n', labels: { 'kubevirt.io/schedulable': 'false' } },
          spec: { taints: unreachable },
          status: {
            conditions: ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
              type,
              status: 'Unknown',
            })),
          },
        }),
        90_000,
      ),
      '',
    ],
    ['back again', seen(node('True', { spec: { taints: unreachable } }), 0), 'taints ; again in 20000 ms'],
    [
      'back again, and its label was taken away here',
      seen(
        node('True', {
          metadata: {
            name: 'n',
            labels: { 'kubevirt.io/schedulable': 'false' },
            annotations: { 'croft.io/schedulable-held': 'the node does not answer' },
          },
        }),
        0,
      ),
      'schedulable=true; again in 20000 ms',
    ],
    [
      'a person took it out of service',
      seen(node('True', { metadata: { name: 'n', labels: { 'kubevirt.io/schedulable': 'false' } } }), 0),
      'again in 20000 ms',
    ],
    [
      'says itself that it is not ready',
      seen(node('False'), 0),
      'taints not-ready:NoSchedule not-ready:NoExecute; again in 20000 ms',
    ],
    [
      'registered, no lease yet',
      seen(node(undefined), undefined, { nodeAgeMs: 10_000 }),
      'taints not-ready:NoSchedule not-ready:NoExecute; again in 30000 ms',
    ],
    [
      'a taint of a person stays, a cordon adds one',
      seen(
        node('True', { spec: { unschedulable: true, taints: [{ key: 'x/mine', effect: 'NoSchedule' }] } }),
        0,
      ),
      'taints mine:NoSchedule unschedulable:NoSchedule; again in 20000 ms',
    ],
  ]
  for (const [what, one, says] of lines) assert.equal(told(decideNode(one, NOW)), says, what)
})

test('through the real API: the lease stops, the node is lost; it comes back, the node is ready', async () => {
  const stack = await startStack([decider(nodeLifecycle)])
  await stack.ask(
    stack.client.create(Node, object(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })),
  )
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }]
  const beat = async () => {
    const status = { subresource: 'status' }
    await stack.ask(stack.client.patch(Node, 'n', { status: { conditions } } as never, status))
  }
  await beat()
  await stack.ask(
    stack.client.create(
      Lease,
      object(Lease, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'n', namespace: 'kube-node-lease' },
        spec: { holderIdentity: 'n', leaseDurationSeconds: 10 },
      }),
    ),
  )
  const renew = (count: number) =>
    stack.ask(
      stack.client.patch(Lease, 'n', { spec: { leaseTransitions: count } }, { namespace: 'kube-node-lease' }),
    )
  for (let count = 1; count < 10; count += 1) {
    await renew(count)
    await stack.pass(5_000)
  }
  const read = () => stack.read(Node, 'n')
  const ready = () => read()?.status?.conditions?.find((condition) => condition.type === 'Ready')?.status
  assert.equal(ready(), 'True')
  assert.deepEqual(read()?.spec?.taints ?? [], [])
  await stack.pass(30_000)
  assert.equal(ready(), 'Unknown')
  assert.equal(read()?.spec?.taints?.length, 2)
  await renew(11)
  await beat()
  await stack.pass(1_000)
  assert.equal(ready(), 'True')
  assert.deepEqual(read()?.spec?.taints ?? [], [])
  assert.deepEqual(stack.problems, [])
})

test('Pods leave a tainted node when their toleration ends, and a node that is gone at once', () => {
  const pod = (tolerations: readonly unknown[]) =>
    object(Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default', uid: 'p' },
      spec: { nodeName: 'n', tolerations },
    })
  const taint = { key: 'x', effect: 'NoExecute', timeAdded: new Date(NOW - 100_000).toISOString() }
  const tainted = node('True', { spec: { taints: [taint] } })
  const decide = (tolerations: readonly unknown[], on: Node | undefined) => {
    const { actions, wakeAt } = decidePodCleanup({ pod: pod(tolerations), node: on }, NOW)
    return [actions.map((action) => action.do).join(' '), wakeAt === undefined ? undefined : wakeAt - NOW]
  }
  assert.deepEqual(decide([], node('True')), ['', undefined])
  assert.deepEqual(decide([], tainted), ['note delete', undefined])
  assert.deepEqual(decide([{ key: 'x', operator: 'Exists' }], tainted), ['', undefined])
  assert.deepEqual(decide([{ key: 'x', operator: 'Exists', tolerationSeconds: 300 }], tainted), ['', 200_000])
  assert.deepEqual(decide([{ key: 'x', operator: 'Exists', tolerationSeconds: 60 }], tainted), [
    'note delete',
    undefined,
  ])
  assert.deepEqual(decide([{ operator: 'Exists' }], undefined), ['delete', undefined])
})
