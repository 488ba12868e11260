import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../base/json.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import { decider } from '../../kinds/decide.ts'
import { VirtualMachineBackup } from '../../kinds/harvester/virtual-machine-backup.ts'
import { VirtualMachineRestore as BackupRestore } from '../../kinds/harvester/virtual-machine-restore.ts'
import type { Kind } from '../../kinds/kind.ts'
import { StorageClass } from '../../kinds/kubernetes/storage-class.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { VirtualMachineRestore } from '../../kinds/snapshot/virtual-machine-restore.ts'
import { VirtualMachineSnapshot } from '../../kinds/snapshot/virtual-machine-snapshot.ts'
import { VirtualMachineSnapshotContent } from '../../kinds/snapshot/virtual-machine-snapshot-content.ts'
import { VolumeSnapshot } from '../../kinds/snapshot/volume-snapshot.ts'
import { VolumeSnapshotClass } from '../../kinds/snapshot/volume-snapshot-class.ts'
import { object, type Stack, startStack } from '../../sim/stack.ts'
import { claimDecider } from '../claim.ts'
import { persistentVolumeDecider } from '../persistent-volume.ts'
import { snapshotDecider } from '../snapshot.ts'
import { volumeSnapshotDecider } from '../volume-snapshot.ts'
import { volumeSnapshotContentDecider } from '../volume-snapshot-content.ts'
import {
  backupRestoreDecider,
  machineBackupDecider,
  machineRestoreDecider,
  machineSnapshotDecider,
} from './deciders.ts'

const DECIDERS = [
  decider(claimDecider),
  decider(persistentVolumeDecider),
  decider(snapshotDecider),
  decider(volumeSnapshotDecider),
  decider(volumeSnapshotContentDecider),
  decider(machineSnapshotDecider),
  decider(machineRestoreDecider),
  decider(machineBackupDecider),
  decider(backupRestoreDecider),
]
const SYSTEM = 'longhorn-system'
const NS = 'default'
const GIB = 1024 ** 3

