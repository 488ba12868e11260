import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../base/json.ts'
import { PersistentVolumeClaim } from '../kinds/core/persistent-volume-claim.ts'
import { decider } from '../kinds/decide.ts'
import type { Kind } from '../kinds/kind.ts'
import { StorageClass } from '../kinds/kubernetes/storage-class.ts'
import { Snapshot } from '../kinds/longhorn/snapshot.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { VolumeSnapshot } from '../kinds/snapshot/volume-snapshot.ts'
import { VolumeSnapshotClass } from '../kinds/snapshot/volume-snapshot-class.ts'
import { VolumeSnapshotContent } from '../kinds/snapshot/volume-snapshot-content.ts'
import { object, type Stack, startStack } from '../sim/stack.ts'
import { claimDecider } from './claim.ts'
import { persistentVolumeDecider } from './persistent-volume.ts'
import { snapshotDecider } from './snapshot.ts'
import { volumeSnapshotDecider } from './volume-snapshot.ts'
import { volumeSnapshotContentDecider } from './volume-snapshot-content.ts'

const DECIDERS = [
  decider(claimDecider),
  decider(persistentVolumeDecider),
  decider(snapshotDecider),
  decider(volumeSnapshotDecider),
  decider(volumeSnapshotContentDecider),
]
const SYSTEM = 'longhorn-system'
const GIB = 1024 ** 3

async function create(stack: Stack, kind: Kind, name: string, body: JsonObject, namespace?: string) {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  return stack.ask(
    stack.client.create(
      kind,
      object(kind, {
        apiVersion,
        kind: kind.kind,
        metadata: { name, ...(namespace ? { namespace } : {}) },
        ...body,
      }),
    ),
  )
}

const claimSpec = (more: JsonObject = {}): JsonObject => ({
  spec: {
    accessModes: ['ReadWriteMany'],
    volumeMode: 'Block',
    storageClassName: 'fast',
    resources: { requests: { storage: '1Gi' } },
    ...more,
  },
})

/** A stack with a bound claim `data`; answers the name of its volume. */
async function prepared(policy = 'Delete'): Promise<{ readonly stack: Stack; readonly volume: string }> {
  const stack = await startStack(DECIDERS)
  await create(stack, StorageClass, 'fast', {
    provisioner: 'driver.longhorn.io',
    parameters: { numberOfReplicas: '1', migratable: 'true' },
  })
  await create(stack, VolumeSnapshotClass, 'longhorn-snapshot', {
    driver: 'driver.longhorn.io',
    deletionPolicy: policy,
    parameters: { type: 'snap' },
  })
  const claim = await create(stack, PersistentVolumeClaim, 'data', claimSpec(), 'default')
  await stack.pass(100)
  return { stack, volume: `pvc-${claim.metadata.uid}` }
}

async function take(stack: Stack, name = 'snap'): Promise<string> {
  const made = await create(
    stack,
    VolumeSnapshot,
    name,
    { spec: { volumeSnapshotClassName: 'longhorn-snapshot', source: { persistentVolumeClaimName: 'data' } } },
    'default',
  )
  await stack.pass(100)
  return `snapshot-${made.metadata.uid}`
}

/** What the agent does once the snapshot is taken. */
async function taken(stack: Stack, name: string): Promise<void> {
  const status = { readyToUse: true, creationTime: '2026-12-01T00:00:00Z', restoreSize: GIB, size: 4096 }
  await stack.ask(
    stack.client.patch(Snapshot, name, { status }, { namespace: SYSTEM, subresource: 'status' }),
  )
  await stack.pass(100)
}

const snapOf = (stack: Stack, name = 'snap') => stack.read(VolumeSnapshot, name, 'default')

test('a snapshot of a claim: its content, the snapshot of the volume, and all goes with it', async () => {
  const { stack, volume } = await prepared()
  const name = await take(stack)
  const below = stack.read(Snapshot, name, SYSTEM)
  assert.equal(below?.spec?.volume, volume)
  assert.equal(below?.spec?.createSnapshot, true)
  assert.deepEqual(below?.metadata.finalizers, ['longhorn.io'])
  assert.equal(below?.metadata.ownerReferences?.[0]?.name, volume)
  assert.equal(snapOf(stack)?.status?.readyToUse, false)
  await taken(stack, name)
  const ready = snapOf(stack)
  assert.equal(ready?.status?.readyToUse, true)
  assert.equal(ready?.status?.restoreSize, '1Gi')
  assert.equal(ready?.status?.creationTime, '2026-12-01T00:00:00Z')
  // Its volume has grown since: what the snapshot needs is still what it needed.
  const grown = { status: { restoreSize: 2 * GIB } }
  await stack.ask(stack.client.patch(Snapshot, name, grown, { namespace: SYSTEM, subresource: 'status' }))
  await stack.pass(100)
  assert.equal(snapOf(stack)?.status?.restoreSize, '1Gi')
  const content = stack.read(VolumeSnapshotContent, ready?.status?.boundVolumeSnapshotContentName ?? '')
  assert.equal(content?.status?.snapshotHandle, `snap://${volume}/${name}`)
  await stack.ask(stack.client.delete(VolumeSnapshot, 'snap', { namespace: 'default' }))
  await stack.pass(1_000)
  assert.ok(stack.read(Snapshot, name, SYSTEM)?.metadata.deletionTimestamp, 'the data go first')
  const none = { status: { creationTime: null, readyToUse: false } } as never
  await stack.ask(stack.client.patch(Snapshot, name, none, { namespace: SYSTEM, subresource: 'status' }))
  await stack.pass(1_000)
  assert.equal(snapOf(stack), undefined)
  assert.equal(stack.read(Snapshot, name, SYSTEM), undefined)
  assert.deepEqual(stack.problems, [])
})

