import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Replica } from '../kinds/longhorn/replica.ts'
import { type StorageVolumeFacts, whyStorageVolume } from './storage-volume.ts'

const NOW = Date.UTC(2026, 11, 1)
const tell = { language: 'en', now: NOW } as const

type Loose = Record<string, unknown>

function replica(
  name: string,
  nodeID: string,
  spec: Loose = {},
  status: Loose = { currentState: 'running' },
): Replica {
  return {
    metadata: { name },
    spec: { nodeID, diskID: `d-${nodeID}`, ...spec },
    status,
  } as unknown as Replica
}

function node(name: string, ready = 'True', message = '') {
  const conditions = [{ type: 'Ready', status: ready, message }]
  return {
    metadata: { name },
    status: {
      conditions,
      diskStatus: { d: { diskUUID: `d-${name}`, conditions: [{ type: 'Ready', status: 'True' }] } },
    },
  }
}

interface Given {
  readonly status?: Loose
  readonly spec?: Loose
  readonly metadata?: Loose
  readonly engine?: Loose
  readonly replicas?: readonly Replica[]
  readonly nodes?: readonly object[]
  readonly inSync?: readonly string[]
  readonly rebuildsPerNode?: number
}

function why(given: Given) {
  const facts = {
    volume: {
      metadata: { name: 'v', namespace: 'longhorn-system', ...given.metadata },
      spec: { size: '1073741824', numberOfReplicas: 2, ...given.spec },
      status: { state: 'attached', robustness: 'healthy', ...given.status },
    },
    engine: {
      metadata: { name: 'v-e-0' },
      spec: { nodeID: 'n1' },
      status: given.engine ?? { replicaModeMap: { a: 'RW', b: 'RW' } },
    },
    epoch: {
      spec: {
        epoch: 3,
        inSync: (given.inSync ?? ['a', 'b']).map((name) => ({ replica: name, incarnation: 'x' })),
      },
    },
    replicas: given.replicas ?? [replica('a', 'n1'), replica('b', 'n2')],
    nodes: given.nodes ?? [node('n1'), node('n2')],
    rebuildsPerNode: given.rebuildsPerNode ?? 5,
    replenishWaitMs: 600_000,
  }
  return whyStorageVolume(facts as unknown as StorageVolumeFacts, tell)
}

const degraded = {
  status: { robustness: 'degraded', lastDegradedAt: '2026-12-01T00:00:00Z' },
  engine: { replicaModeMap: { a: 'RW' } },
}
const failed = { failedAt: '2026-12-01T00:00:00Z' }

test('a whole volume is fine', () => {
  assert.equal(why({}).healthy, true)
})

test('faulted: which copies have the newest data, where, and what is wrong with each', () => {
  const answer = why({
    status: { state: 'detached', robustness: 'faulted' },
    replicas: [replica('a', 'n1', failed), replica('b', 'n2')],
    nodes: [node('n1'), node('n2', 'False', 'node n2 is not ready: NodeStatusUnknown')],
    inSync: ['b'],
  })
  assert.match(answer.cause, /b on n2 \(node n2 is not ready/)
  assert.doesNotMatch(answer.cause, /a on n1/)
  assert.match(answer.next, /Bring back/)
})

test('degraded: rebuilt, waited for, failing, switched off, or without a place', () => {
  const joining = why({
    ...degraded,
    engine: {
      replicaModeMap: { a: 'RW', b: 'WO' },
      rebuildStatus: { b: { progress: 40, isRebuilding: true } },
    },
  })
  assert.match(joining.cause, /node "n2": 40%/)
  assert.equal(joining.waiting, true)
  const replicas = [replica('a', 'n1'), replica('b', 'n2', failed)]
  assert.match(why({ ...degraded, replicas }).cause, /copy on node "n2" is lost.*2026-12-01T00:10:00Z/)
  const bad = [replica('a', 'n1'), replica('b', 'n2', { ...failed, rebuildRetryCount: 3 })]
  assert.match(why({ ...degraded, replicas: bad }).cause, /3 times/)
  assert.match(why({ ...degraded, replicas, rebuildsPerNode: 0 }).cause, /switched off/)
  const conditions = [{ type: 'Scheduled', status: 'False', message: 'hard affinity cannot be satisfied' }]
  const unplaced = why({ ...degraded, status: { ...degraded.status, conditions } })
  assert.match(unplaced.cause, /1 of 2 copies.*hard affinity/)
  assert.match(unplaced.effect ?? '', /One more failure/)
})

test('on its way, filled, grown, deleted, or on a node that is silent', () => {
  const late = [
    replica(
      'a',
      'n1',
      {},
      {
        currentState: 'stopped',
        conditions: [{ type: 'InstanceCreation', status: 'False', message: 'no space' }],
      },
    ),
  ]
  assert.match(
    why({ status: { state: 'attaching' }, spec: { nodeID: 'n1' }, replicas: late }).cause,
    /a on n1 \(no space\)/,
  )
  assert.match(why({ spec: { dataSource: 'snap://x/y' } }).cause, /filled from "snap:\/\/x\/y"/)
  assert.match(
    why({ spec: { dataSource: 'snap://x/y' }, status: { cloneStatus: { state: 'failed' } } }).cause,
    /not there any more/,
  )
  assert.match(why({ status: { expansionRequired: true } }).cause, /grows to 1Gi/)
  const stuck = { replicaModeMap: { a: 'RW', b: 'RW' }, lastExpansionError: 'disk full' }
  assert.match(why({ status: { expansionRequired: true }, engine: stuck }).cause, /disk full/)
  assert.match(
    why({ metadata: { deletionTimestamp: '2026-12-01T00:00:00Z' } }).cause,
    /still to go: v-e-0, a, b/,
  )
  assert.match(why({ status: { robustness: 'unknown' } }).cause, /Node "n1".*does not answer/)
})

test('too many snapshots are a note, no fault', () => {
  const answer = why({ status: { conditions: [{ type: 'TooManySnapshots', status: 'True' }] } })
  assert.equal(answer.healthy, true)
  assert.match(answer.notes.join(), /At 250 no more/)
})
