// The observed state of a Pod and of its containers.
import { s } from '../../build.ts'
import { resourceRequirements } from '../resources.ts'

export const podCondition = s.object({
  type: s.write(s.string()),
  observedGeneration: s.int64(),
  status: s.write(s.oneOf(['False', 'True', 'Unknown'])),
  lastProbeTime: s.write(s.time()),
  lastTransitionTime: s.write(s.time()),
  reason: s.string(),
  message: s.string(),
})

export const hostIP = s.object({
  ip: s.write(s.string()),
})

export const podIP = s.object({
  ip: s.write(s.string()),
})

export const containerStateWaiting = s.object({
  reason: s.string(),
  message: s.string(),
})

export const containerStateRunning = s.object({
  startedAt: s.write(s.time()),
})

export const containerStateTerminated = s.object({
  exitCode: s.write(s.integer()),
  signal: s.integer(),
  reason: s.string(),
  message: s.string(),
  startedAt: s.write(s.time()),
  finishedAt: s.write(s.time()),
  containerID: s.string(),
})

export const containerState = s.object({
  waiting: containerStateWaiting,
  running: containerStateRunning,
  terminated: containerStateTerminated,
})

export const imageVolumeStatus = s.object(
  {
    imageRef: s.write(s.string()),
  },
  undefined,
  { required: ['imageRef'] },
)

export const volumeStatus = s.object({
  image: imageVolumeStatus,
})

export const volumeMountStatus = s.object({
  name: s.write(s.string()),
  mountPath: s.write(s.string()),
  readOnly: s.boolean(),
  recursiveReadOnly: s.keep(s.string()),
  volumeStatus: volumeStatus,
})

export const linuxContainerUser = s.object({
  uid: s.write(s.int64()),
  gid: s.write(s.int64()),
  supplementalGroups: s.list(s.int64()),
})

export const containerUser = s.object({
  linux: linuxContainerUser,
})

export const resourceHealth = s.object({
  resourceID: s.write(s.string()),
  health: s.string(),
  message: s.string(),
})

export const resourceStatus = s.object({
  name: s.write(s.string()),
  resources: s.keyedList(resourceHealth, ['resourceID']),
})

export const containerStatus = s.object(
  {
    name: s.write(s.string('Name of the container.')),
    state: s.write(s.doc(containerState, 'Present state.')),
    lastState: s.write(s.doc(containerState, 'State before the last restart.')),
    ready: s.write(s.boolean('Passes its readiness probe.')),
    restartCount: s.write(s.integer('How often it was started again.')),
    image: s.write(s.string('Image that runs.')),
    imageID: s.write(s.string('Exact identity of the image.')),
    containerID: s.string('Identity of the container with the runtime.'),
    started: s.keep(s.boolean('Passed its startup probe.')),
    allocatedResources: s.map(s.quantity(), 'Resources set aside.'),
    resources: s.doc(resourceRequirements, 'Resources in force.'),
    volumeMounts: s.keyedList(volumeMountStatus, ['mountPath'], 'Mounted volumes.', {
      patchMergeKey: 'mountPath',
      patchStrategy: 'merge',
    }),
    user: s.doc(containerUser, 'User ids of the first process.'),
    allocatedResourcesStatus: s.keyedList(resourceStatus, ['name'], 'Health of claimed devices.', {
      patchMergeKey: 'name',
      patchStrategy: 'merge',
    }),
    stopSignal: s.keep(s.string('Signal that stops it.')),
  },
  'Observed state of a container.',
)

export const podResourceClaimStatus = s.object({
  name: s.write(s.string()),
  resourceClaimName: s.keep(s.string()),
})

export const containerExtendedResourceRequest = s.object({
  containerName: s.write(s.string()),
  resourceName: s.write(s.string()),
  requestName: s.write(s.string()),
})

export const podExtendedResourceClaimStatus = s.object({
  requestMappings: s.write(s.list(containerExtendedResourceRequest)),
  resourceClaimName: s.write(s.string()),
})

export const nodeAllocatableResourceClaimStatus = s.object({
  resourceClaimName: s.write(s.string()),
  containers: s.set(s.string()),
  resources: s.write(s.map(s.quantity())),
})

export const podStatus = s.object(
  {
    observedGeneration: s.int64('Generation that this status speaks of.'),
    phase: s.oneOf(
      ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'],
      'Pending, Running, Succeeded, Failed or Unknown.',
    ),
    conditions: s.keyedList(podCondition, ['type'], 'Observations such as PodScheduled and Ready.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
    message: s.string('Why the Pod is in this state, for a person.'),
    reason: s.string('Why the Pod is in this state, in one word.'),
    nominatedNodeName: s.string('Node where room is being made.'),
    hostIP: s.string('Address of the node.'),
    hostIPs: s.list(hostIP, 'Addresses of the node.', { patchMergeKey: 'ip', patchStrategy: 'merge' }),
    podIP: s.string('Address of the Pod.'),
    podIPs: s.keyedList(podIP, ['ip'], 'Addresses of the Pod, one for each family.', {
      patchMergeKey: 'ip',
      patchStrategy: 'merge',
    }),
    startTime: s.time('When the node took the Pod.'),
    initContainerStatuses: s.list(containerStatus, 'States of the init containers.'),
    containerStatuses: s.list(containerStatus, 'States of the containers.'),
    qosClass: s.oneOf(['BestEffort', 'Burstable', 'Guaranteed'], 'Guaranteed, Burstable or BestEffort.'),
    ephemeralContainerStatuses: s.list(containerStatus, 'States of the debugging containers.'),
    resize: s.string('State of a change of resources.'),
    resourceClaimStatuses: s.keyedList(podResourceClaimStatus, ['name'], 'States of the claimed devices.', {
      patchMergeKey: 'name',
      patchStrategy: 'merge,retainKeys',
    }),
    extendedResourceClaimStatus: s.doc(podExtendedResourceClaimStatus, 'Claim made for extended resources.'),
    allocatedResources: s.map(s.quantity(), 'Resources set aside for the whole Pod.'),
    resources: s.doc(resourceRequirements, 'Resources in force for the whole Pod.'),
    nodeAllocatableResourceClaimStatuses: s.list(
      nodeAllocatableResourceClaimStatus,
      'Node resources taken by claims.',
    ),
  },
  'Observed state of a Pod.',
)
