// Spec and status of a Replica.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const replicaSpec = s.object(
  {
    active: s.boolean('Whether it belongs to the engine that counts.'),
    backingImage: s.string('Image beneath it.'),
    dataDirectoryName: s.string('Folder of the copy on its disk.'),
    dataEngine: s.oneOf(['v1', 'v2'], 'Generation of the data path.'),
    desireState: s.string('running or stopped.'),
    diskID: s.string('UUID of the disk.'),
    diskPath: s.string('Path of the disk on its node.'),
    engineName: s.string('Engine that uses it.'),
    evictionRequested: s.boolean('Whether it is to leave its disk.'),
    failedAt: s.string('When it failed; empty while it is good.'),
    hardNodeAffinity: s.string('Node that it is bound to.'),
    healthyAt: s.string('When it had every write in this attachment.'),
    image: s.string('Engine image that it is to run with.'),
    lastFailedAt: s.string('When it failed last.'),
    lastHealthyAt: s.string('When it last had every write.'),
    logRequested: s.boolean('Whether its log is asked for.'),
    migrationEngineName: s.string('Second engine while the volume moves.'),
    nodeID: s.string('Node of the disk.'),
    rebuildRetryCount: s.integer('Rebuilds that failed in a row.'),
    revisionCounterDisabled: s.boolean('Counts no writes.'),
    salvageRequested: s.boolean('Is used though it had failed.'),
    snapshotMaxCount: s.integer('Most snapshots.'),
    snapshotMaxSize: s.string('Most bytes of snapshots, as text.'),
    unmapMarkDiskChainRemovedEnabled: s.boolean('Whether trimming removes layers in its way.'),
    volumeName: s.string('Volume that it is a copy of.'),
    volumeSize: s.string('Bytes, as text.'),
  },
  'Where the copy lies and whether it is to be served.',
)

export const replicaStatus = s.object(
  {
    conditions: s.list(condition, 'What holds for the replica now.', { nullable: true }),
    currentImage: s.string('Engine image in use.'),
    currentState: s.string('running, stopped, error, starting, stopping or unknown.'),
    instanceManagerName: s.string('Owner of its process.'),
    ip: s.string('Address of its process.'),
    logFetched: s.boolean('Whether its log was fetched.'),
    ownerID: s.string('Node that looks after it.'),
    port: s.integer('Port of its process.'),
    salvageExecuted: s.boolean('Whether it was used though it had failed.'),
    started: s.boolean('Whether it has started.'),
    starting: s.boolean('Whether it is starting.'),
    storageIP: s.string('Address in the storage network.'),
    ublkID: s.integer('Number of its ublk device.'),
    uuid: s.string('Identity of its process.'),
  },
  'How the copy is doing.',
)
