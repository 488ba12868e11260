// Kinds of snapshot.storage.k8s.io and snapshot.kubevirt.io.
import type { AnyKind } from '../kind.ts'
import { VirtualMachineRestore } from './virtual-machine-restore.ts'
import { VirtualMachineSnapshot } from './virtual-machine-snapshot.ts'
import { VirtualMachineSnapshotContent } from './virtual-machine-snapshot-content.ts'
import { VolumeSnapshot } from './volume-snapshot.ts'
import { VolumeSnapshotClass } from './volume-snapshot-class.ts'
import { VolumeSnapshotContent } from './volume-snapshot-content.ts'

export const snapshotKinds: readonly AnyKind[] = [
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  VirtualMachineSnapshot,
  VirtualMachineSnapshotContent,
  VirtualMachineRestore,
]
