// Wanted and observed state of a Service.
import { s } from '../build.ts'
import { condition } from './meta-types.ts'

export const servicePort = s.object(
  {
    name: s.string('Name of the port.'),
    protocol: s.oneOf(['SCTP', 'TCP', 'UDP'], 'TCP, UDP or SCTP.', { default: 'TCP' }),
    appProtocol: s.keep(s.string('Protocol of the application.')),
    port: s.write(s.integer('Port of the Service.')),
    targetPort: s.intOrString('Port of the Pods, by number or name.'),
    nodePort: s.integer('Port of every node.'),
  },
  'One port of a Service.',
)

export const clientIPConfig = s.object({
  timeoutSeconds: s.keep(s.integer()),
})

export const sessionAffinityConfig = s.object({
  clientIP: clientIPConfig,
})

export const serviceSpec = s.object(
  {
    ports: s.keyedList(servicePort, ['port', 'protocol'], 'Ports of the Service.', {
      patchMergeKey: 'port',
      patchStrategy: 'merge',
    }),
    selector: s.map(s.string(), 'Labels of the Pods behind it.', { atomic: true }),
    clusterIP: s.string('Address of the Service; None for a headless one.'),
    clusterIPs: s.list(s.string(), 'Addresses of the Service, one for each family.'),
    type: s.oneOf(
      ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
      'ClusterIP, NodePort, LoadBalancer or ExternalName.',
      { default: 'ClusterIP' },
    ),
    externalIPs: s.list(s.string(), 'Further addresses at which nodes take traffic.'),
    sessionAffinity: s.oneOf(['ClientIP', 'None'], 'Whether a client stays with one Pod.', {
      default: 'None',
    }),
    loadBalancerIP: s.string('Wanted address of the load balancer.'),
    loadBalancerSourceRanges: s.list(s.string(), 'Networks that may use the load balancer.'),
    externalName: s.string('Name that an ExternalName Service stands for.'),
    externalTrafficPolicy: s.oneOf(['Cluster', 'Local'], 'Whether outside traffic stays on the node.'),
    healthCheckNodePort: s.integer('Port for the health checks of the load balancer.'),
    publishNotReadyAddresses: s.boolean('Publish Pods that are not ready.'),
    sessionAffinityConfig: s.doc(sessionAffinityConfig, 'Settings of the affinity.'),
    ipFamilies: s.list(s.string(), 'Families of the addresses.'),
    ipFamilyPolicy: s.keep(
      s.oneOf(['PreferDualStack', 'RequireDualStack', 'SingleStack'], 'One family or two.'),
    ),
    allocateLoadBalancerNodePorts: s.keep(s.boolean('Whether a load balancer gets node ports.')),
    loadBalancerClass: s.keep(s.string('Load balancer that serves this Service.')),
    internalTrafficPolicy: s.keep(s.oneOf(['Cluster', 'Local'], 'Whether inside traffic stays on the node.')),
    trafficDistribution: s.keep(s.string('Which endpoints are preferred.')),
  },
  'Wanted state of a Service.',
)

export const portStatus = s.object({
  port: s.write(s.integer()),
  protocol: s.write(s.string()),
  error: s.keep(s.string()),
})

export const loadBalancerIngress = s.object({
  ip: s.string(),
  hostname: s.string(),
  ipMode: s.keep(s.string()),
  ports: s.list(portStatus),
})

export const loadBalancerStatus = s.object(
  {
    ingress: s.list(loadBalancerIngress, 'Addresses of the load balancer.'),
  },
  'Where a load balancer is reached.',
)

export const serviceStatus = s.object(
  {
    loadBalancer: s.write(s.doc(loadBalancerStatus, 'Where the load balancer is reached.')),
    conditions: s.keyedList(condition, ['type'], 'Observations about the Service.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
  },
  'Observed state of a Service.',
)
