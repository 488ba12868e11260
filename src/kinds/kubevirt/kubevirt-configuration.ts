// The cluster's configuration of virtual machines, as the KubeVirt object carries it.

import { s } from '../build.ts'
import { migrationConfiguration } from './migration-state.ts'
import { labelSelector } from './pod/affinity.ts'

export const tokenBucketRateLimiter = s.object(
  {
    burst: s.integer(),
    qps: s.number(undefined, { format: 'float' }),
  },
  undefined,
  { required: ['qps', 'burst'] },
)

export const rateLimiter = s.object({
  tokenBucketRateLimiter: tokenBucketRateLimiter,
})

export const restClientConfiguration = s.object({
  rateLimiter: rateLimiter,
})

export const reloadableComponentConfiguration = s.object({
  restClient: restClientConfiguration,
})

export const archSpecificConfiguration = s.object({
  emulatedMachines: s.list(s.string()),
  machineType: s.string(),
  ovmfPath: s.string(),
})

export const archConfiguration = s.object({
  amd64: archSpecificConfiguration,
  arm64: archSpecificConfiguration,
  defaultArchitecture: s.string(),
  ppc64le: archSpecificConfiguration,
  s390x: archSpecificConfiguration,
})

export const changedBlockTrackingSelectors = s.object({
  namespaceLabelSelector: labelSelector,
  virtualMachineLabelSelector: labelSelector,
})

export const commonInstancetypesDeployment = s.object({
  enabled: s.boolean(),
})

export const diskVerification = s.object(
  {
    memoryLimit: s.quantity(),
  },
  undefined,
  { required: ['memoryLimit'] },
)

export const logVerbosity = s.object({
  nodeVerbosity: s.map(s.integer()),
  virtAPI: s.integer(),
  virtController: s.integer(),
  virtHandler: s.integer(),
  virtLauncher: s.integer(),
  virtOperator: s.integer(),
  virtSynchronizationController: s.integer(),
})

export const developerConfiguration = s.object({
  clusterProfiler: s.boolean(),
  cpuAllocationRatio: s.integer(),
  diskVerification: diskVerification,
  featureGates: s.list(s.string()),
  logVerbosity: logVerbosity,
  memoryOvercommit: s.integer(),
  minimumClusterTSCFrequency: s.integer(undefined, { format: 'int64' }),
  minimumReservePVCBytes: s.integer(undefined, { format: 'int64' }),
  nodeSelectors: s.map(s.string()),
  pvcTolerateLessSpaceUpToPercent: s.integer(),
  useEmulation: s.boolean(),
})

export const instancetypeConfiguration = s.object({
  referencePolicy: s.string(),
})

export const ksmConfiguration = s.object({
  nodeLabelSelector: labelSelector,
})

export const liveUpdateConfiguration = s.object({
  maxCpuSockets: s.integer(undefined, { format: 'int64' }),
  maxGuest: s.quantity(),
  maxHotplugRatio: s.integer(undefined, { format: 'int64' }),
})

export const nodeMediatedDeviceTypesConfig = s.object(
  {
    mediatedDeviceTypes: s.list(s.string()),
    mediatedDevicesTypes: s.list(s.string()),
    nodeSelector: s.map(s.string()),
  },
  undefined,
  { required: ['nodeSelector'] },
)

export const mediatedDevicesConfiguration = s.object({
  mediatedDeviceTypes: s.list(s.string()),
  mediatedDevicesTypes: s.list(s.string()),
  nodeMediatedDeviceTypes: s.list(nodeMediatedDeviceTypesConfig),
})

export const resourceRequirementsWithoutClaims = s.object({
  limits: s.map(s.quantity()),
  requests: s.map(s.quantity()),
})

export const interfaceBindingMigration = s.object({
  method: s.string(),
})

export const interfaceBindingPlugin = s.object({
  computeResourceOverhead: resourceRequirementsWithoutClaims,
  domainAttachmentType: s.string(),
  downwardAPI: s.string(),
  migration: interfaceBindingMigration,
  networkAttachmentDefinition: s.string(),
  sidecarImage: s.string(),
})

export const networkConfiguration = s.object({
  binding: s.map(interfaceBindingPlugin),
  defaultNetworkInterface: s.string(),
  permitBridgeInterfaceOnPodNetwork: s.boolean(),
  permitSlirpInterface: s.boolean(),
})

