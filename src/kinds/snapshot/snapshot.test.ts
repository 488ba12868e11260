import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { VirtualMachineBackup } from '../harvester/virtual-machine-backup.ts'
import { VirtualMachineRestore as BackupRestore } from '../harvester/virtual-machine-restore.ts'
import { findKind } from '../index.ts'
import { judge, judgeDelete, lookOver } from '../judge.ts'
import type { AnyKind, RuleLook } from '../kind.ts'
import { RecurringJob } from '../longhorn/recurring-job.ts'
import { Replica } from '../longhorn/replica.ts'
import { Setting } from '../longhorn/setting.ts'
import { settingProblem, storageSettingDefinitions } from '../longhorn/settings.ts'
import { Snapshot } from '../longhorn/snapshot.ts'
import { VolumeAttachment } from '../longhorn/volume-attachment.ts'
import { readSnapshotHandle } from './rules.ts'
import { VirtualMachineRestore } from './virtual-machine-restore.ts'
import { VirtualMachineSnapshot } from './virtual-machine-snapshot.ts'
import { VolumeSnapshot } from './volume-snapshot.ts'
import { VolumeSnapshotClass } from './volume-snapshot-class.ts'
import { VolumeSnapshotContent } from './volume-snapshot-content.ts'

const empty = lookOver([])

