// The kinds that the interface reads, with their types from the API's own definitions.
import type { KubeObject } from '../../../src/base/object.ts'
import type { Event as KubeEvent } from '../../../src/kinds/core/event.ts'
import type { Namespace as KubeNamespace } from '../../../src/kinds/core/namespace.ts'
import type { Node as KubeNode } from '../../../src/kinds/core/node.ts'
import type { VirtualMachineImage } from '../../../src/kinds/harvester/virtual-machine-image.ts'
import type { VirtualMachine } from '../../../src/kinds/kubevirt/virtual-machine.ts'
import type { VirtualMachineInstance } from '../../../src/kinds/kubevirt/virtual-machine-instance.ts'
import type { Engine } from '../../../src/kinds/longhorn/engine.ts'
import type { Node as LonghornNode } from '../../../src/kinds/longhorn/node.ts'
import type { VirtualMachineRestore } from '../../../src/kinds/snapshot/virtual-machine-restore.ts'
import type { VirtualMachineSnapshot } from '../../../src/kinds/snapshot/virtual-machine-snapshot.ts'

/** Where objects of a kind live; `T` is their type. */
export interface Place<T extends KubeObject> {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespaced: boolean
  /** Carries the type only; never set. */
  readonly of?: T
}

export type Machine = VirtualMachine
export type Instance = VirtualMachineInstance
export type Image = VirtualMachineImage
export type Host = KubeNode
export type Happening = KubeEvent
export type KeptMachine = VirtualMachineSnapshot
export type Return = VirtualMachineRestore

export const MACHINES: Place<Machine> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachines',
  namespaced: true,
}
export const INSTANCES: Place<Instance> = {
  group: 'kubevirt.io',
  version: 'v1',
  plural: 'virtualmachineinstances',
  namespaced: true,
}
export const IMAGES: Place<Image> = {
  group: 'harvesterhci.io',
  version: 'v1beta1',
  plural: 'virtualmachineimages',
  namespaced: true,
}
export const HOSTS: Place<Host> = { group: '', version: 'v1', plural: 'nodes', namespaced: false }
export const HAPPENINGS: Place<Happening> = { group: '', version: 'v1', plural: 'events', namespaced: true }
export const NAMESPACES: Place<KubeNamespace> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  namespaced: false,
}

/** A machine with all its disks as it was at one moment. */
export const KEPT_MACHINES: Place<KeptMachine> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinesnapshots',
  namespaced: true,
}
/** The way back from it. */
export const RETURNS: Place<Return> = {
  group: 'snapshot.kubevirt.io',
  version: 'v1beta1',
  plural: 'virtualmachinerestores',
  namespaced: true,
}

/** What storage knows of the hosts: their disks. In `longhorn-system`. */
export const STORAGE_NODES: Place<LonghornNode> = {
  group: 'longhorn.io',
  version: 'v1beta2',
  plural: 'nodes',
  namespaced: true,
}

/** What drives volumes, and rebuilds their copies. In `longhorn-system`. */
export const ENGINES: Place<Engine> = {
  group: 'longhorn.io',
  version: 'v1beta2',
  plural: 'engines',
  namespaced: true,
}

/** Path of a collection, or of one object in it. */
export function pathOf(place: Place<KubeObject>, namespace?: string, name?: string): string {
  const { group, version, plural, namespaced } = place
  return [
    group === '' ? '/api' : `/apis/${group}`,
    version,
    ...(namespaced && namespace !== undefined ? ['namespaces', encodeURIComponent(namespace)] : []),
    plural,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
  ].join('/')
}
