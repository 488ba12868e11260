// Where the kinds of these pages live, with their types from the API's own definitions.
import type { KubeObject } from '../../../../src/base/object.ts'
import type { NetworkAttachmentDefinition } from '../../../../src/kinds/cni/network-attachment-definition.ts'
import type { OverlappingRangeIPReservation } from '../../../../src/kinds/cni/overlapping-range-ip-reservation.ts'
import type { ConfigMap } from '../../../../src/kinds/core/config-map.ts'
import type { Namespace } from '../../../../src/kinds/core/namespace.ts'
import type { PersistentVolumeClaim } from '../../../../src/kinds/core/persistent-volume-claim.ts'
import type { ResourceQuota } from '../../../../src/kinds/core/resource-quota.ts'
import type { Secret } from '../../../../src/kinds/core/secret.ts'
import type { KeyPair } from '../../../../src/kinds/harvester/key-pair.ts'
import type { Setting } from '../../../../src/kinds/harvester/setting.ts'
import type { VirtualMachineTemplate } from '../../../../src/kinds/harvester/virtual-machine-template.ts'
import type { VirtualMachineTemplateVersion } from '../../../../src/kinds/harvester/virtual-machine-template-version.ts'
import type { KindOf } from '../../../../src/kinds/kind.ts'
import type * as Rbac from '../../../../src/kinds/kubernetes/rbac.ts'
import type { StorageClass } from '../../../../src/kinds/kubernetes/storage-class.ts'
import type { Replica } from '../../../../src/kinds/longhorn/replica.ts'
import type { Volume } from '../../../../src/kinds/longhorn/volume.ts'
import type { Place } from '../../data/kinds.ts'

/** Objects of a list do not say what they are; their place does. */
export interface KindPlace<T extends KubeObject> extends Place<T> {
  readonly kind: string
}

function place<T extends KubeObject>(
  [group, version]: readonly [group: string, version: string],
  kind: string,
  plural: string,
  namespaced = true,
): KindPlace<T> {
  return { group, version, kind, plural, namespaced }
}

export function apiVersionOf({ group, version }: Place<KubeObject>): string {
  return group === '' ? version : `${group}/${version}`
}

export type ClusterRole = KindOf<typeof Rbac.ClusterRole>
export type ClusterRoleBinding = KindOf<typeof Rbac.ClusterRoleBinding>
export type RoleBinding = KindOf<typeof Rbac.RoleBinding>
export type Claim = PersistentVolumeClaim
export type Project = Namespace
export type Network = NetworkAttachmentDefinition
export type Template = VirtualMachineTemplate
export type TemplateVersion = VirtualMachineTemplateVersion
export type AddressTaken = OverlappingRangeIPReservation
export type { ConfigMap, KeyPair, Replica, ResourceQuota, Secret, Setting, StorageClass, Volume }

export const CLAIMS = place<Claim>(['', 'v1'], 'PersistentVolumeClaim', 'persistentvolumeclaims')
export const VOLUMES = place<Volume>(['longhorn.io', 'v1beta2'], 'Volume', 'volumes')
export const REPLICAS = place<Replica>(['longhorn.io', 'v1beta2'], 'Replica', 'replicas')
export const CLASSES = place<StorageClass>(['storage.k8s.io', 'v1'], 'StorageClass', 'storageclasses', false)
export const KEYS = place<KeyPair>(['harvesterhci.io', 'v1beta1'], 'KeyPair', 'keypairs')
export const SECRETS = place<Secret>(['', 'v1'], 'Secret', 'secrets')
export const CONFIGS = place<ConfigMap>(['', 'v1'], 'ConfigMap', 'configmaps')
export const PROJECTS = place<Project>(['', 'v1'], 'Namespace', 'namespaces', false)
export const QUOTAS = place<ResourceQuota>(['', 'v1'], 'ResourceQuota', 'resourcequotas')
export const SETTINGS = place<Setting>(['harvesterhci.io', 'v1beta1'], 'Setting', 'settings', false)
export const TEMPLATES = place<Template>(
  ['harvesterhci.io', 'v1beta1'],
  'VirtualMachineTemplate',
  'virtualmachinetemplates',
)
export const VERSIONS = place<TemplateVersion>(
  ['harvesterhci.io', 'v1beta1'],
  'VirtualMachineTemplateVersion',
  'virtualmachinetemplateversions',
)
export const NETWORKS = place<Network>(
  ['k8s.cni.cncf.io', 'v1'],
  'NetworkAttachmentDefinition',
  'network-attachment-definitions',
)
export const ADDRESSES = place<AddressTaken>(
  ['whereabouts.cni.cncf.io', 'v1alpha1'],
  'OverlappingRangeIPReservation',
  'overlappingrangeipreservations',
)
export const ROLES = place<ClusterRole>(
  ['rbac.authorization.k8s.io', 'v1'],
  'ClusterRole',
  'clusterroles',
  false,
)
export const ROLE_BINDINGS = place<RoleBinding>(
  ['rbac.authorization.k8s.io', 'v1'],
  'RoleBinding',
  'rolebindings',
)
export const CLUSTER_BINDINGS = place<ClusterRoleBinding>(
  ['rbac.authorization.k8s.io', 'v1'],
  'ClusterRoleBinding',
  'clusterrolebindings',
  false,
)

/** Namespace of the storage's own objects. */
export const STORAGE_NAMESPACE = 'longhorn-system'
export const SYSTEM_NAMESPACE = 'kube-system'