function body(kind: AnyKind, rest: JsonObject, name = 'a', namespace = 'default'): JsonObject {
  return {
    apiVersion: `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name, ...(kind.scope === 'Namespaced' ? { namespace } : {}) },
    ...rest,
  }
}
const fields = (
  kind: AnyKind,
  rest: JsonObject,
  look: RuleLook = empty,
  previous?: KubeObject,
): readonly string[] => judge(kind, body(kind, rest), look, previous).causes.map(({ field }) => field)
const texts = (kind: AnyKind, rest: JsonObject, look: RuleLook = empty): string =>
  judge(kind, body(kind, rest), look)
    .causes.map(({ message }) => message)
    .join()
const stored = (kind: AnyKind, rest: JsonObject, name = 'a', namespace = 'default'): KubeObject =>
  body(kind, rest, name, namespace) as unknown as KubeObject

test('the kinds are served under their names', () => {
  for (const [group, version, plural] of [
    ['snapshot.storage.k8s.io', 'v1', 'volumesnapshots'],
    ['snapshot.storage.k8s.io', 'v1', 'volumesnapshotclasses'],
    ['snapshot.storage.k8s.io', 'v1', 'volumesnapshotcontents'],
    ['snapshot.kubevirt.io', 'v1beta1', 'virtualmachinesnapshots'],
    ['snapshot.kubevirt.io', 'v1beta1', 'virtualmachinesnapshotcontents'],
    ['snapshot.kubevirt.io', 'v1beta1', 'virtualmachinerestores'],
    ['harvesterhci.io', 'v1beta1', 'virtualmachinebackups'],
    ['harvesterhci.io', 'v1beta1', 'virtualmachinerestores'],
    ['longhorn.io', 'v1beta2', 'snapshots'],
    ['longhorn.io', 'v1beta2', 'recurringjobs'],
    ['longhorn.io', 'v1beta2', 'orphans'],
  ] as const)
    assert.ok(findKind(group, version, plural), plural)
})

test('a snapshot of a claim has one source, for ever', () => {
  const source = { persistentVolumeClaimName: 'c' }
  assert.deepEqual(fields(VolumeSnapshot, { spec: { source } }), [])
  assert.deepEqual(fields(VolumeSnapshot, { spec: { source: {} } }), ['spec.source'])
  const both = { ...source, volumeSnapshotContentName: 'x' }
  assert.deepEqual(fields(VolumeSnapshot, { spec: { source: both } }), ['spec.source'])
  const before = judge(VolumeSnapshot, body(VolumeSnapshot, { spec: { source } }), empty).object
  assert.equal(before.metadata.finalizers?.length, 2)
  assert.deepEqual(
    fields(VolumeSnapshot, { spec: { source: { persistentVolumeClaimName: 'd' } } }, empty, before),
    ['spec.source'],
  )
})

test('a class of a type that nobody knows is refused, one that is not served yet is warned of', () => {
  const of = (type: string): JsonObject => ({
    driver: 'driver.longhorn.io',
    deletionPolicy: 'Delete',
    parameters: { type },
  })
  assert.deepEqual(fields(VolumeSnapshotClass, of('snap')), [])
  assert.deepEqual(fields(VolumeSnapshotClass, of('zip')), ['parameters[type]'])
  assert.match(
    judge(VolumeSnapshotClass, body(VolumeSnapshotClass, of('bak')), empty).warnings.join(),
    /not served yet/,
  )
})

test('a content names a handle that can be read', () => {
  assert.deepEqual(readSnapshotHandle('snap://pvc-1/snap-2'), { volume: 'pvc-1', snapshot: 'snap-2' })
  assert.equal(readSnapshotHandle('bak://pvc-1/b'), undefined)
  const of = (snapshotHandle: string): JsonObject => ({
    spec: {
      deletionPolicy: 'Retain',
      driver: 'driver.longhorn.io',
      source: { snapshotHandle },
      volumeSnapshotRef: { name: 'a', namespace: 'default' },
    },
  })
  assert.deepEqual(fields(VolumeSnapshotContent, of('snap://v/s')), [])
  assert.deepEqual(fields(VolumeSnapshotContent, of('what')), ['spec.source.snapshotHandle'])
})

const volume = (status: JsonObject, spec: JsonObject = {}): KubeObject =>
  ({
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Volume',
    metadata: { name: 'v', namespace: 'longhorn-system', uid: 'vu' },
    spec: { size: '1', ...spec },
    status,
  }) as unknown as KubeObject

test('no snapshot of a volume that is faulted, gone, or has as many as it may', () => {
  const wish = (look: RuleLook): string =>
    judge(
      Snapshot,
      body(Snapshot, { spec: { volume: 'v', createSnapshot: true } }, 's', 'longhorn-system'),
      look,
    )
      .causes.map(({ message }) => message)
      .join()
  assert.match(wish(empty), /volume v not found/)
  assert.match(wish(lookOver([volume({ robustness: 'faulted' })])), /is faulted/)
  assert.equal(wish(lookOver([volume({ robustness: 'healthy' })])), '')
  const many = [1, 2].map((index) =>
    stored(Snapshot, { spec: { volume: 'v' } }, `s${index}`, 'longhorn-system'),
  )
  assert.match(
    wish(lookOver([volume({}, { snapshotMaxCount: 2 }), ...many])),
    /has 2 snapshots and may have 2/,
  )
  const made = judge(
    Snapshot,
    body(Snapshot, { spec: { volume: 'v', createSnapshot: true } }, 's', 'longhorn-system'),
    lookOver([volume({})]),
  ).object
  assert.deepEqual(made.metadata.finalizers, ['longhorn.io'])
  assert.equal(made.metadata.ownerReferences?.[0]?.uid, 'vu')
})

test('the last replica with all the data goes only with its volume', () => {
  const replica = (name: string, failedAt = ''): KubeObject =>
    stored(Replica, { spec: { volumeName: 'v', failedAt } }, name, 'longhorn-system')
  const record = {
    apiVersion: 'storage.croft.io/v1alpha1',
    kind: 'VolumeEpoch',
    metadata: { name: 'v', namespace: 'longhorn-system' },
    spec: { epoch: 3, inSync: [{ replica: 'a' }, { replica: 'b' }] },
  } as unknown as KubeObject
  const refuse = (others: readonly KubeObject[]): string =>
    judgeDelete(Replica, replica('a'), lookOver([volume({}), record, replica('a'), ...others])).refuse
      ?.message ?? ''
  assert.equal(refuse([replica('b')]), '')
  assert.match(refuse([]), /last one with all the data of volume v/)
  assert.match(refuse([replica('b', '2026-12-01T00:00:00Z')]), /last one/)
  const going = volume({})
  const gone = { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-12-01T00:00:00Z' } }
  assert.equal(judgeDelete(Replica, replica('a'), lookOver([gone, record])).refuse, undefined)
})

test('a ticket has its own identity and says who wishes', () => {
  const of = (spec: JsonObject, name = 'v'): readonly string[] =>
    judge(VolumeAttachment, body(VolumeAttachment, { spec }, name, 'longhorn-system'), empty).causes.map(
      ({ field }) => field,
    )
  const ticket = { id: 'a', type: 'longhorn-api', nodeID: 'n1' }
  assert.deepEqual(of({ volume: 'v', attachmentTickets: { a: ticket } }), [])
  assert.deepEqual(of({ volume: 'v', attachmentTickets: { b: ticket } }), ['spec.attachmentTickets[b].id'])
  assert.deepEqual(of({ volume: 'other' }), ['metadata.name'])
})

test('a recurring job has a time, a task that is served and a bound', () => {
  const of = (spec: JsonObject): readonly string[] =>
    fields(RecurringJob, { spec: { task: 'snapshot', cron: '0 3 * * *', retain: 3, ...spec } })
  assert.deepEqual(of({}), [])
  assert.deepEqual(of({ cron: 'never' }), ['spec.cron'])
  assert.deepEqual(of({ cron: '0 0 31 2 *' }), ['spec.cron'])
  assert.deepEqual(of({ task: 'backup' }), ['spec.task'])
  assert.deepEqual(of({ retain: 0 }), ['spec.retain'])
  assert.deepEqual(of({ retain: 101 }), ['spec.retain'])
  assert.deepEqual(of({ task: 'snapshot-delete', retain: 0 }), [])
})

test('a storage setting is one that there is, with a value that it takes; every default takes itself', () => {
  for (const one of storageSettingDefinitions)
    assert.equal(settingProblem(one, one.value), undefined, one.name)
  const of = (name: string, value: string): readonly string[] =>
    judge(Setting, body(Setting, { value }, name, 'longhorn-system'), empty).causes.map(({ field }) => field)
  assert.deepEqual(of('replica-soft-anti-affinity', 'true'), [])
  assert.deepEqual(of('replica-soft-anti-affinity', 'maybe'), ['value'])
  assert.deepEqual(of('replica-auto-balance', 'most-effort'), ['value'])
  assert.deepEqual(of('default-replica-count', '21'), ['value'])
  assert.deepEqual(of('no-such-setting', 'x'), ['metadata.name'])
  assert.deepEqual(of('v2-data-engine', 'true'), ['value'])
  const present = stored(Setting, { value: 'true' }, 'auto-salvage', 'longhorn-system')
  assert.equal(judgeDelete(Setting, present, empty).refuse?.code, 403)
})

const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }

test('a snapshot of a machine says of which, rightly, and is not changed', () => {
  assert.deepEqual(fields(VirtualMachineSnapshot, { spec: { source } }), [])
  assert.match(
    texts(VirtualMachineSnapshot, { spec: { source: { kind: 'VirtualMachine', name: 'web' } } }),
    /missing apiGroup/,
  )
  assert.match(
    texts(VirtualMachineSnapshot, { spec: { source: { ...source, kind: 'Pod' } } }),
    /invalid kind/,
  )
  assert.deepEqual(fields(VirtualMachineSnapshot, { spec: { source, failureDeadline: 'soon' } }), [
    'spec.failureDeadline',
  ])
})

test('a restore waits for no other, patches only what may be, and overrides something', () => {
  const of = (spec: JsonObject, look: RuleLook = empty): string =>
    texts(VirtualMachineRestore, { spec: { target: source, virtualMachineSnapshotName: 's', ...spec } }, look)
  assert.equal(of({}), '')
  assert.match(
    of({ patches: ['{"op":"add","path":"/metadata/name","value":"x"}'] }),
    /patches can only be applied/,
  )
  assert.match(of({ patches: ['{'] }), /no JSON/)
  assert.match(of({ volumeRestoreOverrides: [{ volumeName: 'a' }] }), /at least one overriding field/)
  const other = stored(
    VirtualMachineRestore,
    { spec: { target: source, virtualMachineSnapshotName: 's' } },
    'first',
  )
  assert.match(of({}, lookOver([other])), /VirtualMachineRestore "first" in progress/)
})

const machine = (status: JsonObject = {}): KubeObject =>
  ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'default' },
    spec: {},
    status,
  }) as unknown as KubeObject
const backup = stored(
  VirtualMachineBackup,
  { spec: { source, type: 'snapshot' }, status: { readyToUse: true } },
  'b1',
)

test('a backup of a machine that is there; BKP-07 and BKP-09: a restore meets no running machine and no other restore', () => {
  const of = (spec: JsonObject, look: RuleLook): string =>
    texts(VirtualMachineBackup, { spec: { source, ...spec } }, look)
  assert.equal(of({ type: 'snapshot' }, lookOver([machine()])), '')
  assert.match(of({ type: 'snapshot' }, empty), /virtual machine web not found/)
  assert.match(of({ type: 'backup' }, lookOver([machine()])), /no backup target yet/)
  const restore = (spec: JsonObject, objects: readonly KubeObject[]): string =>
    texts(
      BackupRestore,
      {
        spec: {
          target: source,
          virtualMachineBackupName: 'b1',
          virtualMachineBackupNamespace: 'default',
          ...spec,
        },
      },
      lookOver([backup, ...objects]),
    )
  assert.equal(restore({}, [machine({ printableStatus: 'Stopped' })]), '')
  assert.match(
    restore({}, [machine({ printableStatus: 'Running', created: true })]),
    /stop it before it is replaced/,
  )
  assert.match(restore({}, []), /restore it as a new one/)
  assert.match(restore({ newVM: true }, [machine()]), /machine web exists/)
  const away = judge(
    BackupRestore,
    body(
      BackupRestore,
      {
        spec: {
          target: source,
          newVM: true,
          virtualMachineBackupName: 'b1',
          virtualMachineBackupNamespace: 'default',
        },
      },
      'r',
      'elsewhere',
    ),
    lookOver([backup]),
  )
  assert.match(away.causes[0]?.message ?? '', /restored in its own namespace default/)
  assert.match(restore({ deletionPolicy: 'sometimes' }, [machine()]), /must be delete or retain/)
  const first = stored(
    BackupRestore,
    { spec: { target: source, virtualMachineBackupName: 'b1', virtualMachineBackupNamespace: 'default' } },
    'first',
  )
  assert.match(restore({}, [machine(), first]), /restore first of machine web is under way/)
  assert.match(
    judgeDelete(VirtualMachineBackup, backup, lookOver([first])).refuse?.message ?? '',
    /is being restored by default\/first/,
  )
})
