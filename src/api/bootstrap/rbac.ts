// The default roles: Kubernetes' own, and what admin, edit and view mean for machines, volumes and images.
import type { JsonObject } from '../../base/json.ts'
import type { PolicyRule } from '../authz/rules.ts'
import { nodeRole, nodeRoleBinding } from './node-role.ts'

interface CompactItem {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly rules?: readonly PolicyRule[]
  readonly aggregationRule?: JsonObject
  readonly roleRef?: JsonObject
  readonly subjects?: readonly JsonObject[]
}

const MACHINE_GROUPS = ['kubevirt.io', 'cdi.kubevirt.io', 'snapshot.kubevirt.io', 'instancetype.kubevirt.io']
const TENANT_RESOURCES: PolicyRule = {
  apiGroups: ['harvesterhci.io'],
  resources: [
    'keypairs',
    'virtualmachineimages',
    'virtualmachinebackups',
    'virtualmachinerestores',
    'virtualmachinetemplates',
    'virtualmachinetemplateversions',
    'schedulevmbackups',
  ],
}
const NETWORKS: PolicyRule = {
  apiGroups: ['k8s.cni.cncf.io'],
  resources: ['network-attachment-definitions'],
}
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update']
const ACTIONS = [
  'virtualmachines/start',
  'virtualmachines/stop',
  'virtualmachines/restart',
  'virtualmachines/addvolume',
  'virtualmachines/removevolume',
  'virtualmachineinstances/pause',
  'virtualmachineinstances/unpause',
  'virtualmachineinstances/softreboot',
  'virtualmachineinstances/reset',
  'virtualmachineinstances/freeze',
  'virtualmachineinstances/unfreeze',
  'virtualmachineinstances/addvolume',
  'virtualmachineinstances/removevolume',
]
const STREAMS = [
  'virtualmachineinstances/console',
  'virtualmachineinstances/vnc',
  'virtualmachineinstances/portforward',
  'virtualmachines/portforward',
]
const FACTS = [
  'virtualmachineinstances/guestosinfo',
  'virtualmachineinstances/filesystemlist',
  'virtualmachineinstances/userlist',
  'virtualmachines/expand-spec',
]
const SUBRESOURCES = ['subresources.kubevirt.io']

function ownRoles(): readonly CompactItem[] {
  const readable: readonly PolicyRule[] = [
    { apiGroups: MACHINE_GROUPS, resources: ['*'] },
    TENANT_RESOURCES,
    NETWORKS,
  ]
  const withVerbs = (verbs: readonly string[]) => readable.map((rule) => ({ ...rule, verbs }))
  const read: readonly PolicyRule[] = [
    ...withVerbs(READ),
    { apiGroups: SUBRESOURCES, resources: FACTS, verbs: ['get'] },
  ]
  const act: readonly PolicyRule[] = [
    ...withVerbs(WRITE),
    { apiGroups: SUBRESOURCES, resources: ACTIONS, verbs: ['update'] },
    { apiGroups: SUBRESOURCES, resources: STREAMS, verbs: ['get'] },
  ]
  return [
    // As metrics-server names it, so that its manifests change nothing here.
    aggregated('system:aggregated-metrics-reader', 'view', [
      { apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] },
    ]),
    nodeRole,
    aggregated('kubevirt.io:view', 'view', read),
    aggregated('kubevirt.io:edit', 'edit', [...read, ...act]),
    aggregated('kubevirt.io:admin', 'admin', [
      ...read,
      ...act,
      { apiGroups: SUBRESOURCES, resources: ['virtualmachines/migrate'], verbs: ['update'] },
    ]),
    {
      name: 'kubevirt.io:default',
      rules: [
        { apiGroups: SUBRESOURCES, resources: ['version', 'guestfs'], verbs: READ },
        { apiGroups: ['kubevirt.io'], resources: ['kubevirts'], verbs: ['get', 'list'] },
      ],
    },
  ]
}

function aggregated(name: string, into: string, rules: readonly PolicyRule[]): CompactItem {
  return { name, labels: { [`rbac.authorization.k8s.io/aggregate-to-${into}`]: 'true' }, rules }
}

const OWN_BINDINGS: readonly CompactItem[] = [
  nodeRoleBinding,
  {
    name: 'kubevirt.io:default',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'kubevirt.io:default' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
  },
]

/** All default RBAC objects, whole. The table of Kubernetes' own is loaded for this and not kept. */
export async function bootstrapRbac(): Promise<readonly JsonObject[]> {
  const module = await import('./rbac.json', { with: { type: 'json' } })
  const table = module.default as unknown as Readonly<Record<string, readonly CompactItem[]>>
  const of = (kind: string) => (table[kind] ?? []).map((item) => whole(kind, item))
  return [
    ...of('ClusterRole'),
    ...ownRoles().map((item) => whole('ClusterRole', item)),
    ...of('ClusterRoleBinding'),
    ...OWN_BINDINGS.map((item) => whole('ClusterRoleBinding', item)),
    ...of('Role'),
    ...of('RoleBinding'),
  ]
}

function whole(kind: string, { name, namespace, labels, ...rest }: CompactItem): JsonObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
    ...(rest as unknown as JsonObject),
  }
}
