// What the server adds to a Service beyond its schema's defaults. Addresses and node ports are given by the
// allocator of the API server, not here.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import type { Mutator } from '../kind.ts'
import type { serviceSpec } from './service-body.ts'

export type ServiceSpec = Infer<typeof serviceSpec>

const AFFINITY_SECONDS = 10_800

function families(spec: ServiceSpec): Partial<ServiceSpec> {
  if (spec.type === 'ExternalName') return {}
  const given = spec.clusterIP && spec.clusterIP !== 'None' ? spec.clusterIP : spec.clusterIPs?.[0]
  const family = given?.includes(':') ? 'IPv6' : 'IPv4'
  const selectorless = Object.keys(spec.selector ?? {}).length === 0
  const open = spec.clusterIP === 'None' && selectorless
  return {
    ipFamilies: spec.ipFamilies ?? (open ? ['IPv4', 'IPv6'] : [family]),
    ipFamilyPolicy: spec.ipFamilyPolicy ?? (open ? 'RequireDualStack' : 'SingleStack'),
  }
}

export function completeServiceSpec(spec: ServiceSpec): ServiceSpec {
  const { type } = spec
  const outside =
    type === 'NodePort' ||
    type === 'LoadBalancer' ||
    (type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0)
  const ports = spec.ports?.map((port) =>
    port.targetPort === undefined || port.targetPort === '' || port.targetPort === 0
      ? { ...port, targetPort: port.port ?? 0 }
      : port,
  )
  const clusterIP = spec.clusterIP || spec.clusterIPs?.[0]
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? AFFINITY_SECONDS
  return {
    ...spec,
    ...(ports ? { ports } : {}),
    ...(clusterIP && type !== 'ExternalName'
      ? { clusterIP, clusterIPs: spec.clusterIPs ?? [clusterIP] }
      : {}),
    ...(spec.sessionAffinity === 'ClientIP'
      ? { sessionAffinityConfig: { clientIP: { timeoutSeconds: seconds } } }
      : {}),
    ...(outside && !spec.externalTrafficPolicy ? { externalTrafficPolicy: 'Cluster' as const } : {}),
    ...(type !== 'ExternalName' && !spec.internalTrafficPolicy
      ? { internalTrafficPolicy: 'Cluster' as const }
      : {}),
    ...(type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === undefined
      ? { allocateLoadBalancerNodePorts: true }
      : {}),
    ...families({ ...spec, ...(clusterIP ? { clusterIP } : {}) }),
  }
}

export const completeService: Mutator = (next) => {
  const service = next as KubeObject & { readonly spec?: ServiceSpec }
  return { ...service, spec: completeServiceSpec(service.spec ?? {}) }
}
