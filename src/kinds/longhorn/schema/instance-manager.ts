// Spec and status of an InstanceManager.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const instanceManagerSpec = s.object(
  {
    dataEngine: s.string('Generation of the data path.'),
    dataEngineSpec: s.object(
      {
        v2: s.object(
          {
            cpuMask: s.string(),
          },
          'Settings of the newer data path.',
        ),
      },
      'Settings of the data path.',
    ),
    image: s.string('Version that it runs.'),
    nodeID: s.string('Node that it runs on.'),
    type: s.oneOf(['aio', 'engine', 'replica'], 'Which processes it owns.'),
  },
  'Which processes it owns, and where.',
)

export const instanceManagerStatus = s.object(
  {
    apiMinVersion: s.integer('Oldest interface that it understands.'),
    apiVersion: s.integer('Interface that it has.'),
    backingImages: s.map(
      s.object({
        currentChecksum: s.string('SHA-512 of the content.'),
        diskUUID: s.string('Disk that it lies on.'),
        message: s.string('One sentence for people.'),
        name: s.string('Name of the image.'),
        progress: s.integer('Percent done.'),
        size: s.integer('Bytes of the file.', { format: 'int64' }),
        state: s.string('How the file is doing.'),
        uuid: s.string('Identity of the content.'),
      }),
      'Images that it holds.',
      { nullable: true },
    ),
    conditions: s.list(condition, 'What holds now.', { nullable: true }),
    currentState: s.string('running, stopped, error, starting or unknown.'),
    dataEngineStatus: s.object(
      {
        v2: s.object(
          {
            cpuMask: s.string(),
            interruptModeEnabled: s.oneOf(['', 'true', 'false']),
          },
          'Settings of the newer data path.',
        ),
      },
      'Settings of the data path in force.',
    ),
    instanceEngines: s.map(
      s.object({
        spec: s.object(
          {
            dataEngine: s.string(),
            name: s.string(),
          },
          'Which engine it is.',
        ),
        status: s.object(
          {
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
          },
          'How its process is doing.',
        ),
      }),
      'Engines, by name.',
      { nullable: true },
    ),
    instanceReplicas: s.map(
      s.object({
        spec: s.object(
          {
            dataEngine: s.string(),
            name: s.string(),
          },
          'Which replica it is.',
        ),
        status: s.object(
          {
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
          },
          'How its process is doing.',
        ),
      }),
      'Replicas, by name.',
      { nullable: true },
    ),
    ip: s.string('Its address.'),
    ownerID: s.string('Node that looks after it.'),
    proxyApiMinVersion: s.integer('Oldest interface of its proxy.'),
    proxyApiVersion: s.integer('Interface of its proxy.'),
  },
  'How it and its processes are doing.',
)
