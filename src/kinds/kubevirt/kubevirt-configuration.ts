// The cluster's configuration of virtual machines, as the KubeVirt object carries it.

import { s } from '../build.ts'
import { migrationConfiguration } from './migration-state.ts'
import { labelSelector } from './pod/affinity.ts'

export const tokenBucketRateLimiter = s.object(
  {
    burst: s.integer('Requests that may come at once.'),
    qps: s.number('Requests a second.', { format: 'float' }),
  },
  'Requests a second, with bursts.',
  { required: ['qps', 'burst'] },
)

export const rateLimiter = s.object(
  {
    tokenBucketRateLimiter: s.doc(tokenBucketRateLimiter, 'Bound with bursts.'),
  },
  'How many requests a part may send.',
)

export const restClientConfiguration = s.object(
  {
    rateLimiter: s.doc(rateLimiter, 'How many requests it may send.'),
  },
  'How a part speaks to the API.',
)

export const reloadableComponentConfiguration = s.object(
  {
    restClient: s.doc(restClientConfiguration, 'How it speaks to the API.'),
  },
  'Settings of a part that take effect at once.',
)

export const archSpecificConfiguration = s.object(
  {
    emulatedMachines: s.list(s.string(), 'Machine types that may be asked for.'),
    machineType: s.string('Machine type when none is asked for.'),
    ovmfPath: s.string('Where UEFI firmware lies.'),
  },
  'Settings for one architecture.',
)

export const archConfiguration = s.object(
  {
    amd64: s.doc(archSpecificConfiguration, 'Settings for amd64.'),
    arm64: s.doc(archSpecificConfiguration, 'Settings for arm64.'),
    defaultArchitecture: s.string('Architecture of machines that name none.'),
    ppc64le: s.doc(archSpecificConfiguration, 'No longer used.'),
    s390x: s.doc(archSpecificConfiguration, 'Settings for s390x.'),
  },
  'Settings by architecture.',
)

export const changedBlockTrackingSelectors = s.object(
  {
    namespaceLabelSelector: s.doc(labelSelector, 'Namespaces, by their labels.'),
    virtualMachineLabelSelector: s.doc(labelSelector, 'Machines, by their labels.'),
  },
  'Machines whose changed blocks are remembered.',
)

export const commonInstancetypesDeployment = s.object(
  {
    enabled: s.boolean('Whether they are there.'),
  },
  'Whether common instance types are there.',
)

export const diskVerification = s.object(
  {
    memoryLimit: s.quantity('Most memory for looking at one.'),
  },
  'How images are looked at.',
  { required: ['memoryLimit'] },
)

export const logVerbosity = s.object(
  {
    nodeVerbosity: s.map(s.integer(), 'By node.'),
    virtAPI: s.integer('The API.'),
    virtController: s.integer('The controllers.'),
    virtHandler: s.integer('The agents.'),
    virtLauncher: s.integer('The launchers.'),
    virtOperator: s.integer('The operator.'),
    virtSynchronizationController: s.integer('The part that agrees with other clusters.'),
  },
  'How much each part logs, from 0 to 9.',
)

export const developerConfiguration = s.object(
  {
    clusterProfiler: s.boolean('Allows profiling.'),
    cpuAllocationRatio: s.integer('Virtual processors for one of the host.'),
    diskVerification: s.doc(diskVerification, 'How images are looked at.'),
    featureGates: s.list(s.string(), 'Names of features; in Croft all are on.'),
    logVerbosity: s.doc(logVerbosity, 'How much is logged.'),
    memoryOvercommit: s.integer('Percent of memory that is given out.'),
    minimumClusterTSCFrequency: s.integer('Least frequency of the time stamp counter in hertz.', {
      format: 'int64',
    }),
    minimumReservePVCBytes: s.integer('Bytes of a claim that are left free.', { format: 'int64' }),
    nodeSelectors: s.map(s.string(), 'Labels of nodes that run machines.'),
    pvcTolerateLessSpaceUpToPercent: s.integer('Percent of room that may be missing.'),
    useEmulation: s.boolean('Runs machines without hardware help.'),
  },
  'Settings that are seldom changed.',
)

export const instancetypeConfiguration = s.object(
  {
    referencePolicy: s.string('reference, expand or expandAll.'),
  },
  'How instance types are kept.',
)

export const ksmConfiguration = s.object(
  {
    nodeLabelSelector: s.doc(labelSelector, 'The nodes, by their labels.'),
  },
  'Nodes that share equal memory pages.',
)

export const liveUpdateConfiguration = s.object(
  {
    maxCpuSockets: s.integer('Most sockets.', { format: 'int64' }),
    maxGuest: s.quantity('Most memory.'),
    maxHotplugRatio: s.integer('Multiple of what a machine starts with; 4 when empty.', { format: 'int64' }),
  },
  'How far machines may grow while running.',
)

