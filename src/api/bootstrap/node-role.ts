// What the agents of nodes may: the rights that they need, for group system:nodes. admission/node-restriction.ts narrows
// most of the writes to what belongs to the node that asks.
import type { JsonObject } from '../../base/json.ts'
import type { PolicyRule } from '../authz/rules.ts'

const NAME = 'croft:node'
const READ = ['get', 'list', 'watch']

const RULES: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['nodes'], verbs: [...READ, 'create', 'patch', 'update'] },
  { apiGroups: [''], resources: ['nodes/status', 'pods/status'], verbs: ['patch', 'update'] },
  { apiGroups: [''], resources: ['pods'], verbs: [...READ, 'delete', 'patch', 'update'] },
  {
    apiGroups: [''],
    resources: ['namespaces', 'services', 'persistentvolumes', 'persistentvolumeclaims'],
    verbs: READ,
  },
  // Listing would tell the names of all; what a machine mounts is asked for by name.
  { apiGroups: [''], resources: ['secrets', 'serviceaccounts'], verbs: ['get'] },
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create'] },
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'get', 'patch', 'update'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'patch', 'update'] },
  { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: READ },
  {
    apiGroups: ['kubevirt.io'],
    resources: ['virtualmachineinstances', 'virtualmachineinstances/status'],
    verbs: [...READ, 'patch', 'update'],
  },
  { apiGroups: ['kubevirt.io', 'cdi.kubevirt.io', 'snapshot.storage.k8s.io'], resources: ['*'], verbs: READ },
  { apiGroups: ['harvesterhci.io'], resources: ['*'], verbs: READ },
  {
    apiGroups: ['harvesterhci.io'],
    resources: ['blockdevices', 'blockdevices/status'],
    verbs: ['create', 'patch', 'update', 'delete'],
  },
  { apiGroups: ['network.harvesterhci.io', 'k8s.cni.cncf.io'], resources: ['*'], verbs: READ },
  {
    apiGroups: ['whereabouts.cni.cncf.io'],
    resources: ['overlappingrangeipreservations'],
    verbs: [...READ, 'create', 'delete'],
  },
  {
    apiGroups: ['longhorn.io', 'storage.croft.io'],
    resources: ['*'],
    verbs: [...READ, 'create', 'patch', 'update', 'delete'],
  },
]

const GROUP = { apiGroup: 'rbac.authorization.k8s.io' }

export const nodeRole = { name: NAME, rules: RULES } as const

export const nodeRoleBinding = {
  name: NAME,
  roleRef: { ...GROUP, kind: 'ClusterRole', name: NAME } as JsonObject,
  subjects: [{ ...GROUP, kind: 'Group', name: 'system:nodes' }] as readonly JsonObject[],
} as const