export const mediatedHostDevice = s.object(
  {
    externalResourceProvider: s.boolean(),
    mdevNameSelector: s.string(),
    resourceName: s.string(),
  },
  undefined,
  { required: ['mdevNameSelector', 'resourceName'] },
)

export const pciHostDevice = s.object(
  {
    externalResourceProvider: s.boolean(),
    pciVendorSelector: s.string(),
    resourceName: s.string(),
  },
  undefined,
  { required: ['pciVendorSelector', 'resourceName'] },
)

export const usbSelector = s.object(
  {
    product: s.string(),
    vendor: s.string(),
  },
  undefined,
  { required: ['vendor', 'product'] },
)

export const usbHostDevice = s.object(
  {
    externalResourceProvider: s.boolean(),
    resourceName: s.string(),
    selectors: s.list(usbSelector),
  },
  undefined,
  { required: ['resourceName'] },
)

export const permittedHostDevices = s.object({
  mediatedDevices: s.list(mediatedHostDevice),
  pciHostDevices: s.list(pciHostDevice),
  usb: s.list(usbHostDevice),
})

export const customProfile = s.object({
  localhostProfile: s.string(),
  runtimeDefaultProfile: s.boolean(),
})

export const virtualMachineInstanceProfile = s.object({
  customProfile: customProfile,
})

export const seccompConfiguration = s.object({
  virtualMachineInstanceProfile: virtualMachineInstanceProfile,
})

export const smBiosConfiguration = s.object({
  family: s.string(),
  manufacturer: s.string(),
  product: s.string(),
  sku: s.string(),
  version: s.string(),
})

export const supportContainerResources = s.object(
  {
    resources: resourceRequirementsWithoutClaims,
    type: s.string(),
  },
  undefined,
  { required: ['type', 'resources'] },
)

export const tlsConfiguration = s.object({
  ciphers: s.set(s.string()),
  minTLSVersion: s.string(),
})

export const disableFreePageReporting = s.object({})

export const disableSerialConsoleLog = s.object({})

export const virtualMachineOptions = s.object({
  disableFreePageReporting: disableFreePageReporting,
  disableSerialConsoleLog: disableSerialConsoleLog,
})

export const kubeVirtConfiguration = s.object({
  additionalGuestMemoryOverheadRatio: s.string(),
  apiConfiguration: reloadableComponentConfiguration,
  architectureConfiguration: archConfiguration,
  autoCPULimitNamespaceLabelSelector: labelSelector,
  changedBlockTrackingLabelSelectors: changedBlockTrackingSelectors,
  commonInstancetypesDeployment: commonInstancetypesDeployment,
  controllerConfiguration: reloadableComponentConfiguration,
  cpuModel: s.string(),
  cpuRequest: s.quantity(),
  defaultRuntimeClass: s.string(),
  developerConfiguration: developerConfiguration,
  emulatedMachines: s.list(s.string()),
  evictionStrategy: s.string(),
  handlerConfiguration: reloadableComponentConfiguration,
  imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never']),
  instancetype: instancetypeConfiguration,
  ksmConfiguration: ksmConfiguration,
  liveUpdateConfiguration: liveUpdateConfiguration,
  machineType: s.string(),
  mediatedDevicesConfiguration: mediatedDevicesConfiguration,
  memBalloonStatsPeriod: s.integer(undefined, { format: 'int64' }),
  migrations: migrationConfiguration,
  minCPUModel: s.string(),
  network: networkConfiguration,
  obsoleteCPUModels: s.map(s.boolean()),
  ovmfPath: s.string(),
  permittedHostDevices: permittedHostDevices,
  seccompConfiguration: seccompConfiguration,
  selinuxLauncherType: s.string(),
  smbios: smBiosConfiguration,
  supportContainerResources: s.keyedList(supportContainerResources, ['type']),
  supportedGuestAgentVersions: s.list(s.string()),
  tlsConfiguration: tlsConfiguration,
  virtualMachineInstancesPerNode: s.integer(),
  virtualMachineOptions: virtualMachineOptions,
  vmRolloutStrategy: s.string(),
  vmStateStorageClass: s.string(),
  webhookConfiguration: reloadableComponentConfiguration,
})
