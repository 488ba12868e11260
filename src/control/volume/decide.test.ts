import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VolumeEpoch } from '../../kinds/croft/volume-epoch.ts'
import type { Action } from '../../kinds/decide.ts'
import type { Engine } from '../../kinds/longhorn/engine.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import { decideAttachment } from './attachment.ts'
import { createEngine, createEpoch, createReplica, LONGHORN_FINALIZER } from './children.ts'
import { decideVolume, type SeenVolume } from './decide.ts'
import type { DiskFacts } from './placement.ts'
import { SETTINGS } from './volume.fixture.ts'

const NOW = Date.UTC(2026, 10, 30)
const GIB = 1024n ** 3n

const volume: Volume = {
  apiVersion: 'longhorn.io/v1beta2',
  kind: 'Volume',
  metadata: { name: 'v', namespace: 'longhorn-system', uid: 'v-uid', finalizers: [LONGHORN_FINALIZER] },
  spec: { size: String(GIB), numberOfReplicas: 1 },
}

const disk: DiskFacts = {
  nodeID: 'n1',
  zone: '',
  diskUUID: 'disk-1',
  diskPath: '/disks/default',
  nodeTags: [],
  diskTags: [],
  usable: true,
  availableBytes: 100n * GIB,
  maximumBytes: 100n * GIB,
  reservedBytes: 0n,
  scheduledBytes: 0n,
}

function made<T>(action: Action): T {
  assert.ok(action.do === 'create')
  return action.object as T
}

const engine = made<Engine>(createEngine(volume))
const epoch = made<VolumeEpoch>(createEpoch(volume))
const replica = made<Replica>(createReplica(volume, disk, { present: [], index: 0, runs: false }))

const withState = <T extends Engine | Replica>(object: T, currentState: string, more: object = {}): T =>
  ({ ...object, status: { currentState, ...more } }) as T

function seen(more: Partial<SeenVolume> = {}): SeenVolume {
  return {
    volume,
    engine,
    epoch,
    replicas: [{ ...replica, metadata: { ...replica.metadata, uid: 'r-uid' } }],
    wantedNode: undefined,
    isAwaited: false,
    disks: [disk],
    settings: SETTINGS,
    rebuilds: new Map(),
    lostNodes: new Set(),
    goneNodes: new Set(),
    silentMs: {},
    claim: undefined,
    imageWait: undefined,
    ...more,
  }
}

function script(actions: readonly Action[]): readonly string[] {
  return actions.map((action) => {
    if (action.do === 'create') return `create ${action.kind.kind} ${action.object.metadata.name}`
    if (action.do === 'delete') return `delete ${action.target.kind.kind} ${action.target.name}`
    if (action.do === 'patch') return `${action.target.kind.kind} ${JSON.stringify(action.patch)}`
    return action.do
  })
}

const stateOf = (answer: ReturnType<typeof decideVolume>): unknown => answer.status?.['state']

test('a new volume gets an engine, an epoch record and a replica on a disk with room', () => {
  const answer = decideVolume(seen({ engine: undefined, epoch: undefined, replicas: [] }), NOW)
  assert.deepEqual(script(answer.actions), [
    `create Replica ${replica.metadata.name}`,
    'create Engine v-e-0',
    'create VolumeEpoch v',
  ])
  assert.equal(stateOf(answer), 'creating')
  assert.deepEqual(decideVolume(seen({ engine: undefined, epoch: undefined, replicas: [] }), NOW), answer)
})

test('the way to attached: volume to the node, replicas up, engine up with their addresses', () => {
  const first = decideVolume(seen({ wantedNode: 'n1' }), NOW)
  assert.deepEqual(script(first.actions), [
    'Volume {"spec":{"nodeID":"n1"}}',
    'Replica {"spec":{"desireState":"running"}}',
  ])
  const there = { ...volume, spec: { ...volume.spec, nodeID: 'n1' } }
  const up = withState({ ...replica, spec: { ...replica.spec, desireState: 'running' } }, 'running', {
    storageIP: '127.0.0.1',
    port: 0,
  })
  const second = decideVolume(seen({ volume: there, wantedNode: 'n1', replicas: [up] }), NOW)
  assert.deepEqual(script(second.actions), [
    `Engine {"spec":{"nodeID":"n1","desireState":"running","replicaAddressMap":{"${replica.metadata.name}":"127.0.0.1:0"}}}`,
  ])
  assert.equal(stateOf(second), 'attaching')
  const running = withState(
    {
      ...engine,
      spec: {
        ...engine.spec,
        nodeID: 'n1',
        desireState: 'running',
        replicaAddressMap: { [replica.metadata.name!]: '127.0.0.1:0' },
      },
    },
    'running',
    { endpoint: 'nbd+unix:///x', replicaModeMap: { [replica.metadata.name!]: 'RW' } },
  )
  const third = decideVolume(seen({ volume: there, wantedNode: 'n1', replicas: [up], engine: running }), NOW)
  assert.deepEqual(third.actions, [])
  assert.equal(stateOf(third), 'attached')
  assert.equal(third.status?.['robustness'], 'healthy')
  assert.equal(third.status?.['currentNodeID'], 'n1')
})

