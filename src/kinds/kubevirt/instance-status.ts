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
    lastProbeTime: s.string('When it was last looked at.', { nullable: true }),
    lastTransitionTime: s.string('When the status last changed.', { nullable: true }),
    message: s.string('One sentence for people.'),
    reason: s.string('One word for programs.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('What it is about, for instance AgentConnected.'),
  },
  'One thing that holds for the run, or does not.',
  { required: ['type', 'status'] },
)

export const cpuTopology = s.object(
  {
    cores: s.integer('Cores in a socket.', { format: 'int64' }),
    sockets: s.integer('Sockets.', { format: 'int64' }),
    threads: s.integer('Threads in a core.', { format: 'int64' }),
  },
  'Processors in use.',
)

export const deviceAttribute = s.object(
  {
    mDevUUID: s.string('UUID of a mediated device.'),
    pciAddress: s.string('PCI address on the host.'),
  },
  'What tells one device from another.',
)

export const deviceResourceClaimStatus = s.object(
  {
    attributes: s.doc(deviceAttribute, 'Which device it is.'),
    name: s.string('Name of the device.'),
    resourceClaimName: s.string('Name of the claim.'),
  },
  'What a claim gave.',
)

export const deviceStatusInfo = s.object(
  {
    deviceResourceClaimStatus: s.doc(deviceResourceClaimStatus, 'What its claim gave.'),
    name: s.string('Name within the machine.'),
  },
  'One device.',
  { required: ['name'] },
)

export const deviceStatus = s.object(
  {
    gpuStatuses: s.list(deviceStatusInfo, 'Graphics cards.'),
    hostDeviceStatuses: s.list(deviceStatusInfo, 'Other devices.'),
  },
  'Devices that claims gave.',
)

export const virtualMachineInstanceGuestOSInfo = s.object(
  {
    id: s.string('Short name, for instance debian.'),
    kernelRelease: s.string('Release of the kernel.'),
    kernelVersion: s.string('Version of the kernel.'),
    machine: s.string('Architecture.'),
    name: s.string('Name.'),
    prettyName: s.string('Name with version.'),
    version: s.string('Version.'),
    versionId: s.string('Version as a number.'),
  },
  'The operating system, as its agent tells.',
)

export const virtualMachineInstanceNetworkInterface = s.object(
  {
    infoSource: s.string('Who told: domain, guest-agent, multus-status, joined by commas.'),
    interfaceName: s.string('Name in the guest.'),
    ipAddress: s.string('First address.'),
    ipAddresses: s.list(s.string(), 'All addresses.'),
    linkState: s.string('up or down.'),
    mac: s.string('MAC address.'),
    name: s.string('Name of its network.'),
    podInterfaceName: s.string("Name on the host's side."),
    queueCount: s.integer('Number of queues.'),
  },
  'A network card, as host and guest see it.',
)

export const initrdInfo = s.object(
  {
    checksum: s.integer('Sum over the file.', { format: 'int64' }),
  },
  'The initial RAM disk in use.',
)

export const kernelInfo = s.object(
  {
    checksum: s.integer('Sum over the file.', { format: 'int64' }),
  },
  'The kernel in use.',
)

export const kernelBootStatus = s.object(
  {
    initrdInfo: s.doc(initrdInfo, 'The RAM disk.'),
    kernelInfo: s.doc(kernelInfo, 'The kernel.'),
  },
  'Kernel and RAM disk in use.',
)

export const memoryStatus = s.object(
  {
    guestAtBoot: s.quantity('Size at the start.'),
    guestCurrent: s.quantity('Size now.'),
    guestRequested: s.quantity('Size that is wanted.'),
  },
  'Memory of the guest.',
)

export const virtualMachineInstancePhaseTransitionTimestamp = s.object(
  {
    phase: s.string('The phase.'),
    phaseTransitionTimestamp: s.time('The time.'),
  },
  'When a phase began.',
)

export const topologyHints = s.object(
  {
    tscFrequency: s.integer('Frequency of the time stamp counter in hertz.', { format: 'int64' }),
  },
  'What the node must be able to do.',
)

