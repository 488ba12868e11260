// The status of a VirtualMachine.

import { s } from '../build.ts'
import {
  changedBlockTrackingStatus,
  storageMigratedVolumeInfo,
  virtualMachineVolumeRequest,
} from './volume-requests.ts'

export const virtualMachineCondition = s.object(
  {
    lastProbeTime: s.string(undefined, { nullable: true }),
    lastTransitionTime: s.string(undefined, { nullable: true }),
    message: s.string(),
    reason: s.string(),
    status: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['type', 'status'] },
)

export const controllerRevisionRef = s.object({
  name: s.string(),
})

export const instancetypeStatusRef = s.object({
  controllerRevisionRef: controllerRevisionRef,
  inferFromVolume: s.string(),
  inferFromVolumeFailurePolicy: s.string(),
  kind: s.string(),
  name: s.string(),
})

export const virtualMachineMemoryDumpRequest = s.object(
  {
    claimName: s.string(),
    endTimestamp: s.time(),
    fileName: s.string(),
    message: s.string(),
    phase: s.string(),
    remove: s.boolean(),
    startTimestamp: s.time(),
  },
  undefined,
  { required: ['claimName', 'phase'] },
)

export const virtualMachineStartFailure = s.object({
  consecutiveFailCount: s.integer(),
  lastFailedVMIUID: s.string(),
  retryAfterTimestamp: s.time(),
})

export const virtualMachineStateChangeRequest = s.object(
  {
    action: s.string(),
    data: s.map(s.string()),
    uid: s.string(),
  },
  undefined,
  { required: ['action'] },
)

export const volumeSnapshotStatus = s.object(
  {
    enabled: s.boolean(),
    name: s.string(),
    reason: s.string(),
  },
  undefined,
  { required: ['name', 'enabled'] },
)

export const volumeMigrationState = s.object({
  migratedVolumes: s.list(storageMigratedVolumeInfo),
})

export const volumeUpdateState = s.object({
  volumeMigrationState: volumeMigrationState,
})

export const virtualMachineStatus = s.object(
  {
    changedBlockTracking: changedBlockTrackingStatus,
    conditions: s.list(virtualMachineCondition),
    created: s.boolean(),
    desiredGeneration: s.integer(undefined, { format: 'int64' }),
    instancetypeRef: instancetypeStatusRef,
    memoryDumpRequest: virtualMachineMemoryDumpRequest,
    observedGeneration: s.integer(undefined, { format: 'int64' }),
    preferenceRef: instancetypeStatusRef,
    printableStatus: s.string(),
    ready: s.boolean(),
    restoreInProgress: s.string(),
    runStrategy: s.string(),
    snapshotInProgress: s.string(),
    startFailure: virtualMachineStartFailure,
    stateChangeRequests: s.list(virtualMachineStateChangeRequest),
    volumeRequests: s.list(virtualMachineVolumeRequest),
    volumeSnapshotStatuses: s.list(volumeSnapshotStatus),
    volumeUpdateState: volumeUpdateState,
  },
  undefined,
  { nullable: true },
)
