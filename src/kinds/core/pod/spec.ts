// The wanted state of a Pod.
import { s } from '../../build.ts'
import { localObjectReference } from '../references.ts'
import { resourceRequirements } from '../resources.ts'
import { container, ephemeralContainer } from './container.ts'
import {
  affinity,
  podReadinessGate,
  podResourceClaim,
  podSchedulingGate,
  podSchedulingGroup,
  toleration,
  topologySpreadConstraint,
} from './scheduling.ts'
import { podSecurityContext } from './security.ts'
import { volume } from './volumes.ts'

export const hostAlias = s.object(
  {
    ip: s.write(s.string()),
    hostnames: s.list(s.string()),
  },
  undefined,
  { required: ['ip'] },
)

export const podDNSConfigOption = s.object({
  name: s.string(),
  value: s.keep(s.string()),
})

export const podDNSConfig = s.object({
  nameservers: s.list(s.string()),
  searches: s.list(s.string()),
  options: s.list(podDNSConfigOption),
})

export const podOS = s.object(
  {
    name: s.write(s.oneOf(['linux', 'windows'])),
  },
  undefined,
  { required: ['name'] },
)

export const podSpec = s.object(
  {
    volumes: s.keyedList(volume, ['name'], 'Volumes that containers may mount.', {
      patchMergeKey: 'name',
      patchStrategy: 'merge,retainKeys',
    }),
    initContainers: s.keyedList(
      container,
      ['name'],
      'Containers that run one after another before the others.',
      { patchMergeKey: 'name', patchStrategy: 'merge' },
    ),
    containers: s.write(
      s.keyedList(container, ['name'], 'Containers of the Pod.', {
        patchMergeKey: 'name',
        patchStrategy: 'merge',
      }),
    ),
    ephemeralContainers: s.keyedList(
      ephemeralContainer,
      ['name'],
      'Containers added for debugging; written through their own subresource.',
      { patchMergeKey: 'name', patchStrategy: 'merge' },
    ),
    restartPolicy: s.oneOf(['Always', 'Never', 'OnFailure'], 'When ended containers are started again.', {
      default: 'Always',
    }),
    terminationGracePeriodSeconds: s.keep(
      s.int64('Seconds between the request to stop and the kill.', { default: 30 }),
    ),
    activeDeadlineSeconds: s.keep(s.int64('Seconds after which the Pod is failed.')),
    dnsPolicy: s.oneOf(
      ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
      'Where name servers come from.',
      { default: 'ClusterFirst' },
    ),
    nodeSelector: s.map(s.string(), 'Labels that the node must have.', { atomic: true }),
    serviceAccountName: s.string('ServiceAccount that the Pod acts as.'),
    serviceAccount: s.string('Old name of serviceAccountName.'),
    automountServiceAccountToken: s.keep(s.boolean('Whether a token is mounted by itself.')),
    nodeName: s.string('Node that the Pod runs on; set by the scheduler.'),
    hostNetwork: s.boolean('Use the network of the host.'),
    hostPID: s.boolean('Use the process ids of the host.'),
    hostIPC: s.boolean('Use the IPC namespace of the host.'),
    shareProcessNamespace: s.keep(s.boolean("Containers see each other's processes.")),
    securityContext: s.doc(podSecurityContext, 'Security settings for all containers.'),
    imagePullSecrets: s.keyedList(localObjectReference, ['name'], 'Secrets for fetching images.', {
      patchMergeKey: 'name',
      patchStrategy: 'merge',
    }),
    hostname: s.string('Host name of the Pod.'),
    subdomain: s.string('Subdomain under which the Pod is known.'),
    affinity: s.doc(affinity, 'Wishes about placement.'),
    schedulerName: s.string('Scheduler that places the Pod.', { default: 'default-scheduler' }),
    tolerations: s.list(toleration, 'Taints that the Pod puts up with.'),
    hostAliases: s.keyedList(hostAlias, ['ip'], 'Lines for the hosts file.', {
      patchMergeKey: 'ip',
      patchStrategy: 'merge',
    }),
    priorityClassName: s.string('PriorityClass that gives the priority.'),
    priority: s.keep(s.integer('Priority; higher is more important.')),
    dnsConfig: s.doc(podDNSConfig, 'Name servers and search domains.'),
    readinessGates: s.list(podReadinessGate, 'Conditions that count for readiness.'),
    runtimeClassName: s.keep(s.string('RuntimeClass that runs the Pod.')),
    enableServiceLinks: s.keep(s.boolean('Put Services into environment variables.', { default: true })),
    preemptionPolicy: s.keep(
      s.oneOf(['Never', 'PreemptLowerPriority'], 'Whether Pods of lower priority may be displaced.'),
    ),
    overhead: s.map(s.quantity(), 'Resources used beside the containers.'),
    topologySpreadConstraints: s.keyedList(
      topologySpreadConstraint,
      ['topologyKey', 'whenUnsatisfiable'],
      'How Pods are spread over the topology.',
      { patchMergeKey: 'topologyKey', patchStrategy: 'merge' },
    ),
    setHostnameAsFQDN: s.keep(s.boolean('Use the full name as host name.')),
    os: s.doc(podOS, 'Operating system of the containers.'),
    hostUsers: s.keep(s.boolean('Use the user ids of the host.')),
    schedulingGates: s.keyedList(
      podSchedulingGate,
      ['name'],
      'The Pod is not scheduled while there are gates.',
      { patchMergeKey: 'name', patchStrategy: 'merge' },
    ),
    resourceClaims: s.keyedList(podResourceClaim, ['name'], 'Devices that the Pod claims.', {
      patchMergeKey: 'name',
      patchStrategy: 'merge,retainKeys',
    }),
    resources: s.doc(resourceRequirements, 'Requests and limits of the whole Pod.'),
    hostnameOverride: s.keep(s.string('Host name in place of the one made of the Pod.')),
    schedulingGroup: s.doc(podSchedulingGroup, 'Group of Pods that is scheduled together.'),
  },
  'Wanted state of a Pod.',
  { required: ['containers'] },
)
