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
