// What one run of a machine is to be: the spec of a VirtualMachineInstance and the template of a VirtualMachine.

import { s } from '../build.ts'
import { accessCredential } from './access-credentials.ts'
import { domainSpec } from './domain/domain.ts'
import { network } from './networks.ts'
import { affinity } from './pod/affinity.ts'
import { podDNSConfig, podResourceClaim, toleration, topologySpreadConstraint } from './pod/scheduling.ts'
import { templateMetadata } from './pod/template-metadata.ts'
import { probe } from './probes.ts'
import { volume } from './volumes.ts'

export const virtualMachineInstanceSpec = s.object(
  {
    accessCredentials: s.list(accessCredential),
    affinity: affinity,
    architecture: s.string(),
    dnsConfig: podDNSConfig,
    dnsPolicy: s.string(),
    domain: domainSpec,
    evictionStrategy: s.string(),
    hostname: s.string(),
    livenessProbe: probe,
    networks: s.list(network),
    nodeSelector: s.map(s.string()),
    priorityClassName: s.string(),
    readinessProbe: probe,
    resourceClaims: s.keyedList(podResourceClaim, ['name']),
    schedulerName: s.string(),
    startStrategy: s.string(),
    subdomain: s.string(),
    terminationGracePeriodSeconds: s.integer(undefined, { format: 'int64' }),
    tolerations: s.list(toleration),
    topologySpreadConstraints: s.keyedList(topologySpreadConstraint, ['topologyKey', 'whenUnsatisfiable']),
    volumes: s.list(volume),
    serviceAccountName: s.string(),
    utilityVolumes: s.list(s.anything(), undefined),
  },
  undefined,
  { required: ['domain'] },
)

export const virtualMachineInstanceTemplateSpec = s.object({
  metadata: templateMetadata,
  spec: virtualMachineInstanceSpec,
})
