import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuantity } from '../base/quantity.ts'
import type { Namespace } from '../kinds/core/namespace.ts'
import { Node } from '../kinds/core/node.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { Pod } from '../kinds/core/pod.ts'
import { type Decision, decider } from '../kinds/decide.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { object, type Stack, startStack } from '../sim/stack.ts'
import { decideScheduling, type SeenPod, scheduler } from './scheduler.ts'
import type { ClaimOfPod } from './scheduling/claims.ts'
import { nodeState } from './scheduling/filter.ts'
import { untolerated } from './scheduling/taints.ts'

interface PodWish {
  readonly cpu?: string
  readonly memory?: string
  readonly node?: string
  readonly labels?: Record<string, string>
  readonly spec?: Record<string, unknown>
  readonly phase?: string
}

function pod(name: string, wish: PodWish = {}): Pod {
  const requests = { cpu: wish.cpu ?? '100m', memory: wish.memory ?? '64Mi' }
  return object(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      labels: { 'kubevirt.io': 'virt-launcher', ...wish.labels },
    },
    spec: {
      containers: [{ name: 'compute', image: 'croft/virt-launcher', resources: { requests } }],
      ...(wish.node ? { nodeName: wish.node } : {}),
      ...wish.spec,
    },
    ...(wish.phase ? { status: { phase: wish.phase } } : {}),
  })
}

interface NodeWish {
  readonly cpu?: string
  readonly memory?: string
  readonly pods?: string
  readonly labels?: Record<string, string>
  readonly spec?: Record<string, unknown>
}

function node(name: string, wish: NodeWish = {}): Node {
  const capacity = { cpu: wish.cpu ?? '4', memory: wish.memory ?? '8Gi', pods: wish.pods ?? '110' }
  return object(Node, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...wish.labels } },
    spec: wish.spec ?? {},
    status: { allocatable: capacity, capacity, nodeInfo: { containerRuntimeVersion: 'croft://0.1.0' } },
  })
}

interface Scene {
  readonly nodes: readonly Node[]
  readonly placed?: readonly Pod[]
  readonly claims?: readonly ClaimOfPod[]
  readonly namespaces?: readonly Namespace[]
}

function seen(one: Pod, { nodes, placed = [], claims = [], namespaces = [] }: Scene): SeenPod {
  const states = nodes.map((each) =>
    nodeState(
      each,
      placed.filter((other) => other.spec?.nodeName === each.metadata.name),
    ),
  )
  return { pod: one, states, claims, namespaces }
}

/** One line: where it goes, or what the condition says. */
function told({ actions, status }: Decision): string {
  for (const action of actions) {
    if (action.do === 'post') return `-> ${(action.object['target'] as { name: string }).name}`
    if (action.do === 'patch') return `patch ${action.target.name} ${JSON.stringify(action.patch)}`
  }
  const conditions = (status?.['conditions'] ?? []) as readonly {
    readonly type: string
    readonly message?: string
  }[]
  return conditions.find((condition) => condition.type === 'PodScheduled')?.message ?? 'nothing'
}

const place = (one: Pod, scene: Scene) => told(decideScheduling(seen(one, scene), 0))

const OTHER = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'db' } } },
      ],
    },
  },
}
const NEAR = {
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'db' } } },
      ],
    },
  },
}
const zoned = [node('a', { labels: { zone: '1' } }), node('b', { labels: { zone: '2' } })]

