// Objects in, explanation out: what lies deepest is the cause, and nothing is green above something that is not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyImage } from './image.ts'
import { type MachineFacts, whyMachine } from './machine.ts'
import { whyNode } from './node.ts'
import { whyPod } from './pod.ts'
import { type ClaimFacts, whyClaim } from './volume.ts'
import type { Tell } from './why.ts'

const NOW = Date.UTC(2026, 10, 30, 12)
const tell: Tell = { language: 'en', now: NOW }
const chinese: Tell = { language: 'zh-Hans', now: NOW }
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString().replace('.000', '')
const at = { name: 'web', namespace: 'shop' }
const condition = (type: string, status: string, reason = '', message = ''): object => ({
  type,
  status,
  reason,
  message,
})

/** Facts of a machine that is well; each test spoils one. */
function machine(
  more: { vm?: object; vmi?: object | null; node?: object; claim?: object | null } = {},
): MachineFacts {
  const vmi = {
    metadata: { ...at },
    spec: {},
    status: { phase: 'Running', nodeName: 'n1', conditions: [condition('AgentConnected', 'True')] },
    ...more.vmi,
  }
  return {
    vm: { metadata: at, spec: { runStrategy: 'Always', template: {} }, ...more.vm },
    vmi: more.vmi === null ? undefined : vmi,
    node: node(more.node),
    claims: [{ name: 'disk', facts: more.claim === null ? undefined : claim(more.claim) }],
  } as unknown as MachineFacts
}
function node(more: object = {}): object {
  return {
    metadata: { name: 'n1' },
    status: { conditions: [{ ...condition('Ready', 'True'), lastHeartbeatTime: ago(5) }] },
    ...more,
  }
}
function claim(more: object = {}): ClaimFacts {
  return {
    claim: {
      metadata: { name: 'disk', namespace: 'shop' },
      spec: { storageClassName: 'fast' },
      status: { phase: 'Bound' },
    },
    dataVolume: undefined,
    classes: [{ metadata: { name: 'fast' }, volumeBindingMode: 'Immediate' }],
    volume: volume({}),
    replicas: [{ spec: { nodeID: 'n1' } }],
    image: undefined,
    nodeCount: 1,
    ...more,
  } as unknown as ClaimFacts
}
function volume(status: object, spec: object = {}): object {
  return {
    spec: { size: String(2 ** 30), numberOfReplicas: 1, ...spec },
    status: { state: 'attached', robustness: 'healthy', ...status },
  }
}
const image = (status: object, spec: object = { sourceType: 'download' }): never =>
  ({ metadata: { name: 'debian', namespace: 'shop' }, spec, status }) as never

test('what is well is told so, with every layer below', () => {
  const why = whyMachine(machine(), tell)
  assert.deepEqual([why.healthy, why.next, why.notes], [true, '', []])
  assert.match(why.cause, /VirtualMachine web is fine/)
})