export const containerDiskInfo = s.object(
  {
    checksum: s.integer('Sum over the file.', { format: 'int64' }),
  },
  'The container disk in use.',
)

export const hotplugVolumeStatus = s.object(
  {
    attachPodName: s.string('Pod that holds it.'),
    attachPodUID: s.string('UID of that Pod.'),
  },
  'A plugged-in volume.',
)

export const domainMemoryDumpInfo = s.object(
  {
    claimName: s.string('Claim it is in.'),
    endTimestamp: s.time('When it ended.'),
    startTimestamp: s.time('When it began.'),
    targetFileName: s.string('File in the claim.'),
  },
  'A dump of memory.',
)

export const volumeStatus = s.object(
  {
    containerDiskVolume: s.doc(containerDiskInfo, 'Which container disk it is.'),
    hotplugVolume: s.doc(hotplugVolumeStatus, 'Who holds it, when it was plugged in.'),
    memoryDumpVolume: s.doc(domainMemoryDumpInfo, 'Which dump it holds.'),
    message: s.string('One sentence for people.'),
    name: s.string('Name of the volume.'),
    persistentVolumeClaimInfo: s.doc(persistentVolumeClaimInfo, 'What is known of its claim.'),
    phase: s.string('How far plugging in has come.'),
    reason: s.string('One word for programs.'),
    size: s.integer('Size in bytes.', { format: 'int64' }),
    target: s.string('Name in the guest, for instance vda.'),
  },
  'How one volume is doing.',
  { required: ['name', 'target'] },
)

export const virtualMachineInstanceStatus = s.object(
  {
    VSOCKCID: s.integer('Address for vsock.', { format: 'int64' }),
    activePods: s.map(s.string(), 'Launchers by UID, with their nodes.'),
    changedBlockTracking: s.doc(changedBlockTrackingStatus, 'Whether changed blocks are remembered.'),
    conditions: s.list(virtualMachineInstanceCondition, 'What holds for the run now.'),
    currentCPUTopology: s.doc(cpuTopology, 'Processors in use.'),
    deviceStatus: s.doc(deviceStatus, 'Devices that claims gave.'),
    evacuationNodeName: s.string('Node that is being emptied.'),
    fsFreezeStatus: s.string('frozen while file systems are at rest.'),
    guestOSInfo: s.doc(virtualMachineInstanceGuestOSInfo, 'The operating system, as its agent tells.'),
    interfaces: s.list(virtualMachineInstanceNetworkInterface, 'Network cards, as host and guest see them.'),
    kernelBootStatus: s.doc(kernelBootStatus, 'Kernel in use.'),
    launcherContainerImageVersion: s.string('Version of the launcher.'),
    machine: s.doc(machine, 'Exact machine type in use.'),
    memory: s.doc(memoryStatus, 'Memory of the guest.'),
    migratedVolumes: s.list(storageMigratedVolumeInfo, 'Volumes that move.'),
    migrationMethod: s.string('BlockMigration or LiveMigration.'),
    migrationState: s.doc(virtualMachineInstanceMigrationState, 'How far a move has come.'),
    migrationTransport: s.string('How a move is carried.'),
    nodeName: s.string('Node that runs it.'),
    phase: s.string('Pending, Scheduling, Scheduled, Running, Succeeded, Failed or Unknown.'),
    phaseTransitionTimestamps: s.list(
      virtualMachineInstancePhaseTransitionTimestamp,
      'When each phase began.',
    ),
    qosClass: s.oneOf(
      ['BestEffort', 'Burstable', 'Guaranteed'],
      'How the host treats it when resources are short.',
    ),
    reason: s.string('Why it is in this phase, in one word.'),
    runtimeUser: s.integer('User on the host that it runs as.', { format: 'int64' }),
    selinuxContext: s.string('SELinux label.'),
    topologyHints: s.doc(topologyHints, 'What the node must be able to do.'),
    virtualMachineRevisionName: s.string('Revision of the machine that it was started from.'),
    volumeStatus: s.list(volumeStatus, 'How each volume is doing.'),
  },
  'How the run is doing.',
  { nullable: true },
)
