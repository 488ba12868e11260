// Kinds of other folders by name alone, for looking objects up. Rules need no more than that, and importing the
// whole kind would make folders depend on each other in circles.
import type { AnyKind } from './kind.ts'

function named(
  group: string,
  version: string,
  kind: string,
  plural: string,
  scope: AnyKind['scope'],
): AnyKind {
  return {
    group,
    version,
    kind,
    plural,
    scope,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    doc: '',
    schema: {},
    columns: [],
    subresources: {},
    verbs: [],
    habit: 'core',
    nameRule: 'dns-subdomain',
    selectableFields: [],
    mutators: [],
    rules: [],
  }
}

export const claimRef = named('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'Namespaced')
export const storageClassRef = named('storage.k8s.io', 'v1', 'StorageClass', 'storageclasses', 'Cluster')
export const machineRef = named('kubevirt.io', 'v1', 'VirtualMachine', 'virtualmachines', 'Namespaced')
export const imageRef = named(
  'harvesterhci.io',
  'v1beta1',
  'VirtualMachineImage',
  'virtualmachineimages',
  'Namespaced',
)
export const storageNodeRef = named('longhorn.io', 'v1beta2', 'Node', 'nodes', 'Namespaced')
export const storageVolumeRef = named('longhorn.io', 'v1beta2', 'Volume', 'volumes', 'Namespaced')
export const storageSettingRef = named('longhorn.io', 'v1beta2', 'Setting', 'settings', 'Namespaced')
export const snapshotRef = named('longhorn.io', 'v1beta2', 'Snapshot', 'snapshots', 'Namespaced')
export const epochRef = named('storage.croft.io', 'v1alpha1', 'VolumeEpoch', 'volumeepochs', 'Namespaced')
export const volumeSnapshotRef = named(
  'snapshot.storage.k8s.io',
  'v1',
  'VolumeSnapshot',
  'volumesnapshots',
  'Namespaced',
)
export const snapshotClassRef = named(
  'snapshot.storage.k8s.io',
  'v1',
  'VolumeSnapshotClass',
  'volumesnapshotclasses',
  'Cluster',
)
export const machineBackupRef = named(
  'harvesterhci.io',
  'v1beta1',
  'VirtualMachineBackup',
  'virtualmachinebackups',
  'Namespaced',
)
export const machineRestoreRef = named(
  'harvesterhci.io',
  'v1beta1',
  'VirtualMachineRestore',
  'virtualmachinerestores',
  'Namespaced',
)
export const kubevirtRestoreRef = named(
  'snapshot.kubevirt.io',
  'v1beta1',
  'VirtualMachineRestore',
  'virtualmachinerestores',
  'Namespaced',
)