export const nodeMediatedDeviceTypesConfig = s.object(
  {
    mediatedDeviceTypes: s.list(s.string(), 'Types to make.'),
    mediatedDevicesTypes: s.list(s.string(), 'Older name of mediatedDeviceTypes.'),
    nodeSelector: s.map(s.string(), 'The nodes.'),
  },
  'Mediated devices of some nodes.',
  { required: ['nodeSelector'] },
)

export const mediatedDevicesConfiguration = s.object(
  {
    mediatedDeviceTypes: s.list(s.string(), 'Types to make.'),
    mediatedDevicesTypes: s.list(s.string(), 'Older name of mediatedDeviceTypes.'),
    nodeMediatedDeviceTypes: s.list(nodeMediatedDeviceTypesConfig, 'Types by nodes.'),
  },
  'Mediated devices that nodes make.',
)

export const resourceRequirementsWithoutClaims = s.object(
  {
    limits: s.map(s.quantity(), 'The most that may be used.'),
    requests: s.map(s.quantity(), 'What is reserved.'),
  },
  'Requests and limits.',
)

export const interfaceBindingMigration = s.object(
  {
    method: s.string('How it moves.'),
  },
  'How an interface moves with a running machine.',
)

export const interfaceBindingPlugin = s.object(
  {
    computeResourceOverhead: s.doc(resourceRequirementsWithoutClaims, 'What it needs beside the machine.'),
    domainAttachmentType: s.string('How it is attached: tap or managedTap.'),
    downwardAPI: s.string('What it is told of the device.'),
    migration: s.doc(interfaceBindingMigration, 'How it moves.'),
    networkAttachmentDefinition: s.string('Definition that it comes with.'),
    sidecarImage: s.string('Image of its helper.'),
  },
  'A way of connecting that a plugin brings.',
)

export const networkConfiguration = s.object(
  {
    binding: s.map(interfaceBindingPlugin, 'Ways of connecting that plugins bring, by name.'),
    defaultNetworkInterface: s.string('bridge or masquerade, for machines that name no network.'),
    permitBridgeInterfaceOnPodNetwork: s.boolean('Whether machines may be bridged to the default network.'),
    permitSlirpInterface: s.boolean('No longer used.'),
  },
  'How machines are connected.',
)

export const mediatedHostDevice = s.object(
  {
    externalResourceProvider: s.boolean('Another program hands it out.'),
    mdevNameSelector: s.string('Type of the device.'),
    resourceName: s.string('Name that machines ask for.'),
  },
  'A mediated device that machines may have.',
  { required: ['mdevNameSelector', 'resourceName'] },
)

export const pciHostDevice = s.object(
  {
    externalResourceProvider: s.boolean('Another program hands it out.'),
    pciVendorSelector: s.string('Vendor and product, for instance 10DE:1EB8.'),
    resourceName: s.string('Name that machines ask for.'),
  },
  'A PCI device that machines may have.',
  { required: ['pciVendorSelector', 'resourceName'] },
)

export const usbSelector = s.object(
  {
    product: s.string('Product in hexadecimal.'),
    vendor: s.string('Vendor in hexadecimal.'),
  },
  'Which USB devices are meant.',
  { required: ['vendor', 'product'] },
)

export const usbHostDevice = s.object(
  {
    externalResourceProvider: s.boolean('Another program hands it out.'),
    resourceName: s.string('Name that machines ask for.'),
    selectors: s.list(usbSelector, 'Devices that are handed out together.'),
  },
  'A USB device that machines may have.',
  { required: ['resourceName'] },
)

export const permittedHostDevices = s.object(
  {
    mediatedDevices: s.list(mediatedHostDevice, 'Mediated devices.'),
    pciHostDevices: s.list(pciHostDevice, 'PCI devices.'),
    usb: s.list(usbHostDevice, 'USB devices.'),
  },
  'Devices of hosts that machines may have.',
)

export const customProfile = s.object(
  {
    localhostProfile: s.string('Profile that lies on the node.'),
    runtimeDefaultProfile: s.boolean("The runtime's own profile."),
  },
  'A profile of system calls.',
)

export const virtualMachineInstanceProfile = s.object(
  {
    customProfile: s.doc(customProfile, 'The profile.'),
  },
  'Profile of system calls for machines.',
)

export const seccompConfiguration = s.object(
  {
    virtualMachineInstanceProfile: s.doc(virtualMachineInstanceProfile, 'For machines.'),
  },
  'Which system calls are allowed.',
)

export const smBiosConfiguration = s.object(
  {
    family: s.string('Family.'),
    manufacturer: s.string('Maker.'),
    product: s.string('Product.'),
    sku: s.string('Stock number.'),
    version: s.string('Version.'),
  },
  'What guests read about their maker.',
)

