// Wanted and observed state of a Node.
import { s, type Typed } from '../build.ts'

/** The word itself is checked by the rules of Nodes, which blame another field. */
const taintEffect = s.string('NoSchedule, PreferNoSchedule or NoExecute.') as Typed<
  'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
>

export const taint = s.object(
  {
    key: s.write(s.string('Key of the taint.')),
    value: s.string('Value of the taint.'),
    effect: s.write(taintEffect),
    timeAdded: s.time('When the taint was added.'),
  },
  'Keeps Pods away that do not tolerate it.',
)

export const configMapNodeConfigSource = s.object(
  {
    namespace: s.write(s.string()),
    name: s.write(s.string()),
    uid: s.string(),
    resourceVersion: s.string(),
    kubeletConfigKey: s.write(s.string()),
  },
  undefined,
  { required: ['namespace', 'name', 'kubeletConfigKey'] },
)

export const nodeConfigSource = s.object({
  configMap: configMapNodeConfigSource,
})

export const nodeSpec = s.object(
  {
    podCIDR: s.string("Network of the node's Pods."),
    podCIDRs: s.set(s.string(), "Networks of the node's Pods, one for each family.", {
      patchStrategy: 'merge',
    }),
    providerID: s.string('Identity of the node with its provider.'),
    unschedulable: s.boolean('No new Pods are placed here.'),
    taints: s.list(taint, 'Taints that keep Pods away.'),
    configSource: s.doc(nodeConfigSource, 'No longer used.'),
    externalID: s.string('No longer used.'),
  },
  'Wanted state of a Node.',
)

export const nodeCondition = s.object({
  type: s.write(s.string()),
  status: s.write(s.oneOf(['False', 'True', 'Unknown'])),
  lastHeartbeatTime: s.write(s.time()),
  lastTransitionTime: s.write(s.time()),
  reason: s.string(),
  message: s.string(),
})

export const nodeAddress = s.object({
  type: s.write(s.string()),
  address: s.write(s.string()),
})

export const daemonEndpoint = s.object({
  Port: s.write(s.integer()),
})

export const nodeDaemonEndpoints = s.object({
  kubeletEndpoint: s.write(daemonEndpoint),
})

export const nodeSwapStatus = s.object({
  capacity: s.keep(s.int64()),
})

export const nodeSystemInfo = s.object({
  machineID: s.write(s.string()),
  systemUUID: s.write(s.string()),
  bootID: s.write(s.string()),
  kernelVersion: s.write(s.string()),
  osImage: s.write(s.string()),
  containerRuntimeVersion: s.write(s.string()),
  kubeletVersion: s.write(s.string()),
  kubeProxyVersion: s.write(s.string()),
  operatingSystem: s.write(s.string()),
  architecture: s.write(s.string()),
  swap: nodeSwapStatus,
})

export const containerImage = s.object({
  names: s.list(s.string()),
  sizeBytes: s.int64(),
})

export const attachedVolume = s.object({
  name: s.write(s.string()),
  devicePath: s.write(s.string()),
})

export const nodeConfigStatus = s.object({
  assigned: nodeConfigSource,
  active: nodeConfigSource,
  lastKnownGood: nodeConfigSource,
  error: s.string(),
})

export const nodeRuntimeHandlerFeatures = s.object({
  recursiveReadOnlyMounts: s.keep(s.boolean()),
  userNamespaces: s.keep(s.boolean()),
})

export const nodeRuntimeHandler = s.object({
  name: s.string(),
  features: nodeRuntimeHandlerFeatures,
})

export const nodeFeatures = s.object({
  supplementalGroupsPolicy: s.keep(s.boolean()),
})

export const nodeStatus = s.object(
  {
    capacity: s.map(s.quantity(), 'Resources of the node.'),
    allocatable: s.map(s.quantity(), 'Resources that Pods may use.'),
    phase: s.string('No longer used.'),
    conditions: s.keyedList(nodeCondition, ['type'], 'Observations such as Ready.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
    addresses: s.keyedList(nodeAddress, ['type'], 'Addresses and names of the node.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
    daemonEndpoints: s.write(s.doc(nodeDaemonEndpoints, 'Ports of the agent.')),
    nodeInfo: s.write(s.doc(nodeSystemInfo, 'Machine and versions.')),
    images: s.list(containerImage, 'Images present on the node.'),
    volumesInUse: s.list(s.string(), 'Volumes in use on the node.'),
    volumesAttached: s.list(attachedVolume, 'Volumes attached to the node.'),
    config: s.doc(nodeConfigStatus, 'No longer used.'),
    runtimeHandlers: s.list(nodeRuntimeHandler, 'Ways in which Pods can be run here.'),
    features: s.doc(nodeFeatures, "Features of the node's runtime."),
    declaredFeatures: s.list(s.string(), 'Features that the node says it has.'),
  },
  'Observed state of a Node.',
)