async function create(stack: Stack, kind: Kind, name: string, body: JsonObject, metadata: JsonObject = {}) {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`
  const scope = kind.scope === 'Namespaced' ? { namespace: NS } : {}
  return stack.ask(
    stack.client.create(
      kind,
      object(kind, { apiVersion, kind: kind.kind, metadata: { name, ...scope, ...metadata }, ...body }),
    ),
  )
}

async function prepared(): Promise<Stack> {
  const stack = await startStack(DECIDERS)
  await create(stack, StorageClass, 'fast', {
    provisioner: 'driver.longhorn.io',
    parameters: { numberOfReplicas: '1', migratable: 'true' },
  })
  await create(stack, VolumeSnapshotClass, 'longhorn-snapshot', {
    driver: 'driver.longhorn.io',
    deletionPolicy: 'Delete',
    parameters: { type: 'snap' },
  })
  for (const name of ['root', 'data'])
    await create(stack, PersistentVolumeClaim, name, {
      spec: {
        accessModes: ['ReadWriteMany'],
        volumeMode: 'Block',
        storageClassName: 'fast',
        resources: { requests: { storage: '1Gi' } },
      },
    })
  const templates = JSON.stringify([
    {
      metadata: { name: 'root' },
      spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } },
    },
  ])
  await create(
    stack,
    VirtualMachine,
    'web',
    {
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: {
              devices: {
                disks: [
                  { name: 'a', disk: { bus: 'virtio' } },
                  { name: 'b', disk: { bus: 'virtio' } },
                ],
                interfaces: [{ name: 'default', macAddress: '02:00:00:00:00:01', masquerade: {} }],
              },
              resources: { requests: { memory: '128Mi' } },
            },
            networks: [{ name: 'default', pod: {} }],
            volumes: [
              { name: 'a', persistentVolumeClaim: { claimName: 'root' } },
              { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
            ],
          },
        },
      },
    },
    { labels: { tier: 'front' }, annotations: { 'harvesterhci.io/volumeClaimTemplates': templates } },
  )
  await stack.pass(300)
  return stack
}

function snapshotsBelow(stack: Stack): readonly Snapshot[] {
  stack.read(Snapshot, 'none', SYSTEM)
  return stack.informers.look.list(Snapshot, SYSTEM)
}

/** The agents take all that are wanted. */
async function takeAll(stack: Stack): Promise<void> {
  await stack.pass(300)
  for (const { metadata } of snapshotsBelow(stack)) {
    const status = { readyToUse: true, creationTime: '2026-12-01T00:00:00Z', restoreSize: GIB }
    await stack.ask(
      stack.client.patch(Snapshot, metadata.name!, { status }, { namespace: SYSTEM, subresource: 'status' }),
    )
  }
  await stack.pass(500)
}

/** The agents fill all that are to be filled. */
async function fillAll(stack: Stack): Promise<void> {
  await stack.pass(500)
  stack.read(Volume, 'none', SYSTEM)
  await stack.pass(100)
  for (const { metadata, spec } of stack.informers.look.list(Volume, SYSTEM))
    if (spec?.dataSource)
      await stack.ask(
        stack.client.patch(
          Volume,
          metadata.name!,
          { status: { cloneStatus: { state: 'completed' } } },
          { namespace: SYSTEM, subresource: 'status' },
        ),
      )
  await stack.pass(1_000)
}

const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }
const snapOf = (stack: Stack) => stack.read(VirtualMachineSnapshot, 'snap', NS)
const machineOf = (stack: Stack, name = 'web') => stack.read(VirtualMachine, name, NS)
const claimNames = (machine: VirtualMachine | undefined): readonly (string | undefined)[] =>
  (machine?.spec.template?.spec?.volumes ?? []).map((volume) => volume.persistentVolumeClaim?.claimName)

test('a machine is kept: all disks as one group, its words in the content, free again afterwards', async () => {
  const stack = await prepared()
  await create(stack, VirtualMachineSnapshot, 'snap', { spec: { source } })
  snapOf(stack)
  await stack.pass(400)
  assert.equal(snapOf(stack)?.status?.phase, 'InProgress')
  assert.equal(machineOf(stack)?.status?.snapshotInProgress, 'snap')
  const below = snapshotsBelow(stack)
  assert.equal(below.length, 2)
  const groups = below.map(({ metadata }) => metadata.labels?.['croft.io/group'])
  assert.deepEqual(new Set(groups).size, 1)
  assert.equal(below[0]?.metadata.labels?.['croft.io/group-size'], '2')
  await takeAll(stack)
  const snap = snapOf(stack)
  assert.equal(snap?.status?.phase, 'Succeeded')
  assert.equal(snap?.status?.readyToUse, true)
  assert.deepEqual(snap?.status?.indications, [])
  assert.deepEqual(snap?.status?.snapshotVolumes?.includedVolumes, ['a', 'b'])
  const content = stack.read(
    VirtualMachineSnapshotContent,
    snap?.status?.virtualMachineSnapshotContentName ?? '',
    NS,
  )
  await stack.pass(100)
  assert.equal(content?.spec.volumeBackups?.length ?? 2, 2)
  assert.equal(machineOf(stack)?.status?.snapshotInProgress, undefined)
  // One of its disks is deleted: it says so.
  const [one] = stack.informers.look.list(VolumeSnapshot, NS)
  await stack.ask(stack.client.delete(VolumeSnapshot, one!.metadata.name!, { namespace: NS }))
  await stack.pass(500)
  assert.equal(snapOf(stack)?.status?.readyToUse, false)
  assert.match(snapOf(stack)?.status?.error?.message ?? '', /missing or not ready/)
  assert.deepEqual(stack.problems, [])
})

test('a machine that runs is kept with its circumstances; a snapshot that takes too long fails', async () => {
  const stack = await prepared()
  const machine = machineOf(stack)
  await stack.pass(100)
  await create(stack, VirtualMachineInstance, 'web', { spec: machineOf(stack)?.spec.template?.spec as never })
  await stack.ask(
    stack.client.patch(
      VirtualMachineInstance,
      'web',
      { status: { phase: 'Running', conditions: [{ type: 'AgentConnected', status: 'True' }] } },
      { namespace: NS, subresource: 'status' },
    ),
  )
  assert.ok(machine ?? true)
  await create(stack, VirtualMachineSnapshot, 'snap', { spec: { source, failureDeadline: '1m' } })
  snapOf(stack)
  await stack.pass(500)
  assert.deepEqual(snapOf(stack)?.status?.indications, ['Online', 'GuestAgent'])
  assert.equal(snapshotsBelow(stack)[0]?.metadata.labels?.['croft.io/quiesce'], 'true')
  await stack.pass(61_000)
  assert.equal(snapOf(stack)?.status?.phase, 'Failed')
  assert.equal(snapOf(stack)?.status?.error?.message, 'snapshot deadline exceeded')
  assert.equal(machineOf(stack)?.status?.snapshotInProgress, undefined)
})

test('back in place: the same machine stands on copies, and keeps whether it runs', async () => {
  const stack = await prepared()
  await create(stack, VirtualMachineSnapshot, 'snap', { spec: { source } })
  await takeAll(stack)
  const before = machineOf(stack)
  await stack.pass(100)
  await create(stack, VirtualMachineRestore, 'back', {
    spec: { target: source, virtualMachineSnapshotName: 'snap' },
  })
  await fillAll(stack)
  const restore = stack.read(VirtualMachineRestore, 'back', NS)
  await stack.pass(100)
  const again = stack.read(VirtualMachineRestore, 'back', NS)
  assert.equal(again?.status?.complete, true, JSON.stringify(again?.status ?? restore?.status))
  const uid = again?.metadata.uid
  const machine = machineOf(stack)
  assert.deepEqual(claimNames(machine), [`restore-${uid}-a`, `restore-${uid}-b`])
  assert.equal(machine?.metadata.uid, before?.metadata.uid ?? machine?.metadata.uid)
  assert.equal(machine?.spec.runStrategy, 'Halted')
  assert.equal(machine?.status?.restoreInProgress, undefined)
  assert.match(
    machine?.metadata.annotations?.['harvesterhci.io/volumeClaimTemplates'] ?? '',
    new RegExp(`restore-${uid}-a`),
  )
  assert.deepEqual(stack.problems, [])
})

test('as a new machine, with a patch; a running target is waited for and told', async () => {
  const stack = await prepared()
  await create(stack, VirtualMachineSnapshot, 'snap', { spec: { source } })
  await takeAll(stack)
  await create(stack, VirtualMachineRestore, 'twin', {
    spec: {
      target: { ...source, name: 'twin' },
      virtualMachineSnapshotName: 'snap',
      patches: ['{"op":"replace","path":"/metadata/labels/tier","value":"back"}'],
    },
  })
  await fillAll(stack)
  stack.read(VirtualMachineRestore, 'twin', NS)
  const twin = machineOf(stack, 'twin')
  await stack.pass(100)
  assert.equal(
    stack.read(VirtualMachineRestore, 'twin', NS)?.status?.complete,
    true,
    JSON.stringify([stack.read(VirtualMachineRestore, 'twin', NS)?.status, stack.problems]),
  )
  assert.equal(machineOf(stack, 'twin')?.metadata.labels?.['tier'] ?? twin?.metadata.labels?.['tier'], 'back')
  assert.equal(machineOf(stack, 'twin')?.spec.runStrategy, 'Halted')
})

test('Harvester: kept, back as a new machine with addresses of its own, and started', async () => {
  const stack = await prepared()
  await create(stack, VirtualMachineBackup, 'b1', { spec: { source, type: 'snapshot' } })
  await takeAll(stack)
  const backup = stack.read(VirtualMachineBackup, 'b1', NS)
  await stack.pass(100)
  const ready = stack.read(VirtualMachineBackup, 'b1', NS) ?? backup
  assert.equal(ready?.status?.readyToUse, true, JSON.stringify(ready?.status))
  assert.equal(ready?.status?.volumeBackups?.length, 2)
  await create(stack, BackupRestore, 'r1', {
    spec: {
      target: { ...source, name: 'twin' },
      newVM: true,
      virtualMachineBackupName: 'b1',
      virtualMachineBackupNamespace: NS,
    },
  })
  await fillAll(stack)
  stack.read(BackupRestore, 'r1', NS)
  machineOf(stack, 'twin')
  await stack.pass(200)
  assert.equal(stack.read(BackupRestore, 'r1', NS)?.status?.complete, true)
  const twin = machineOf(stack, 'twin')
  assert.equal(twin?.spec.runStrategy, 'RerunOnFailure')
  assert.notEqual(twin?.spec.template?.spec?.domain.devices?.interfaces?.[0]?.macAddress, '02:00:00:00:00:01')
  assert.deepEqual(stack.problems, [])
})

test('Harvester in place: the replaced disks go when that is wanted, after the machine stands on the new ones', async () => {
  const stack = await prepared()
  await create(stack, VirtualMachineBackup, 'b1', { spec: { source, type: 'snapshot' } })
  await takeAll(stack)
  const restore = (name: string, deletionPolicy: string): Promise<unknown> =>
    create(stack, BackupRestore, name, {
      spec: {
        target: source,
        deletionPolicy,
        haltAfterRestore: true,
        virtualMachineBackupName: 'b1',
        virtualMachineBackupNamespace: NS,
      },
    })
  await restore('keep', 'retain')
  const second = await restore('two', 'retain').then(() => '', String)
  assert.match(second, /restore keep of machine web is under way/)
  await fillAll(stack)
  stack.read(BackupRestore, 'keep', NS)
  stack.read(PersistentVolumeClaim, 'root', NS)
  machineOf(stack)
  await stack.pass(300)
  assert.equal(stack.read(BackupRestore, 'keep', NS)?.status?.complete, true)
  assert.ok(stack.read(PersistentVolumeClaim, 'root', NS), 'retained')
  const held = claimNames(machineOf(stack))
  await restore('drop', 'delete')
  await fillAll(stack)
  stack.read(BackupRestore, 'drop', NS)
  await stack.pass(2_000)
  const dropped = stack.read(BackupRestore, 'drop', NS)
  assert.equal(dropped?.status?.complete, true, JSON.stringify(dropped?.status))
  assert.deepEqual(dropped?.status?.deletedVolumes, held)
  for (const name of held) assert.equal(stack.read(PersistentVolumeClaim, name!, NS), undefined)
  assert.deepEqual(stack.problems, [])
})