export const supportContainerResources = s.object(
  {
    resources: s.doc(resourceRequirementsWithoutClaims, 'Requests and limits.'),
    type: s.string('Which helper is meant.'),
  },
  'What helpers of machines need.',
  { required: ['type', 'resources'] },
)

export const tlsConfiguration = s.object(
  {
    ciphers: s.set(s.string(), 'Ciphers that are allowed.'),
    minTLSVersion: s.string('Oldest version that is allowed.'),
  },
  'How connections are encrypted.',
)

export const disableFreePageReporting = s.object({}, 'Guests no longer report free memory.')

export const disableSerialConsoleLog = s.object({}, 'Serial consoles are no longer logged.')

export const virtualMachineOptions = s.object(
  {
    disableFreePageReporting: s.doc(disableFreePageReporting, 'Guests no longer report free memory.'),
    disableSerialConsoleLog: s.doc(disableSerialConsoleLog, 'Serial consoles are no longer logged.'),
  },
  'Settings for all machines.',
)

export const kubeVirtConfiguration = s.object(
  {
    additionalGuestMemoryOverheadRatio: s.string("Multiplies the memory reserved beside the guest's own."),
    apiConfiguration: s.doc(reloadableComponentConfiguration, 'Settings of the API.'),
    architectureConfiguration: s.doc(archConfiguration, 'Settings by architecture.'),
    autoCPULimitNamespaceLabelSelector: s.doc(
      labelSelector,
      'Namespaces whose machines get a processor limit.',
    ),
    changedBlockTrackingLabelSelectors: s.doc(
      changedBlockTrackingSelectors,
      'Machines whose changed blocks are remembered.',
    ),
    commonInstancetypesDeployment: s.doc(
      commonInstancetypesDeployment,
      'Whether common instance types are there.',
    ),
    controllerConfiguration: s.doc(reloadableComponentConfiguration, 'Settings of the controllers.'),
    cpuModel: s.string('Processor model of machines that name none.'),
    cpuRequest: s.quantity('Processor time reserved for one virtual processor.'),
    defaultRuntimeClass: s.string('Runtime class of launchers.'),
    developerConfiguration: s.doc(developerConfiguration, 'Settings that are seldom changed.'),
    emulatedMachines: s.list(s.string(), 'Machine types that may be asked for.'),
    evictionStrategy: s.string('What happens to machines when their node is emptied.'),
    handlerConfiguration: s.doc(reloadableComponentConfiguration, 'Settings of the agents.'),
    imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never'], 'When images are fetched again.'),
    instancetype: s.doc(instancetypeConfiguration, 'How instance types are kept.'),
    ksmConfiguration: s.doc(ksmConfiguration, 'Nodes that share equal memory pages.'),
    liveUpdateConfiguration: s.doc(liveUpdateConfiguration, 'How far machines may grow while running.'),
    machineType: s.string('Machine type when none is asked for.'),
    mediatedDevicesConfiguration: s.doc(mediatedDevicesConfiguration, 'Mediated devices that nodes make.'),
    memBalloonStatsPeriod: s.integer("Seconds between figures of guests' memory; 10 when empty.", {
      format: 'int64',
    }),
    migrations: s.doc(migrationConfiguration, 'How machines move while running.'),
    minCPUModel: s.string('Least processor model.'),
    network: s.doc(networkConfiguration, 'How machines are connected.'),
    obsoleteCPUModels: s.map(s.boolean(), 'Processor models that are not used.'),
    ovmfPath: s.string('Where UEFI firmware lies.'),
    permittedHostDevices: s.doc(permittedHostDevices, 'Devices of hosts that machines may have.'),
    seccompConfiguration: s.doc(seccompConfiguration, 'Which system calls are allowed.'),
    selinuxLauncherType: s.string('SELinux type of launchers.'),
    smbios: s.doc(smBiosConfiguration, 'What guests read about their maker.'),
    supportContainerResources: s.keyedList(
      supportContainerResources,
      ['type'],
      'What helpers of machines need.',
    ),
    supportedGuestAgentVersions: s.list(s.string(), 'No longer used.'),
    tlsConfiguration: s.doc(tlsConfiguration, 'How connections are encrypted.'),
    virtualMachineInstancesPerNode: s.integer('Most machines on one node.'),
    virtualMachineOptions: s.doc(virtualMachineOptions, 'Settings for all machines.'),
    vmRolloutStrategy: s.string('LiveUpdate or Stage: whether changes reach running machines.'),
    vmStateStorageClass: s.string('Class of the claims for firmware and TPM state.'),
    webhookConfiguration: s.doc(reloadableComponentConfiguration, 'Settings of the webhooks.'),
  },
  'Settings of virtual machines for the whole cluster.',
)
