// The status of a VirtualMachineInstance; from Scheduled on it is written by the agent of its node.

import { s } from '../build.ts'
import { machine } from './domain/firmware.ts'
import { virtualMachineInstanceMigrationState } from './migration-state.ts'
import {
  changedBlockTrackingStatus,
  persistentVolumeClaimInfo,
  storageMigratedVolumeInfo,
} from './volume-requests.ts'

export const virtualMachineInstanceCondition = s.object(
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

export const cpuTopology = s.object({
  cores: s.integer(undefined, { format: 'int64' }),
  sockets: s.integer(undefined, { format: 'int64' }),
  threads: s.integer(undefined, { format: 'int64' }),
})

export const deviceAttribute = s.object({
  mDevUUID: s.string(),
  pciAddress: s.string(),
})

export const deviceResourceClaimStatus = s.object({
  attributes: deviceAttribute,
  name: s.string(),
  resourceClaimName: s.string(),
})

export const deviceStatusInfo = s.object(
  {
    deviceResourceClaimStatus: deviceResourceClaimStatus,
    name: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const deviceStatus = s.object({
  gpuStatuses: s.list(deviceStatusInfo),
  hostDeviceStatuses: s.list(deviceStatusInfo),
})

export const virtualMachineInstanceGuestOSInfo = s.object({
  id: s.string(),
  kernelRelease: s.string(),
  kernelVersion: s.string(),
  machine: s.string(),
  name: s.string(),
  prettyName: s.string(),
  version: s.string(),
  versionId: s.string(),
})

export const virtualMachineInstanceNetworkInterface = s.object({
  infoSource: s.string(),
  interfaceName: s.string(),
  ipAddress: s.string(),
  ipAddresses: s.list(s.string()),
  linkState: s.string(),
  mac: s.string(),
  name: s.string(),
  podInterfaceName: s.string(),
  queueCount: s.integer(),
})

export const initrdInfo = s.object({
  checksum: s.integer(undefined, { format: 'int64' }),
})

export const kernelInfo = s.object({
  checksum: s.integer(undefined, { format: 'int64' }),
})

export const kernelBootStatus = s.object({
  initrdInfo: initrdInfo,
  kernelInfo: kernelInfo,
})

export const memoryStatus = s.object({
  guestAtBoot: s.quantity(),
  guestCurrent: s.quantity(),
  guestRequested: s.quantity(),
})

export const virtualMachineInstancePhaseTransitionTimestamp = s.object({
  phase: s.string(),
  phaseTransitionTimestamp: s.time(),
})

export const topologyHints = s.object({
  tscFrequency: s.integer(undefined, { format: 'int64' }),
})

export const containerDiskInfo = s.object({
  checksum: s.integer(undefined, { format: 'int64' }),
})

export const hotplugVolumeStatus = s.object({
  attachPodName: s.string(),
  attachPodUID: s.string(),
})

export const domainMemoryDumpInfo = s.object({
  claimName: s.string(),
  endTimestamp: s.time(),
  startTimestamp: s.time(),
  targetFileName: s.string(),
})

export const volumeStatus = s.object(
  {
    containerDiskVolume: containerDiskInfo,
    hotplugVolume: hotplugVolumeStatus,
    memoryDumpVolume: domainMemoryDumpInfo,
    message: s.string(),
    name: s.string(),
    persistentVolumeClaimInfo: persistentVolumeClaimInfo,
    phase: s.string(),
    reason: s.string(),
    size: s.integer(undefined, { format: 'int64' }),
    target: s.string(),
  },
  undefined,
  { required: ['name', 'target'] },
)

export const virtualMachineInstanceStatus = s.object(
  {
    VSOCKCID: s.integer(undefined, { format: 'int64' }),
    activePods: s.map(s.string()),
    changedBlockTracking: changedBlockTrackingStatus,
    conditions: s.list(virtualMachineInstanceCondition),
    currentCPUTopology: cpuTopology,
    deviceStatus: deviceStatus,
    evacuationNodeName: s.string(),
    fsFreezeStatus: s.string(),
    guestOSInfo: virtualMachineInstanceGuestOSInfo,
    interfaces: s.list(virtualMachineInstanceNetworkInterface),
    kernelBootStatus: kernelBootStatus,
    launcherContainerImageVersion: s.string(),
    machine: machine,
    memory: memoryStatus,
    migratedVolumes: s.list(storageMigratedVolumeInfo),
    migrationMethod: s.string(),
    migrationState: virtualMachineInstanceMigrationState,
    migrationTransport: s.string(),
    nodeName: s.string(),
    phase: s.string(),
    phaseTransitionTimestamps: s.list(virtualMachineInstancePhaseTransitionTimestamp),
    qosClass: s.oneOf(['BestEffort', 'Burstable', 'Guaranteed']),
    reason: s.string(),
    runtimeUser: s.integer(undefined, { format: 'int64' }),
    selinuxContext: s.string(),
    topologyHints: topologyHints,
    virtualMachineRevisionName: s.string(),
    volumeStatus: s.list(volumeStatus),
  },
  undefined,
  { nullable: true },
)
