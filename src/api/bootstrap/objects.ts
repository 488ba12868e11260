// Objects that every cluster of croft has from its first second.
import type { JsonObject } from '../../base/json.ts'
import type { Advertised } from '../deps.ts'

/** The namespaces that the cluster itself lives in. */
export const SYSTEM_NAMESPACES = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'longhorn-system',
  'harvester-system',
  'harvester-public',
] as const

export function bootstrapObjects(advertised: Advertised, clientCaPem: string): readonly JsonObject[] {
  return [
    ...SYSTEM_NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    priorityClass('system-cluster-critical', 2_000_000_000, 'for Pods that the cluster needs to work'),
    priorityClass('system-node-critical', 2_000_001_000, 'for Pods that their node needs to work'),
    defaultStorageClass(),
    authenticationConfig(clientCaPem),
    ...kubernetesService(advertised),
  ]
}

function priorityClass(name: string, value: number, description: string): JsonObject {
  return {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  }
}

/** One replica: the first server is the only place for one. Harvester, too, counts the nodes when it is installed. */
function defaultStorageClass(): JsonObject {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name: 'harvester-longhorn',
      annotations: {
        'storageclass.kubernetes.io/is-default-class': 'true',
        'storageclass.harvesterhci.io/is-reserved': 'true',
      },
    },
    provisioner: 'driver.longhorn.io',
    parameters: { numberOfReplicas: '1', staleReplicaTimeout: '30', migratable: 'true' },
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowVolumeExpansion: true,
  }
}

function authenticationConfig(clientCaPem: string): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: { 'client-ca-file': clientCaPem },
  }
}

/** The Service by which Pods and tools find the API, and where it really is. */
function kubernetesService({ addresses, port, serviceIp }: Advertised): readonly JsonObject[] {
  const labels = { component: 'apiserver', provider: 'kubernetes' }
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kubernetes', namespace: 'default', labels },
      spec: {
        type: 'ClusterIP',
        clusterIP: serviceIp,
        clusterIPs: [serviceIp],
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: port }],
      },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { 'kubernetes.io/service-name': 'kubernetes' },
      },
      addressType: 'IPv4',
      endpoints: [{ addresses, conditions: { ready: true } }],
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    },
  ]
}
