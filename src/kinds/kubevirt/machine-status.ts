// The status of a VirtualMachine.

import { s } from '../build.ts'
import {
  changedBlockTrackingStatus,
  storageMigratedVolumeInfo,
  virtualMachineVolumeRequest,
} from './volume-requests.ts'

export const virtualMachineCondition = s.object(
  {
    lastProbeTime: s.string('When it was last looked at.', { nullable: true }),
    lastTransitionTime: s.string('When the status last changed.', { nullable: true }),
    message: s.string('One sentence for people.'),
    reason: s.string('One word for programs.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('What it is about, for instance Ready.'),
  },
  'One thing that holds for the machine, or does not.',
  { required: ['type', 'status'] },
)

export const controllerRevisionRef = s.object(
  {
    name: s.string('Name of the ControllerRevision.'),
  },
  'A recorded revision.',
)

export const instancetypeStatusRef = s.object(
  {
    controllerRevisionRef: s.doc(controllerRevisionRef, 'Revision in use.'),
    inferFromVolume: s.string('Volume that named it.'),
    inferFromVolumeFailurePolicy: s.string('What happens when the volume names none.'),
    kind: s.string('Kind of the object.'),
    name: s.string('Name of the object.'),
  },
  'The instance type or preference in use.',
)

export const virtualMachineMemoryDumpRequest = s.object(
  {
    claimName: s.string('Claim it is written to.'),
    endTimestamp: s.time('When it ended.'),
    fileName: s.string('File in the claim.'),
    message: s.string('Why it failed.'),
    phase: s.string('How far it has come.'),
    remove: s.boolean('True once it is to be forgotten.'),
    startTimestamp: s.time('When it began.'),
  },
  "A dump of the guest's memory.",
  { required: ['claimName', 'phase'] },
)

export const virtualMachineStartFailure = s.object(
  {
    consecutiveFailCount: s.integer('How many there were.'),
    lastFailedVMIUID: s.string('Run that failed last.'),
    retryAfterTimestamp: s.time('When the next start is tried.'),
  },
  'Failed starts in a row.',
)

export const virtualMachineStateChangeRequest = s.object(
  {
    action: s.string('Start or Stop.'),
    data: s.map(s.string(), 'Details, for instance paused.'),
    uid: s.string('Run that is meant, for a stop.'),
  },
  'A start or stop that was asked for.',
  { required: ['action'] },
)

export const volumeSnapshotStatus = s.object(
  {
    enabled: s.boolean('Whether it can.'),
    name: s.string('Name of the volume.'),
    reason: s.string('Why not.'),
  },
  'Whether a volume can be snapshotted.',
  { required: ['name', 'enabled'] },
)

export const volumeMigrationState = s.object(
  {
    migratedVolumes: s.list(storageMigratedVolumeInfo, 'The volumes.'),
  },
  'Volumes that move.',
)

export const volumeUpdateState = s.object(
  {
    volumeMigrationState: s.doc(volumeMigrationState, 'Volumes that move.'),
  },
  'What becomes of changed volumes.',
)

export const virtualMachineStatus = s.object(
  {
    changedBlockTracking: s.doc(changedBlockTrackingStatus, 'Whether changed blocks are remembered.'),
    conditions: s.list(virtualMachineCondition, 'What holds for the machine now.'),
    created: s.boolean('Whether a run exists.'),
    desiredGeneration: s.integer('Generation of the spec that is wanted.', { format: 'int64' }),
    instancetypeRef: s.doc(instancetypeStatusRef, 'Instance type in use.'),
    memoryDumpRequest: s.doc(virtualMachineMemoryDumpRequest, 'Dump of memory under way.'),
    observedGeneration: s.integer('Generation of the spec that this status answers.', { format: 'int64' }),
    preferenceRef: s.doc(instancetypeStatusRef, 'Preference in use.'),
    printableStatus: s.string('State in one word, for instance Running.'),
    ready: s.boolean('Whether the run is ready.'),
    restoreInProgress: s.string('Restore under way.'),
    runStrategy: s.string('Run strategy in force.'),
    snapshotInProgress: s.string('Snapshot under way.'),
    startFailure: s.doc(virtualMachineStartFailure, 'Failed starts in a row.'),
    stateChangeRequests: s.list(virtualMachineStateChangeRequest, 'Starts and stops that were asked for.'),
    volumeRequests: s.list(virtualMachineVolumeRequest, 'Volumes to plug in or out.'),
    volumeSnapshotStatuses: s.list(volumeSnapshotStatus, 'Which volumes can be snapshotted.'),
    volumeUpdateState: s.doc(volumeUpdateState, 'What becomes of changed volumes.'),
  },
  'How the machine is doing.',
  { nullable: true },
)
