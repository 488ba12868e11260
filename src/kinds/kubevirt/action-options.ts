// Bodies of the action subresources (start, stop, restart, pause, ...) and what the guest agent answers.
import { s } from '../build.ts'
import { virtualMachineInstanceGuestOSInfo } from './instance-status.ts'

export const startOptions = s.object({
  apiVersion: s.string(),
  dryRun: s.list(s.string()),
  kind: s.string(),
  paused: s.boolean(),
})

export const stopOptions = s.object({
  apiVersion: s.string(),
  dryRun: s.list(s.string()),
  gracePeriod: s.integer(undefined, { format: 'int64' }),
  kind: s.string(),
})

export const restartOptions = s.object({
  apiVersion: s.string(),
  dryRun: s.list(s.string()),
  gracePeriodSeconds: s.integer(undefined, { format: 'int64' }),
  kind: s.string(),
})

export const migrateOptions = s.object({
  addedNodeSelector: s.map(s.string()),
  apiVersion: s.string(),
  dryRun: s.list(s.string()),
  kind: s.string(),
})

export const pauseOptions = s.object({
  apiVersion: s.string(),
  dryRun: s.list(s.string()),
  kind: s.string(),
})

export const unpauseOptions = s.object({
  apiVersion: s.string(),
  dryRun: s.list(s.string()),
  kind: s.string(),
})

export const freezeUnfreezeTimeout = s.object(
  {
    unfreezeTimeout: s.string(),
  },
  undefined,
  { required: ['unfreezeTimeout'] },
)

export const evacuateCancelOptions = s.object(
  {
    apiVersion: s.string(),
    dryRun: s.list(s.string()),
    evacuationNodeName: s.string(),
    kind: s.string(),
  },
  undefined,
  { required: ['evacuationNodeName'] },
)

export const guestAgentCommandInfo = s.object(
  {
    enabled: s.boolean(),
    name: s.string(),
  },
  undefined,
  { required: ['name'] },
)

export const virtualMachineInstanceGuestOSUser = s.object(
  {
    domain: s.string(),
    loginTime: s.number(undefined, { format: 'double' }),
    userName: s.string(),
  },
  undefined,
  { required: ['userName'] },
)

export const virtualMachineInstanceFileSystemDisk = s.object(
  {
    busType: s.string(),
    serial: s.string(),
  },
  undefined,
  { required: ['busType'] },
)

export const virtualMachineInstanceFileSystem = s.object(
  {
    disk: s.list(virtualMachineInstanceFileSystemDisk),
    diskName: s.string(),
    fileSystemType: s.string(),
    mountPoint: s.string(),
    totalBytes: s.integer(),
    usedBytes: s.integer(),
  },
  undefined,
  { required: ['diskName', 'mountPoint', 'fileSystemType', 'usedBytes', 'totalBytes'] },
)

export const virtualMachineInstanceFileSystemInfo = s.object(
  {
    disks: s.list(virtualMachineInstanceFileSystem),
  },
  undefined,
  { required: ['disks'] },
)

export const virtualMachineInstanceGuestAgentInfo = s.object({
  apiVersion: s.string(),
  fsFreezeStatus: s.string(),
  fsInfo: virtualMachineInstanceFileSystemInfo,
  guestAgentVersion: s.string(),
  hostname: s.string(),
  kind: s.string(),
  os: virtualMachineInstanceGuestOSInfo,
  supportedCommands: s.list(guestAgentCommandInfo),
  timezone: s.string(),
  userList: s.list(virtualMachineInstanceGuestOSUser),
})
