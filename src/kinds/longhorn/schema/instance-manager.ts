// Spec and status of an InstanceManager.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const instanceManagerSpec = s.object({
  dataEngine: s.string(),
  dataEngineSpec: s.object({
    v2: s.object({
      cpuMask: s.string(),
    }),
  }),
  image: s.string(),
  nodeID: s.string(),
  type: s.oneOf(['aio', 'engine', 'replica']),
})

export const instanceManagerStatus = s.object({
  apiMinVersion: s.integer(),
  apiVersion: s.integer(),
  backingImages: s.map(
    s.object({
      currentChecksum: s.string(),
      diskUUID: s.string(),
      message: s.string(),
      name: s.string(),
      progress: s.integer(),
      size: s.integer(undefined, { format: 'int64' }),
      state: s.string(),
      uuid: s.string(),
    }),
    undefined,
    { nullable: true },
  ),
  conditions: s.list(condition, 'What holds for this object now.', { nullable: true }),
  currentState: s.string(),
  dataEngineStatus: s.object({
    v2: s.object({
      cpuMask: s.string(),
      interruptModeEnabled: s.oneOf(['', 'true', 'false']),
    }),
  }),
  instanceEngines: s.map(
    s.object({
      spec: s.object({
        dataEngine: s.string(),
        name: s.string(),
      }),
      status: s.object({
        conditions: s.map(s.boolean(), undefined, { nullable: true }),
        endpoint: s.string(),
        errorMsg: s.string(),
        listen: s.string(),
        portEnd: s.integer(),
        portStart: s.integer(),
        resourceVersion: s.integer(undefined, { format: 'int64' }),
        state: s.string(),
        targetPortEnd: s.integer(),
        targetPortStart: s.integer(),
        type: s.string(),
        ublkID: s.integer(),
        uuid: s.string(),
      }),
    }),
    undefined,
    { nullable: true },
  ),
  instanceReplicas: s.map(
    s.object({
      spec: s.object({
        dataEngine: s.string(),
        name: s.string(),
      }),
      status: s.object({
        conditions: s.map(s.boolean(), undefined, { nullable: true }),
        endpoint: s.string(),
        errorMsg: s.string(),
        listen: s.string(),
        portEnd: s.integer(),
        portStart: s.integer(),
        resourceVersion: s.integer(undefined, { format: 'int64' }),
        state: s.string(),
        targetPortEnd: s.integer(),
        targetPortStart: s.integer(),
        type: s.string(),
        ublkID: s.integer(),
        uuid: s.string(),
      }),
    }),
    undefined,
    { nullable: true },
  ),
  ip: s.string(),
  ownerID: s.string(),
  proxyApiMinVersion: s.integer(),
  proxyApiVersion: s.integer(),
})
