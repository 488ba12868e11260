// How far a live migration is; shared by instance and migration.
import { s } from '../build.ts'

export const migrationConfiguration = s.object(
  {
    allowAutoConverge: s.boolean('Slows the guest down when its memory changes too fast.'),
    allowPostCopy: s.boolean('Starts on the target before all memory is there.'),
    allowWorkloadDisruption: s.boolean('Pauses the guest when nothing else helps.'),
    bandwidthPerMigration: s.quantity('Most bytes a second for one move; 0 for no bound.'),
    completionTimeoutPerGiB: s.integer('Seconds for each GiB until a move has failed.', { format: 'int64' }),
    disableTLS: s.boolean('Moves without encryption.'),
    matchSELinuxLevelOnMigration: s.boolean('Keeps the SELinux level on the target.'),
    network: s.string('Network that moves go over.'),
    nodeDrainTaintKey: s.string('Taint by which nodes are emptied.'),
    parallelMigrationsPerCluster: s.integer('Moves at a time in the cluster.', { format: 'int64' }),
    parallelOutboundMigrationsPerNode: s.integer('Moves at a time away from one node.', { format: 'int64' }),
    progressTimeout: s.integer('Seconds without progress until a move has failed.', { format: 'int64' }),
    unsafeMigrationOverride: s.boolean('Moves also where disks may be harmed.'),
  },
  'How machines move while running.',
)

export const virtualMachineInstanceMigrationSourceState = s.object(
  {
    domainName: s.string('Name of the machine in the hypervisor.'),
    domainNamespace: s.string('Namespace of the machine.'),
    migrationUID: s.string('UID of the migration.'),
    node: s.string('Node it leaves.'),
    nodeSelectors: s.map(s.string(), 'Labels that the target must have.'),
    persistentStatePVCName: s.string('Claim with firmware and TPM state.'),
    pod: s.string('Launcher it leaves.'),
    selinuxContext: s.string('SELinux label.'),
    syncAddress: s.string('Address for agreeing about the move.'),
    virtualMachineInstanceUID: s.string('UID of the run.'),
  },
  'A move, seen from where it begins.',
)

export const virtualMachineInstanceMigrationTargetState = s.object(
  {
    attachmentPodUID: s.string('Pod that holds plugged-in volumes.'),
    cpuSet: s.list(s.integer(), 'Processors of the host that it gets.'),
    directMigrationNodePorts: s.map(s.integer(), 'Ports that data comes in by.'),
    domainDetected: s.boolean('Whether the guest was seen on the target.'),
    domainName: s.string('Name of the machine in the hypervisor.'),
    domainNamespace: s.string('Namespace of the machine.'),
    domainReadyTimestamp: s.time('When the guest ran on the target.'),
    migrationUID: s.string('UID of the migration.'),
    node: s.string('Node it comes to.'),
    nodeAddress: s.string('Address of that node.'),
    nodeTopology: s.string('Memory nodes and processors of that node.'),
    persistentStatePVCName: s.string('Claim with firmware and TPM state.'),
    pod: s.string('Launcher it comes to.'),
    selinuxContext: s.string('SELinux label.'),
    syncAddress: s.string('Address for agreeing about the move.'),
    virtualMachineInstanceUID: s.string('UID of the run.'),
  },
  'A move, seen from where it ends.',
)

export const virtualMachineInstanceMigrationState = s.object(
  {
    abortRequested: s.boolean('Whether it is to be called off.'),
    abortStatus: s.string('How far calling off has come.'),
    completed: s.boolean('Whether it has ended.'),
    endTimestamp: s.time('When it ended.'),
    failed: s.boolean('Whether it failed.'),
    failureReason: s.string('Why it failed.'),
    migrationConfiguration: s.doc(migrationConfiguration, 'Configuration in force.'),
    migrationNetworkType: s.string('Network that it goes over.'),
    migrationPolicyName: s.string('Policy in force.'),
    migrationUid: s.string('UID of the migration.'),
    mode: s.string('PreCopy, PostCopy or Paused.'),
    sourceNode: s.string('Node it leaves.'),
    sourcePersistentStatePVCName: s.string('Claim with firmware and TPM state, before.'),
    sourcePod: s.string('Launcher it leaves.'),
    sourceState: s.doc(virtualMachineInstanceMigrationSourceState, 'Seen from where it begins.'),
    startTimestamp: s.time('When it began.'),
    targetAttachmentPodUID: s.string('Pod that holds plugged-in volumes on the target.'),
    targetCPUSet: s.list(s.integer(), 'Processors of the host on the target.'),
    targetDirectMigrationNodePorts: s.map(s.integer(), 'Ports that data comes in by.'),
    targetNode: s.string('Node it comes to.'),
    targetNodeAddress: s.string('Address of that node.'),
    targetNodeDomainDetected: s.boolean('Whether the guest was seen on the target.'),
    targetNodeDomainReadyTimestamp: s.time('When the guest ran on the target.'),
    targetNodeTopology: s.string('Memory nodes and processors of the target.'),
    targetPersistentStatePVCName: s.string('Claim with firmware and TPM state, afterwards.'),
    targetPod: s.string('Launcher it comes to.'),
    targetState: s.doc(virtualMachineInstanceMigrationTargetState, 'Seen from where it ends.'),
  },
  'How far a move has come.',
)