test('transcript: one Pod, some nodes, where it goes or why not', () => {
  const transcript: readonly (readonly [what: string, one: Pod, scene: Scene, says: string])[] = [
    ['no nodes', pod('p'), { nodes: [] }, 'no nodes available to schedule pods'],
    ['room', pod('p'), { nodes: [node('a')] }, '-> a'],
    [
      'the emptier node',
      pod('p'),
      { nodes: [node('a'), node('b')], placed: [pod('x', { node: 'a', cpu: '2' })] },
      '-> b',
    ],
    [
      'no room',
      pod('p', { cpu: '5', memory: '9Gi' }),
      { nodes: [node('a'), node('b', { cpu: '8' })] },
      '0/2 nodes are available: 1 Insufficient cpu, 2 Insufficient memory.',
    ],
    [
      'room taken by others, not by those that have ended',
      pod('p', { cpu: '2' }),
      {
        nodes: [node('a')],
        placed: [pod('x', { node: 'a', cpu: '3' }), pod('y', { node: 'a', cpu: '3', phase: 'Succeeded' })],
      },
      '0/1 nodes are available: 1 Insufficient cpu.',
    ],
    [
      'too many',
      pod('p'),
      { nodes: [node('a', { pods: '1' })], placed: [pod('x', { node: 'a' })] },
      '0/1 nodes are available: 1 Too many pods.',
    ],
    [
      'cordoned',
      pod('p'),
      { nodes: [node('a', { spec: { unschedulable: true } })] },
      '0/1 nodes are available: 1 node(s) were unschedulable.',
    ],
    [
      'tainted',
      pod('p'),
      { nodes: [node('a', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } })] },
      '0/1 nodes are available: 1 node(s) had untolerated taint {gpu: yes}.',
    ],
    [
      'tolerated',
      pod('p', { spec: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } }),
      { nodes: [node('a', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } })] },
      '-> a',
    ],
    [
      'selected',
      pod('p', { spec: { nodeSelector: { 'kubevirt.io/schedulable': 'true' } } }),
      { nodes: [node('a'), node('b', { labels: { 'kubevirt.io/schedulable': 'true' } })] },
      '-> b',
    ],
    [
      'selected nowhere',
      pod('p', { spec: { nodeSelector: { 'kubevirt.io/schedulable': 'true' } } }),
      { nodes: [node('a', { labels: { 'kubevirt.io/schedulable': 'false' } })] },
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    ],
    [
      'preferred',
      pod('p', {
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 10,
                  preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] },
                },
              ],
            },
          },
        },
      }),
      {
        nodes: [node('a'), node('b', { labels: { disk: 'ssd' } })],
        placed: [pod('x', { node: 'b', cpu: '1' })],
      },
      '-> b',
    ],
    [
      'away from',
      pod('p', { spec: OTHER }),
      { nodes: zoned, placed: [pod('x', { node: 'a', labels: { app: 'db' } })] },
      '-> b',
    ],
    [
      'away from everywhere',
      pod('p', { spec: OTHER }),
      { nodes: zoned.slice(0, 1), placed: [pod('x', { node: 'a', labels: { app: 'db' } })] },
      "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.",
    ],
    [
      'others want to be away from it',
      pod('p', { labels: { app: 'db' } }),
      { nodes: zoned.slice(0, 1), placed: [pod('x', { node: 'a', spec: OTHER })] },
      "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    ],
    [
      'near to',
      pod('p', { spec: NEAR }),
      { nodes: zoned, placed: [pod('x', { node: 'b', labels: { app: 'db' } })] },
      '-> b',
    ],
    [
      'near to nobody',
      pod('p', { spec: NEAR }),
      { nodes: zoned },
      "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.",
    ],
    ['the first of a group', pod('p', { spec: NEAR, labels: { app: 'db' } }), { nodes: zoned }, '-> a'],
    [
      'a container, which nothing here can run',
      pod('p', { labels: { 'kubevirt.io': '' } }),
      { nodes: [node('a')] },
      '0/1 nodes are available: 1 node(s) have no container runtime: only virtual machines run on them.',
    ],
    [
      'an init container that needs more than all others',
      pod('p', {
        cpu: '1',
        spec: { initContainers: [{ name: 'i', resources: { requests: { cpu: '5' } } }] },
      }),
      { nodes: [node('a')] },
      '0/1 nodes are available: 1 Insufficient cpu.',
    ],
    [
      'overhead counts',
      pod('p', { memory: '8Gi', spec: { overhead: { memory: '1Mi' } } }),
      { nodes: [node('a')] },
      '0/1 nodes are available: 1 Insufficient memory.',
    ],
    [
      'gated',
      pod('p', { spec: { schedulingGates: [{ name: 'wait' }] } }),
      { nodes: [node('a')] },
      'Scheduling is blocked due to non-empty scheduling gates',
    ],
    ['another scheduler', pod('p', { spec: { schedulerName: 'mine' } }), { nodes: [node('a')] }, 'nothing'],
    ['placed already', pod('p', { node: 'a' }), { nodes: [node('a')] }, 'nothing'],
  ]
  for (const [what, one, scene, says] of transcript) assert.equal(place(one, scene), says, what)
})

test('claims: bound, missing, to be waited for, to be sent to the chosen node', () => {
  const claim = (phase: string, annotations: Record<string, string> = {}) =>
    object(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'c', namespace: 'default', annotations },
      spec: { storageClassName: 's' },
      status: { phase },
    })
  const late = object(StorageClass, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 's' },
    provisioner: 'x',
    volumeBindingMode: 'WaitForFirstConsumer',
  })
  const none = { volume: undefined, storageClass: undefined }
  const nodes = [node('a'), node('b')]
  const cases: readonly (readonly [ClaimOfPod, string])[] = [
    [{ name: 'c', claim: claim('Bound'), ...none }, '-> a'],
    [
      { name: 'c', claim: undefined, ...none },
      '0/2 nodes are available: persistentvolumeclaim "c" not found.',
    ],
    [
      { name: 'c', claim: claim('Pending'), ...none },
      '0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
    ],
    [
      { name: 'c', claim: claim('Pending'), volume: undefined, storageClass: late },
      'patch c {"metadata":{"annotations":{"volume.kubernetes.io/selected-node":"a"}}}',
    ],
    [
      {
        name: 'c',
        claim: claim('Pending', { 'volume.kubernetes.io/selected-node': 'b' }),
        volume: undefined,
        storageClass: late,
      },
      'nothing',
    ],
  ]
  for (const [one, says] of cases) assert.equal(place(pod('p'), { nodes, claims: [one] }), says)
})

