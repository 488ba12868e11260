// Spec and status of the CDI object.

import { s } from '../build.ts'
import { affinity } from '../kubevirt/pod/affinity.ts'
import { toleration } from '../kubevirt/pod/scheduling.ts'
import { cdiConfigSpec } from './cdi-config-body.ts'

export const cdiCert = s.object({
  duration: s.string(),
  renewBefore: s.string(),
})

export const cdiCertConfig = s.object({
  ca: cdiCert,
  client: cdiCert,
  server: cdiCert,
})

export const cdiFlags = s.object({
  api: s.map(s.string()),
  controller: s.map(s.string()),
  uploadProxy: s.map(s.string()),
})

export const cdiCustomizePatch = s.object(
  {
    patch: s.string(),
    resourceName: s.string(),
    resourceType: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['resourceName', 'resourceType', 'patch', 'type'] },
)

export const cdiCustomize = s.object({
  flags: cdiFlags,
  patches: s.list(cdiCustomizePatch),
})

export const cdiNodePlacement = s.object({
  affinity: affinity,
  nodeSelector: s.map(s.string()),
  tolerations: s.list(toleration),
})

export const cdiComponentConfig = s.object({
  affinity: affinity,
  apiServerReplicas: s.integer(),
  deploymentReplicas: s.integer(),
  nodeSelector: s.map(s.string()),
  tolerations: s.list(toleration),
  uploadProxyReplicas: s.integer(),
})

export const cdiSpec = s.object({
  certConfig: cdiCertConfig,
  cloneStrategyOverride: s.string(),
  config: cdiConfigSpec,
  customizeComponents: cdiCustomize,
  imagePullPolicy: s.oneOf(['Always', 'IfNotPresent', 'Never']),
  infra: cdiComponentConfig,
  priorityClass: s.string(),
  uninstallStrategy: s.string(),
  workload: cdiNodePlacement,
})

export const condition = s.object(
  {
    lastHeartbeatTime: s.time(),
    lastTransitionTime: s.time(),
    message: s.string(),
    reason: s.string(),
    status: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['type', 'status'] },
)

export const cdiStatus = s.object({
  conditions: s.list(condition),
  observedVersion: s.string(),
  operatorVersion: s.string(),
  phase: s.string(),
  targetVersion: s.string(),
})
