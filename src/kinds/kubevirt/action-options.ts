// Bodies of the action subresources (start, stop, restart, pause, ...) and what the guest agent answers.
import { s } from '../build.ts'
import { virtualMachineInstanceGuestOSInfo } from './instance-status.ts'

export const startOptions = s.object(
  {
    apiVersion: s.string('Group and version, when a client sends them.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    kind: s.string('Kind, when a client sends it.'),
    paused: s.boolean('Starts without running.'),
  },
  'Body of start.',
)

export const stopOptions = s.object(
  {
    apiVersion: s.string('Group and version, when a client sends them.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    gracePeriod: s.integer('Seconds the guest gets to shut down; 0 ends it at once.', { format: 'int64' }),
    kind: s.string('Kind, when a client sends it.'),
  },
  'Body of stop.',
)

export const restartOptions = s.object(
  {
    apiVersion: s.string('Group and version, when a client sends them.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    gracePeriodSeconds: s.integer('0 ends the run at once; no other value is taken.', { format: 'int64' }),
    kind: s.string('Kind, when a client sends it.'),
  },
  'Body of restart.',
)

export const migrateOptions = s.object(
  {
    addedNodeSelector: s.map(s.string(), 'Labels that the target must have.'),
    apiVersion: s.string('Group and version, when a client sends them.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    kind: s.string('Kind, when a client sends it.'),
  },
  'Body of migrate.',
)

export const pauseOptions = s.object(
  {
    apiVersion: s.string('Group and version, when a client sends them.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    kind: s.string('Kind, when a client sends it.'),
  },
  'Body of pause.',
)

export const unpauseOptions = s.object(
  {
    apiVersion: s.string('Group and version, when a client sends them.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    kind: s.string('Kind, when a client sends it.'),
  },
  'Body of unpause.',
)

export const freezeUnfreezeTimeout = s.object(
  {
    unfreezeTimeout: s.string('Time after which file systems go on by themselves; 0 for never.'),
  },
  'Body of freeze.',
  { required: ['unfreezeTimeout'] },
)

export const evacuateCancelOptions = s.object(
  {
    apiVersion: s.string('Group and version, when a client sends them.'),
    dryRun: s.list(s.string(), 'All, to only check.'),
    evacuationNodeName: s.string('Node that is meant.'),
    kind: s.string('Kind, when a client sends it.'),
  },
  'Body of evacuate/cancel.',
  { required: ['evacuationNodeName'] },
)

export const guestAgentCommandInfo = s.object(
  {
    enabled: s.boolean('Whether it may be used.'),
    name: s.string('Name of the command.'),
  },
  'A command that the guest agent knows.',
  { required: ['name'] },
)

export const virtualMachineInstanceGuestOSUser = s.object(
  {
    domain: s.string('Domain of the user, on Windows.'),
    loginTime: s.number('When the user logged in, in seconds since 1970.', { format: 'double' }),
    userName: s.string('Name of the user.'),
  },
  'Somebody who is logged in.',
  { required: ['userName'] },
)

export const virtualMachineInstanceFileSystemDisk = s.object(
  {
    busType: s.string('Bus of the disk.'),
    serial: s.string('Serial number of the disk.'),
  },
  'A disk beneath a file system.',
  { required: ['busType'] },
)

export const virtualMachineInstanceFileSystem = s.object(
  {
    disk: s.list(virtualMachineInstanceFileSystemDisk, 'Disks beneath it.'),
    diskName: s.string('Name of its device.'),
    fileSystemType: s.string('For instance ext4.'),
    mountPoint: s.string('Where it is mounted.'),
    totalBytes: s.integer('Its size.'),
    usedBytes: s.integer('What is used of it.'),
  },
  'A file system of the guest.',
  { required: ['diskName', 'mountPoint', 'fileSystemType', 'usedBytes', 'totalBytes'] },
)

export const virtualMachineInstanceFileSystemInfo = s.object(
  {
    disks: s.list(virtualMachineInstanceFileSystem, 'The file systems.'),
  },
  'File systems of the guest.',
  { required: ['disks'] },
)

export const virtualMachineInstanceGuestAgentInfo = s.object(
  {
    apiVersion: s.string('Group and version of the answer.'),
    fsFreezeStatus: s.string('frozen while file systems are at rest.'),
    fsInfo: s.doc(virtualMachineInstanceFileSystemInfo, 'File systems.'),
    guestAgentVersion: s.string('Version of the agent.'),
    hostname: s.string('Name of the guest.'),
    kind: s.string('Kind of the answer.'),
    os: s.doc(virtualMachineInstanceGuestOSInfo, 'The operating system.'),
    supportedCommands: s.list(guestAgentCommandInfo, 'Commands that the agent knows.'),
    timezone: s.string("Zone of the guest's clock."),
    userList: s.list(virtualMachineInstanceGuestOSUser, 'Who is logged in.'),
  },
  'What the guest agent tells.',
)