type Row = readonly [title: string, facts: MachineFacts, cause: RegExp, next: RegExp, waiting?: boolean]
const vmiStatus = (status: object, metadata: object = at): object => ({
  metadata,
  status: { nodeName: 'n1', ...status },
})
const rows: readonly Row[] = [
  [
    'a claim that is not there',
    machine({ claim: null }),
    /wants the volume claim "disk".*"shop"/,
    /Create the claim/,
  ],
  [
    'Running, and its volume has lost every copy',
    machine({ claim: { volume: volume({ robustness: 'faulted' }) } }),
    /All copies of the volume are lost/,
    /Bring back/,
  ],
  [
    'Running on too few copies',
    machine({ claim: { volume: volume({ robustness: 'degraded' }, { numberOfReplicas: 3 }) } }),
    /1 of 3 copies, because there are only 1 node/,
    /Add a disk/,
  ],
  [
    'a disk whose image failed',
    machine({
      vmi: null,
      claim: {
        image: image({ conditions: [condition('Imported', 'False', 'ImportFailed', 'no such host')] }),
      },
    }),
    /could not be had: no such host/,
    /another source/,
  ],
  [
    'a disk that is being filled',
    machine({
      vmi: vmiStatus({ phase: 'Pending' }),
      claim: { dataVolume: { status: { phase: 'ImportInProgress', progress: '42.5%' } } },
    }),
    /still being filled: 42.5%/,
    /by itself/,
    true,
  ],
  [
    'a class that does not exist',
    machine({
      vmi: null,
      claim: {
        ...claim(),
        claim: {
          metadata: { name: 'disk' },
          spec: { storageClassName: 'slow' },
          status: { phase: 'Pending' },
        },
      },
    }),
    /storage class "slow", which does not exist/,
    /Use one of: fast/,
  ],
  [
    'a volume without room',
    machine({
      vmi: null,
      claim: {
        replicas: [],
        volume: volume({ conditions: [condition('Scheduled', 'False', 'x', 'disk d1 is full')] }),
      },
    }),
    /No disk has room for a copy of 1Gi: disk d1 is full/,
    /Add a disk/,
  ],
  [
    'no node',
    machine({
      vmi: vmiStatus({
        phase: 'Scheduling',
        conditions: [
          condition(
            'PodScheduled',
            'False',
            'Unschedulable',
            '0/2 nodes are available: 2 Insufficient memory.',
          ),
        ],
      }),
    }),
    /None of 2 nodes can take the machine: 2 Insufficient memory\./,
    /ask for less/,
  ],
  [
    'a silent node',
    machine({
      node: { status: { conditions: [{ ...condition('Ready', 'Unknown'), lastHeartbeatTime: ago(90) }] } },
    }),
    /Node "n1".*has not been heard of for 90s/,
    /croft doctor/,
  ],
  [
    'a node silent since less than its heartbeats lie apart',
    machine({
      node: {
        status: {
          conditions: [
            {
              ...condition('Ready', 'Unknown'),
              lastHeartbeatTime: ago(270),
              lastTransitionTime: ago(20),
            },
          ],
        },
      },
    }),
    /Node "n1".*has not been heard of for 20s/,
    /croft doctor/,
  ],
  [
    'paused by somebody',
    machine({
      vmi: vmiStatus({ phase: 'Running', conditions: [condition('Paused', 'True', 'PausedByUser')] }),
    }),
    /Somebody paused/,
    /croft vm unpause web -n shop/,
  ],
  [
    'held after a write error',
    machine({
      vmi: vmiStatus({
        phase: 'Running',
        conditions: [condition('Paused', 'True', 'PausedIOError', 'disk root')],
      }),
    }),
    /disk root/,
    /Mend the disk/,
  ],
  [
    'crashing',
    machine({
      vm: {
        metadata: at,
        spec: { runStrategy: 'Always' },
        status: {
          startFailure: { consecutiveFailCount: 3, retryAfterTimestamp: ago(-60) },
          conditions: [condition('Failure', 'True', 'FailedStart', 'no space left on the disk')],
        },
      },
      vmi: null,
    }),
    /failed 3 times before its guest ran; the last time because: no space left/,
    /next try is in 60s/,
  ],
  [
    'a missing secret',
    machine({
      vmi: vmiStatus({
        phase: 'Scheduled',
        conditions: [condition('Synchronized', 'False', 'MissingSecret', 'secret "s" is missing')],
      }),
    }),
    /cannot go on: secret "s" is missing/,
    /Mend that/,
  ],
  [
    'a guest that does not shut down',
    machine({ vmi: vmiStatus({ phase: 'Running' }, { ...at, deletionTimestamp: ago(10) }) }),
    /asked to shut down 10s ago/,
    /by itself/,
    true,
  ],
  [
    'a machine that is being deleted',
    machine({ vm: { metadata: { ...at, deletionTimestamp: ago(1), finalizers: ['f'] }, spec: {} } }),
    /being deleted; still to go: f/,
    /by itself/,
    true,
  ],
  [
    'starting',
    machine({ vmi: vmiStatus({ phase: 'Scheduled' }) }),
    /so far it is Scheduled/,
    /by itself/,
    true,
  ],
]
for (const [title, facts, cause, next, waiting = false] of rows)
  test(`not green: ${title}`, () => {
    const why = whyMachine(facts, tell)
    assert.match(why.cause, cause)
    assert.match(why.next, next)
    assert.deepEqual([why.healthy, why.waiting], [false, waiting])
    const other = whyMachine(facts, chinese)
    assert.match(other.cause, /\p{Script=Han}/u)
    assert.deepEqual([other.healthy, other.waiting], [false, waiting])
  })

test('stopped is no fault, and says how to start; nor is a disk that waits for the first start', () => {
  const vm = { metadata: at, spec: { runStrategy: 'Halted' } }
  const waitsForFirst = {
    ...claim(),
    claim: { metadata: { name: 'disk' }, spec: { storageClassName: 'late' }, status: { phase: 'Pending' } },
    classes: [{ metadata: { name: 'late' }, volumeBindingMode: 'WaitForFirstConsumer' }],
  }
  for (const facts of [machine({ vm, vmi: null }), machine({ vm, vmi: null, claim: waitsForFirst })]) {
    const why = whyMachine(facts, tell)
    assert.equal(why.healthy, true)
    assert.match(why.next, /croft vm start web -n shop/)
  }
})

test('notes tell what is no fault: slow, without agent, restart wanted', () => {
  const slow = node({
    status: {
      conditions: [condition('Ready', 'True'), condition('croft.io/HardwareVirtualization', 'False')],
    },
  })
  const vm = {
    metadata: at,
    spec: { runStrategy: 'Always' },
    status: { conditions: [condition('RestartRequired', 'True')] },
  }
  const why = whyMachine(machine({ vm, vmi: vmiStatus({ phase: 'Running' }), node: slow }), tell)
  assert.equal(why.healthy, true)
  assert.match(why.cause, /changed in a way/)
  assert.equal(why.notes.length, 2)
})

test('images, nodes and pods', () => {
  assert.match(
    whyImage({ image: image({}, { sourceType: 'upload' }) }, tell).next,
    /croft image upload debian/,
  )
  assert.equal(whyImage({ image: image({ progress: 30 }) }, tell).waiting, true)
  const over = image({
    failed: 4,
    conditions: [condition('RetryLimitExceeded', 'True'), condition('Imported', 'False', 'x', 'HTTP 404')],
  })
  assert.match(whyImage({ image: over }, tell).cause, /HTTP 404.*failed 4 times/)
  const good = image({
    progress: 100,
    conditions: [condition('Imported', 'True'), condition('Initialized', 'True')],
  })
  assert.equal(whyImage({ image: good }, tell).healthy, true)
  assert.match(whyNode({ node: node({ spec: { unschedulable: true } }) as never }, tell).next, /uncordon n1/)
  const plain = { metadata: { name: 'p', namespace: 'shop' } } as never
  assert.match(whyPod({ pod: plain, machine: undefined }, tell).cause, /no container runtime/)
  const launcher = { metadata: { name: 'p', labels: { 'kubevirt.io': 'virt-launcher' } } } as never
  const sick = whyMachine(machine({ claim: null }), tell)
  assert.equal(whyPod({ pod: launcher, machine: sick }, tell), sick)
  assert.equal(whyClaim(claim({ volume: undefined }), tell).healthy, true)
})
