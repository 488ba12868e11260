import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node as CoreNode } from '../kinds/core/node.ts'
import type { Node } from '../kinds/longhorn/node.ts'
import type { Replica } from '../kinds/longhorn/replica.ts'
import { decideStorageNode, type SeenStorageNode } from './storage-node.ts'

const GIB = 1024 ** 3
const NOW = Date.UTC(2026, 11, 1)
const ready = [{ type: 'Ready', status: 'True', lastTransitionTime: 'then' }]

const node = {
  metadata: { name: 'n1', namespace: 'longhorn-system', uid: 'u' },
  status: {
    conditions: [...ready, { type: 'Schedulable', status: 'True', lastTransitionTime: 'then' }],
    diskStatus: {
      d: { diskUUID: 'disk', storageMaximum: 100 * GIB, storageAvailable: 80 * GIB, conditions: ready },
    },
  },
} as unknown as Node
const host = {
  metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z' } },
  status: { conditions: ready },
}
const replica = {
  metadata: { name: 'r' },
  spec: { diskID: 'disk', nodeID: 'n1', volumeSize: String(3 * GIB) },
}

function seen(more: Partial<SeenStorageNode> = {}): SeenStorageNode {
  return {
    node,
    host: host as unknown as CoreNode,
    replicas: [replica as unknown as Replica],
    images: [],
    minimalAvailablePercent: 25n,
    heedsCordon: true,
    ...more,
  }
}

type Status = { conditions: Row[]; zone?: string; diskStatus: Record<string, Record<string, unknown>> }
type Row = { type: string; status: string; reason?: string }
const statusOf = (more: Partial<SeenStorageNode> = {}): Status =>
  decideStorageNode(seen(more), NOW).status as unknown as Status
const find = (rows: readonly Row[], type: string): string => {
  const row = rows.find((one) => one.type === type)
  return `${row?.status} ${row?.reason ?? ''}`.trim()
}

test('what is promised on a disk is the sum of its replicas, and the zone is that of the host', () => {
  const status = statusOf()
  assert.equal(status.diskStatus['d']?.['storageScheduled'], 3 * GIB)
  assert.deepEqual(status.diskStatus['d']?.['scheduledReplica'], { r: 3 * GIB })
  assert.equal(status.zone, 'z')
  assert.equal(statusOf({ replicas: [] }).diskStatus['d']?.['storageScheduled'], 0)
})

test('a host that is not ready, cordoned or gone is said so in Longhorn’s words', () => {
  const silent = {
    ...host,
    status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
  } as unknown as CoreNode
  assert.equal(find(statusOf({ host: silent }).conditions, 'Ready'), 'False KubernetesNodeNotReady')
  const cordoned = { ...host, spec: { unschedulable: true } } as unknown as CoreNode
  assert.equal(find(statusOf({ host: cordoned }).conditions, 'Schedulable'), 'False KubernetesNodeCordoned')
  assert.equal(find(statusOf({ host: cordoned, heedsCordon: false }).conditions, 'Schedulable'), 'True')
  assert.equal(find(statusOf({ host: undefined }).conditions, 'Ready'), 'False KubernetesNodeGone')
})

test('the object goes with the host, but not while replicas lie on it', () => {
  assert.deepEqual(decideStorageNode(seen({ host: undefined }), NOW).actions, [])
  assert.equal(decideStorageNode(seen(), NOW).actions[0]?.do, 'create', 'its instance manager')
  const [action] = decideStorageNode(seen({ host: undefined, replicas: [] }), NOW).actions
  assert.equal(action?.do, 'delete')
})

test('a disk that runs full takes nothing new, and says at which mark', () => {
  const full = {
    ...node,
    status: {
      ...node.status,
      diskStatus: { d: { ...node.status?.diskStatus?.['d'], storageAvailable: 25 * GIB } },
    },
  } as unknown as Node
  const rows = statusOf({ node: full }).diskStatus['d']?.['conditions'] as Row[]
  assert.equal(find(rows, 'Schedulable'), 'False DiskPressure')
  assert.equal(find(rows, 'Ready'), 'True')
})