test('with Retain the data stay, and can be named by a content of one’s own', async () => {
  const { stack, volume } = await prepared('Retain')
  const name = await take(stack)
  await taken(stack, name)
  await stack.ask(stack.client.delete(VolumeSnapshot, 'snap', { namespace: 'default' }))
  await stack.pass(1_000)
  assert.equal(snapOf(stack), undefined)
  assert.ok(stack.read(Snapshot, name, SYSTEM))
  await create(stack, VolumeSnapshotContent, 'mine', {
    spec: {
      deletionPolicy: 'Retain',
      driver: 'driver.longhorn.io',
      source: { snapshotHandle: `snap://${volume}/${name}` },
      volumeSnapshotRef: { name: 'again', namespace: 'default' },
    },
  })
  await create(
    stack,
    VolumeSnapshot,
    'again',
    { spec: { source: { volumeSnapshotContentName: 'mine' } } },
    'default',
  )
  await stack.pass(200)
  assert.equal(snapOf(stack, 'again')?.status?.readyToUse, true)
  assert.equal(
    stack.read(VolumeSnapshotContent, 'mine')?.spec.volumeSnapshotRef.uid,
    snapOf(stack, 'again')?.metadata.uid,
  )
  await create(
    stack,
    VolumeSnapshot,
    'thief',
    { spec: { source: { volumeSnapshotContentName: 'mine' } } },
    'default',
  )
  await stack.pass(200)
  assert.match(
    snapOf(stack, 'thief')?.status?.error?.message ?? '',
    /belongs to VolumeSnapshot default\/again/,
  )
})

test('what hinders a snapshot is told, and it goes on by itself when that is gone', async () => {
  const { stack } = await prepared()
  await create(
    stack,
    VolumeSnapshot,
    'early',
    { spec: { source: { persistentVolumeClaimName: 'later' } } },
    'default',
  )
  await stack.pass(200)
  assert.match(snapOf(stack, 'early')?.status?.error?.message ?? '', /"later" not found/)
  await create(stack, PersistentVolumeClaim, 'later', claimSpec(), 'default')
  await stack.pass(300)
  assert.match(
    snapOf(stack, 'early')?.status?.error?.message ?? '',
    /no class of the driver is the default one/,
  )
  const annotations = { 'snapshot.storage.kubernetes.io/is-default-class': 'true' }
  await stack.ask(stack.client.patch(VolumeSnapshotClass, 'longhorn-snapshot', { metadata: { annotations } }))
  await stack.pass(300)
  assert.equal(snapOf(stack, 'early')?.status?.error, undefined)
  assert.equal(snapOf(stack, 'early')?.spec.volumeSnapshotClassName, 'longhorn-snapshot')
  assert.deepEqual(stack.problems, [])
})

test('a claim from a snapshot waits until that is ready, is not smaller, and becomes a copy', async () => {
  const { stack, volume } = await prepared()
  const name = await take(stack)
  const from = (storage: string): JsonObject =>
    claimSpec({
      resources: { requests: { storage } },
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'snap' },
    })
  const copy = await create(stack, PersistentVolumeClaim, 'copy', from('1Gi'), 'default')
  await stack.pass(200)
  assert.match(stack.events('copy').join(), /snapshot snap is not Ready/)
  await taken(stack, name)
  await create(stack, PersistentVolumeClaim, 'small', from('512Mi'), 'default')
  await stack.pass(300)
  const made = stack.read(Volume, `pvc-${copy.metadata.uid}`, SYSTEM)
  assert.equal(made?.spec?.dataSource, `snap://${volume}/${name}`)
  assert.equal(stack.read(PersistentVolumeClaim, 'copy', 'default')?.status?.phase, 'Bound')
  assert.match(stack.events('small').join(), /512Mi is less than the size 1Gi of the source snapshot snap/)
  // Its data are read until the copy is whole.
  const refused = await stack
    .ask(stack.client.delete(Snapshot, name, { namespace: SYSTEM }))
    .then(() => '', String)
  assert.match(refused, /is being copied into volume/)
})

test('a claim from a claim becomes a copy of the volume; other sources are told to be unknown', async () => {
  const { stack, volume } = await prepared()
  const copy = await create(
    stack,
    PersistentVolumeClaim,
    'copy',
    claimSpec({ dataSource: { kind: 'PersistentVolumeClaim', name: 'data' } }),
    'default',
  )
  await create(
    stack,
    PersistentVolumeClaim,
    'odd',
    claimSpec({ dataSourceRef: { apiGroup: 'x.example', kind: 'Thing', name: 'a' } }),
    'default',
  )
  await stack.pass(300)
  assert.equal(stack.read(Volume, `pvc-${copy.metadata.uid}`, SYSTEM)?.spec?.dataSource, `vol://${volume}`)
  assert.match(stack.events('odd').join(), /nothing here fills claims from a Thing/)
  assert.deepEqual(stack.problems, [])
})
