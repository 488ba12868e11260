// Spec and status of the KubeVirt object.

import { s } from '../build.ts'
import { kubeVirtConfiguration } from './kubevirt-configuration.ts'
import { affinity } from './pod/affinity.ts'
import { localObjectReference } from './pod/references.ts'
import { toleration } from './pod/scheduling.ts'

export const certConfig = s.object({
  duration: s.string(),
  renewBefore: s.string(),
})

export const kubeVirtSelfSignConfiguration = s.object({
  ca: certConfig,
  caOverlapInterval: s.string(),
  caRotateInterval: s.string(),
  certRotateInterval: s.string(),
  server: certConfig,
})

export const kubeVirtCertificateRotateStrategy = s.object({
  selfSigned: kubeVirtSelfSignConfiguration,
})

export const customizeComponentsPatch = s.object(
  {
    patch: s.string(),
    resourceName: s.string(),
    resourceType: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['resourceName', 'resourceType', 'patch', 'type'] },
)

export const flags = s.object({
  api: s.map(s.string()),
  controller: s.map(s.string()),
  handler: s.map(s.string()),
})

export const customizeComponents = s.object({
  flags: flags,
  patches: s.list(customizeComponentsPatch),
})

export const nodePlacement = s.object({
  affinity: affinity,
  nodeSelector: s.map(s.string()),
  tolerations: s.list(toleration),
})

export const componentConfig = s.object({
  nodePlacement: nodePlacement,
  replicas: s.integer(),
})

export const kubeVirtWorkloadUpdateStrategy = s.object({
  batchEvictionInterval: s.string(),
  batchEvictionSize: s.integer(),
  workloadUpdateMethods: s.list(s.string()),
})

export const kubeVirtSpec = s.object({
  certificateRotateStrategy: kubeVirtCertificateRotateStrategy,
  configuration: kubeVirtConfiguration,
  customizeComponents: customizeComponents,
  imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never']),
  imagePullSecrets: s.list(localObjectReference),
  imageRegistry: s.string(),
  imageTag: s.string(),
  infra: componentConfig,
  monitorAccount: s.string(),
  monitorNamespace: s.string(),
  productComponent: s.string(),
  productName: s.string(),
  productVersion: s.string(),
  serviceMonitorNamespace: s.string(),
  synchronizationPort: s.string(),
  uninstallStrategy: s.string(),
  workloadUpdateStrategy: kubeVirtWorkloadUpdateStrategy,
  workloads: componentConfig,
})

export const kubeVirtCondition = s.object(
  {
    lastProbeTime: s.string(undefined, { nullable: true }),
    lastTransitionTime: s.string(undefined, { nullable: true }),
    message: s.string(),
    reason: s.string(),
    status: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['type', 'status'] },
)

export const generationStatus = s.object(
  {
    group: s.string(),
    hash: s.string(),
    lastGeneration: s.integer(undefined, { format: 'int64' }),
    name: s.string(),
    namespace: s.string(),
    resource: s.string(),
  },
  undefined,
  { required: ['group', 'resource', 'name', 'lastGeneration'] },
)

export const kubeVirtStatus = s.object(
  {
    conditions: s.list(kubeVirtCondition),
    defaultArchitecture: s.string(),
    generations: s.list(generationStatus),
    observedDeploymentConfig: s.string(),
    observedDeploymentID: s.string(),
    observedGeneration: s.integer(undefined, { format: 'int64' }),
    observedKubeVirtRegistry: s.string(),
    observedKubeVirtVersion: s.string(),
    operatorVersion: s.string(),
    outdatedVirtualMachineInstanceWorkloads: s.integer(),
    phase: s.string(),
    synchronizationAddresses: s.list(s.string()),
    targetDeploymentConfig: s.string(),
    targetDeploymentID: s.string(),
    targetKubeVirtRegistry: s.string(),
    targetKubeVirtVersion: s.string(),
  },
  undefined,
  { nullable: true },
)