test('claims of a new Pod get a moment to be bound before anybody is warned', () => {
  const created = Date.parse('2026-01-01T00:00:00Z')
  const claim = object(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'default' },
    status: { phase: 'Pending' },
  })
  const young = pod('p')
  const seen = {
    pod: { ...young, metadata: { ...young.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } },
    states: [],
    claims: [{ name: 'c', claim, volume: undefined, storageClass: undefined }],
    namespaces: [],
  }
  assert.deepEqual(decideScheduling(seen, created + 500), { actions: [], wakeAt: created + 2_000 })
  const [note] = decideScheduling(seen, created + 2_000).actions
  assert.equal(note?.do === 'note' && note.reason, 'FailedScheduling')
})

test('property: whatever comes, no node is overfilled and no taint ignored', () => {
  const amount = fc.constantFrom('100m', '500m', '1', '1500m', '3')
  const taints = fc.constantFrom<Record<string, unknown>>(
    {},
    { taints: [{ key: 't', effect: 'NoSchedule' }] },
    { taints: [{ key: 'e', effect: 'NoExecute' }] },
  )
  const tolerations = fc.constantFrom<Record<string, unknown>>(
    {},
    { tolerations: [{ key: 't', operator: 'Exists' }] },
    { tolerations: [{ operator: 'Exists' }] },
  )
  const nodes = fc.array(
    fc.record({ cpu: fc.constantFrom('1', '2', '4'), pods: fc.constantFrom('2', '110'), spec: taints }),
    { maxLength: 4 },
  )
  const pods = fc.array(fc.record({ cpu: amount, spec: tolerations }), { maxLength: 20 })
  fc.assert(
    fc.property(nodes, pods, (nodeWishes, podWishes) => {
      const made = nodeWishes.map((wish, index) => node(`n${index}`, wish))
      const placed: Pod[] = []
      podWishes.forEach((wish, index) => {
        const says = place(pod(`p${index}`, wish), { nodes: made, placed })
        if (says.startsWith('-> ')) placed.push(pod(`p${index}`, { ...wish, node: says.slice(3) }))
        else assert.match(says, /nodes? (are )?available/)
      })
      for (const one of made) {
        const here = placed.filter((other) => other.spec?.nodeName === one.metadata.name)
        const used = here.reduce((sum, other) => sum + cpuOf(other), 0n)
        assert.ok(used <= parseQuantity(one.status?.allocatable?.['cpu'] ?? '0')!.nano)
        assert.ok(here.length <= Number(one.status?.allocatable?.['pods']))
        for (const other of here)
          assert.equal(untolerated(one.spec?.taints, other.spec?.tolerations), undefined)
      }
    }),
    { numRuns: 300 },
  )
})

function cpuOf(one: Pod): bigint {
  return parseQuantity(one.spec?.containers?.[0]?.resources?.requests?.['cpu'] ?? '0')!.nano
}

async function make(stack: Stack, one: Pod | Node): Promise<void> {
  const { uid: _uid, ...metadata } = one.metadata
  const kind = one.kind === 'Pod' ? Pod : Node
  await stack.ask(stack.client.create(kind, { ...one, metadata } as never))
  const { status } = one
  if (status === undefined) return
  const where = { subresource: 'status', ...(metadata.namespace ? { namespace: metadata.namespace } : {}) }
  await stack.ask(stack.client.patch(kind, metadata.name ?? '', { status } as never, where))
}

test('through the real API a burst of Pods fills the nodes exactly, the rest waits and follows', async () => {
  const stack = await startStack([decider(scheduler)])
  for (const name of ['n1', 'n2']) {
    await make(stack, node(name, { cpu: '2' }))
    await stack.ask(stack.client.patch(Node, name, { spec: { taints: null } }))
  }
  await Promise.all(Array.from({ length: 6 }, (_, index) => make(stack, pod(`p${index}`, { cpu: '1' }))))
  await stack.pass(1_000)
  const placed = () => stack.informers.look.list(Pod).filter((one) => one.spec?.nodeName)
  assert.equal(placed().length, 4)
  assert.equal(placed().filter((one) => one.spec?.nodeName === 'n1').length, 2)
  const [waiting] = stack.informers.look.list(Pod).filter((one) => !one.spec?.nodeName)
  const condition = waiting?.status?.conditions?.find((one) => one.type === 'PodScheduled')
  assert.equal(condition?.message, '0/2 nodes are available: 2 Insufficient cpu.')
  assert.match(stack.events(waiting?.metadata.name ?? '').join(), /Warning FailedScheduling: 0\/2 nodes/)
  const [first] = placed()
  await stack.ask(
    stack.client.delete(Pod, first?.metadata.name ?? '', { namespace: 'default', graceSeconds: 0 }),
  )
  await stack.pass(1_000)
  assert.equal(placed().length, 4)
  assert.deepEqual(stack.problems, [])
})
