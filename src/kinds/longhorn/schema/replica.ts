// Spec and status of a Replica.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const replicaSpec = s.object({
  active: s.boolean(),
  backingImage: s.string(),
  dataDirectoryName: s.string(),
  dataEngine: s.oneOf(['v1', 'v2']),
  desireState: s.string(),
  diskID: s.string(),
  diskPath: s.string(),
  engineName: s.string(),
  evictionRequested: s.boolean(),
  failedAt: s.string(),
  hardNodeAffinity: s.string(),
  healthyAt: s.string(),
  image: s.string(),
  lastFailedAt: s.string(),
  lastHealthyAt: s.string(),
  logRequested: s.boolean(),
  migrationEngineName: s.string(),
  nodeID: s.string(),
  rebuildRetryCount: s.integer(),
  revisionCounterDisabled: s.boolean(),
  salvageRequested: s.boolean(),
  snapshotMaxCount: s.integer(),
  snapshotMaxSize: s.string(),
  unmapMarkDiskChainRemovedEnabled: s.boolean(),
  volumeName: s.string(),
  volumeSize: s.string(),
})

export const replicaStatus = s.object({
  conditions: s.list(condition, 'What holds for this object now.', { nullable: true }),
  currentImage: s.string(),
  currentState: s.string(),
  instanceManagerName: s.string(),
  ip: s.string(),
  logFetched: s.boolean(),
  ownerID: s.string(),
  port: s.integer(),
  salvageExecuted: s.boolean(),
  started: s.boolean(),
  starting: s.boolean(),
  storageIP: s.string(),
  ublkID: s.integer(),
  uuid: s.string(),
})
