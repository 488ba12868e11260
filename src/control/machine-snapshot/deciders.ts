// The deciders of machine snapshots and restores as the loop runs them.
import type { KubeObject } from '../../base/object.ts'
import { PersistentVolume } from '../../kinds/core/persistent-volume.ts'
import { PersistentVolumeClaim } from '../../kinds/core/persistent-volume-claim.ts'
import type { Decider, Look, Watch } from '../../kinds/decide.ts'
import { VirtualMachineBackup } from '../../kinds/harvester/virtual-machine-backup.ts'
import { VirtualMachineRestore as BackupRestore } from '../../kinds/harvester/virtual-machine-restore.ts'
import type { Kind, KindOf } from '../../kinds/kind.ts'
import { VirtualMachine } from '../../kinds/kubevirt/virtual-machine.ts'
import { VirtualMachineInstance } from '../../kinds/kubevirt/virtual-machine-instance.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'
import { VirtualMachineRestore } from '../../kinds/snapshot/virtual-machine-restore.ts'
import { VirtualMachineSnapshot } from '../../kinds/snapshot/virtual-machine-snapshot.ts'
import { VirtualMachineSnapshotContent } from '../../kinds/snapshot/virtual-machine-snapshot-content.ts'
import { VolumeSnapshot } from '../../kinds/snapshot/volume-snapshot.ts'
import { VolumeSnapshotClass } from '../../kinds/snapshot/volume-snapshot-class.ts'
import { LONGHORN_NAMESPACE } from '../data-volume.ts'
import { decideBackup, type SeenBackup } from './backup.ts'
import { decideBackupRestore, REPLACED_CLAIMS, type SeenBackupRestore } from './backup-restore.ts'
import { circumstancesOf, machineDisks, otherVolumes, snapshotClassProblem } from './parts.ts'
import type { DiskToRestore } from './rebuild-machine.ts'
import { decideMachineRestore, restoredName, type SeenMachineRestore } from './restore.ts'
import { contentName, decideMachineSnapshot, type SeenMachineSnapshot } from './snapshot.ts'

/** Pods, claims and machines change all the time; only objects that are under way look again. */
function underWay<K extends Kind>(
  kind: K,
  isOver: (object: KindOf<K>) => boolean,
): (object: KubeObject, look: Look) => readonly string[] {
  return ({ metadata }, look) =>
    look
      .list(kind, metadata.namespace)
      .filter((one) => !isOver(one) || one.metadata.deletionTimestamp !== undefined)
      .map((one) => `${one.metadata.namespace}/${one.metadata.name}`)
}

function watchAll(kinds: readonly Kind[], keys: Watch['keys']): readonly Watch[] {
  return kinds.map((kind) => ({ kind, keys }))
}

/** Volumes live in a namespace of their own; their copies concern restores anywhere. */
function volumeWatch<K extends Kind>(kind: K, isOver: (object: KindOf<K>) => boolean): Watch {
  return {
    kind: Volume,
    keys: (object, look) =>
      (object as Volume).spec?.dataSource
        ? look
            .list(kind)
            .filter((one) => !isOver(one))
            .map((one) => `${one.metadata.namespace}/${one.metadata.name}`)
        : [],
  }
}

const isTaken = ({ status }: VirtualMachineSnapshot): boolean => status?.phase === 'Failed'
const snapshotsUnderWay = underWay(VirtualMachineSnapshot, isTaken)

export const machineSnapshotDecider: Decider<typeof VirtualMachineSnapshot, SeenMachineSnapshot> = {
  name: 'virtual-machine-snapshot',
  kind: VirtualMachineSnapshot,
  watches: [
    ...watchAll([VirtualMachineSnapshotContent, VolumeSnapshot], snapshotsUnderWay),
    {
      kind: VirtualMachine,
      keys: underWay(VirtualMachineSnapshot, ({ status }) => status?.phase === 'Succeeded'),
    },
    ...watchAll(
      [VirtualMachineInstance, PersistentVolumeClaim, PersistentVolume, VolumeSnapshotClass],
      () => [],
    ),
  ],
  gather: (snapshot, look) => {
    const { namespace } = snapshot.metadata
    const machine = look.get(VirtualMachine, namespace, snapshot.spec.source.name)
    const instance = look.get(VirtualMachineInstance, namespace, snapshot.spec.source.name)
    const content = look.get(VirtualMachineSnapshotContent, namespace, contentName(snapshot))
    return {
      snapshot,
      machine,
      content,
      disks: machine ? machineDisks(machine, instance, look) : [],
      otherVolumes: machine ? otherVolumes(machine) : [],
      circumstances: circumstancesOf(instance),
      problem: snapshotClassProblem(look),
      kept: (content?.spec.volumeBackups ?? []).flatMap(
        ({ volumeSnapshotName }) => look.get(VolumeSnapshot, namespace, volumeSnapshotName ?? '') ?? [],
      ),
    }
  },
  decide: decideMachineSnapshot,
}

interface DiskInput {
  readonly volumeName: string
  readonly newName: string
  readonly snapshotName: string
  readonly kept: DiskToRestore['kept']
}

