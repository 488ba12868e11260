// All deciders of the control plane, in the order in which a new machine passes them.
import { addressDecider } from '../control/address.ts'
import { backingImageDecider } from '../control/backing-image.ts'
import { dataVolumeDecider } from '../control/data-volume.ts'
import { genericDeciders } from '../control/generic.ts'
import {
  backupRestoreDecider,
  machineBackupDecider,
  machineRestoreDecider,
  machineSnapshotDecider,
} from '../control/machine-snapshot/deciders.ts'
import { machineTakeover } from '../control/machine-takeover.ts'
import { recurringJobDecider } from '../control/recurring-job.ts'
import { snapshotDecider } from '../control/snapshot.ts'
import { storageNodeDecider } from '../control/storage-node.ts'
import { systemSnapshotsDecider } from '../control/system-snapshots.ts'
import { virtualMachineDecider } from '../control/virtual-machine/decider.ts'
import { virtualMachineImageDecider } from '../control/virtual-machine-image.ts'
import { virtualMachineInstanceDecider } from '../control/virtual-machine-instance/decider.ts'
import { virtualMachineTemplateDecider } from '../control/virtual-machine-template.ts'
import { volumeDecider } from '../control/volume/decider.ts'
import { volumeAttachmentDecider } from '../control/volume-attachment.ts'
import { volumeSnapshotDecider } from '../control/volume-snapshot.ts'
import { volumeSnapshotContentDecider } from '../control/volume-snapshot-content.ts'
import { allKinds } from '../kinds/index.ts'
import { type AnyDecider, decider } from '../loop/run-loop.ts'

export const allDeciders: readonly AnyDecider[] = [
  decider(virtualMachineImageDecider),
  decider(backingImageDecider),
  decider(virtualMachineDecider),
  decider(dataVolumeDecider),
  decider(volumeDecider),
  decider(volumeAttachmentDecider),
  decider(storageNodeDecider),
  decider(snapshotDecider),
  decider(systemSnapshotsDecider),
  decider(volumeSnapshotDecider),
  decider(volumeSnapshotContentDecider),
  decider(machineSnapshotDecider),
  decider(machineRestoreDecider),
  decider(machineBackupDecider),
  decider(backupRestoreDecider),
  decider(recurringJobDecider),
  decider(virtualMachineInstanceDecider),
  decider(virtualMachineTemplateDecider),
  decider(addressDecider),
  decider(machineTakeover),
  ...genericDeciders(allKinds),
]