test('the way back: the engine stops before the replicas, then the node is released', () => {
  const there = { ...volume, spec: { ...volume.spec, nodeID: 'n1' } }
  const up = withState({ ...replica, spec: { ...replica.spec, desireState: 'running' } }, 'running')
  const running = withState(
    { ...engine, spec: { ...engine.spec, nodeID: 'n1', desireState: 'running' } },
    'running',
  )
  const first = decideVolume(seen({ volume: there, replicas: [up], engine: running }), NOW)
  assert.deepEqual(script(first.actions), ['Engine {"spec":{"desireState":"stopped"}}'])
  const stopped = withState({ ...engine, spec: { ...engine.spec, nodeID: 'n1' } }, 'stopped')
  const second = decideVolume(seen({ volume: there, replicas: [up], engine: stopped }), NOW)
  assert.deepEqual(script(second.actions), ['Replica {"spec":{"desireState":"stopped"}}'])
  const down = withState(replica, 'stopped')
  const third = decideVolume(seen({ volume: there, replicas: [down], engine: stopped }), NOW)
  assert.deepEqual(script(third.actions), ['Volume {"spec":{"nodeID":""}}', 'Engine {"spec":{"nodeID":""}}'])
  assert.equal(stateOf(third), 'detached')
})

test('a volume wanted on another node goes there only through detached', () => {
  const there = { ...volume, spec: { ...volume.spec, nodeID: 'n1' } }
  const running = withState(
    { ...engine, spec: { ...engine.spec, nodeID: 'n1', desireState: 'running' } },
    'running',
  )
  const answer = decideVolume(seen({ volume: there, wantedNode: 'n2', engine: running }), NOW)
  assert.deepEqual(script(answer.actions), ['Engine {"spec":{"desireState":"stopped"}}'])
  assert.equal(stateOf(answer), 'detaching')
})

test('three replicas on one node: the volume works, degraded, and says why', () => {
  const three = { ...volume, spec: { ...volume.spec, numberOfReplicas: 3 } }
  const answer = decideVolume(seen({ volume: three }), NOW)
  const conditions = answer.status?.['conditions'] as readonly {
    type: string
    status: string
    message: string
  }[]
  const scheduled = conditions.find(({ type }) => type === 'Scheduled')
  assert.equal(scheduled?.status, 'False')
  assert.equal(scheduled?.message, 'replica scheduling failed: hard affinity cannot be satisfied')
})

test('deletion: stop, then engine, replicas, record, and only then the volume', () => {
  const going = { ...volume, metadata: { ...volume.metadata, deletionTimestamp: '2026-11-30T00:00:00Z' } }
  const running = withState({ ...engine, spec: { ...engine.spec, desireState: 'running' } }, 'running')
  const order = [
    decideVolume(seen({ volume: going, engine: running }), NOW),
    decideVolume(seen({ volume: going }), NOW),
    decideVolume(seen({ volume: going, engine: undefined }), NOW),
    decideVolume(seen({ volume: going, engine: undefined, replicas: [] }), NOW),
    decideVolume(seen({ volume: going, engine: undefined, replicas: [], epoch: undefined }), NOW),
  ].map((answer) => script(answer.actions).join('; '))
  assert.deepEqual(order, [
    'Engine {"spec":{"desireState":"stopped"}}',
    'delete Engine v-e-0',
    `delete Replica ${replica.metadata.name}`,
    'delete VolumeEpoch v',
    'Volume {"metadata":{"finalizers":[]}}',
  ])
})

test('a replacement never takes the name or the folder of the replica that it replaces', () => {
  const old = { ...replica, metadata: { ...replica.metadata, uid: 'r-uid' } }
  const next = made<Replica>(createReplica(volume, disk, { present: [old], index: 0, runs: false }))
  assert.notEqual(next.metadata.name, replica.metadata.name)
  assert.notEqual(next.spec?.dataDirectoryName, replica.spec?.dataDirectoryName)
  assert.match(next.spec?.dataDirectoryName ?? '', /^v-[0-9a-f]{8}$/)
})

test('a replica starts while its Pod is still to be bound, and rests when the Pod cannot be', () => {
  const before = made<Replica>(createReplica(volume, disk, { present: [], index: 0, runs: true }))
  assert.equal(before.spec?.desireState, 'running')
  const seen = { volume, engine, replicas: [before], wantedNode: undefined }
  assert.deepEqual(decideAttachment({ ...seen, isAwaited: true }), { actions: [], state: 'detached' })
  const { actions } = decideAttachment({ ...seen, isAwaited: false })
  assert.deepEqual(
    actions.map((action) => action.do === 'patch' && action.patch),
    [{ spec: { desireState: 'stopped' } }],
  )
})