function diskToRestore(look: Look, namespace: string, input: DiskInput): DiskToRestore {
  const claim = look.get(PersistentVolumeClaim, namespace, input.newName)
  const volumeName = claim?.spec?.volumeName
  const handle = volumeName
    ? look.get(PersistentVolume, undefined, volumeName)?.spec?.csi?.volumeHandle
    : undefined
  const metadata = (input.kept.metadata ?? {}) as { readonly name?: string }
  return {
    ...input,
    oldName: metadata.name ?? '',
    snapshot: look.get(VolumeSnapshot, namespace, input.snapshotName),
    claim,
    volume: handle ? look.get(Volume, LONGHORN_NAMESPACE, handle) : undefined,
  }
}

const isRestored = ({ status }: VirtualMachineRestore): boolean =>
  status?.complete === true ||
  (status?.conditions ?? []).some((one) => one.type === 'Failure' && one.status === 'True')

export const machineRestoreDecider: Decider<typeof VirtualMachineRestore, SeenMachineRestore> = {
  name: 'virtual-machine-restore',
  kind: VirtualMachineRestore,
  watches: [
    ...watchAll(
      [VirtualMachineSnapshot, VirtualMachineInstance, VirtualMachine, PersistentVolumeClaim],
      underWay(VirtualMachineRestore, isRestored),
    ),
    volumeWatch(VirtualMachineRestore, isRestored),
    ...watchAll([VirtualMachineSnapshotContent, VolumeSnapshot, PersistentVolume], () => []),
  ],
  gather: (restore, look) => {
    const namespace = restore.metadata.namespace!
    const snapshot = look.get(VirtualMachineSnapshot, namespace, restore.spec.virtualMachineSnapshotName)
    const content = snapshot
      ? look.get(
          VirtualMachineSnapshotContent,
          namespace,
          snapshot.status?.virtualMachineSnapshotContentName ?? '',
        )
      : undefined
    const overrides = restore.spec.volumeRestoreOverrides ?? []
    return {
      restore,
      snapshot,
      content,
      target: look.get(VirtualMachine, namespace, restore.spec.target.name),
      instance: look.get(VirtualMachineInstance, namespace, restore.spec.target.name),
      source: snapshot ? look.get(VirtualMachine, namespace, snapshot.spec.source.name) : undefined,
      disks: (content?.spec.volumeBackups ?? []).map((backup) => {
        const override = overrides.find((one) => one.volumeName === backup.volumeName)
        return {
          ...diskToRestore(look, namespace, {
            volumeName: backup.volumeName,
            newName: restoredName(restore, backup.volumeName),
            snapshotName: backup.volumeSnapshotName ?? '',
            kept: backup.persistentVolumeClaim,
          }),
          labels: override?.labels,
          annotations: override?.annotations,
        }
      }),
    }
  },
  decide: decideMachineRestore,
}

export const machineBackupDecider: Decider<typeof VirtualMachineBackup, SeenBackup> = {
  name: 'virtual-machine-backup',
  kind: VirtualMachineBackup,
  watches: [
    { kind: VolumeSnapshot, keys: underWay(VirtualMachineBackup, () => false) },
    ...watchAll(
      [VirtualMachine, PersistentVolumeClaim],
      underWay(VirtualMachineBackup, ({ status }) => status?.source !== undefined),
    ),
    ...watchAll([VirtualMachineInstance, PersistentVolume, VolumeSnapshotClass], () => []),
  ],
  gather: (backup, look) => {
    const { namespace } = backup.metadata
    const machine = look.get(VirtualMachine, namespace, backup.spec.source.name)
    const instance = look.get(VirtualMachineInstance, namespace, backup.spec.source.name)
    return {
      backup,
      machine,
      disks: machine ? machineDisks(machine, instance, look) : [],
      circumstances: circumstancesOf(instance),
      problem: snapshotClassProblem(look),
      kept: (backup.status?.volumeBackups ?? []).flatMap(
        ({ name }) => look.get(VolumeSnapshot, namespace, name ?? '') ?? [],
      ),
    }
  },
  decide: decideBackup,
}

const isBack = ({ status }: BackupRestore): boolean => status?.complete === true

export const backupRestoreDecider: Decider<typeof BackupRestore, SeenBackupRestore> = {
  name: 'backup-restore',
  kind: BackupRestore,
  watches: [
    ...watchAll(
      [VirtualMachineInstance, VirtualMachine, PersistentVolumeClaim],
      underWay(BackupRestore, isBack),
    ),
    { kind: VirtualMachineBackup, keys: underWay(BackupRestore, isBack) },
    volumeWatch(BackupRestore, isBack),
    ...watchAll([VolumeSnapshot, PersistentVolume], () => []),
  ],
  gather: (restore, look) => {
    const namespace = restore.metadata.namespace!
    const { virtualMachineBackupName: name, virtualMachineBackupNamespace: from, target } = restore.spec
    const backup = look.get(VirtualMachineBackup, from, name)
    const machine = look.get(VirtualMachine, namespace, target.name)
    const replaced = (machine?.metadata.annotations?.[REPLACED_CLAIMS] ?? '').split(',').filter(Boolean)
    return {
      restore,
      backup,
      target: machine,
      instance: look.get(VirtualMachineInstance, namespace, target.name),
      disks: (backup?.status?.volumeBackups ?? []).map((one) =>
        diskToRestore(look, namespace, {
          volumeName: one.volumeName,
          newName: `restore-${name}-${restore.metadata.uid}-${one.volumeName}`,
          snapshotName: one.name ?? '',
          kept: one.persistentVolumeClaim,
        }),
      ),
      replaced: replaced.flatMap((claim) => look.get(PersistentVolumeClaim, namespace, claim) ?? []),
    }
  },
  decide: decideBackupRestore,
}
