// Owner references, the thread by which the garbage collector finds what belongs together.
import type { KubeObject, OwnerReference } from '../base/object.ts'
import { type AnyKind, apiVersionOf } from '../kinds/kind.ts'

/** The reference by which `owner` controls another object. */
export function controllerRef(kind: AnyKind, owner: KubeObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: owner.metadata.name!,
    uid: owner.metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  }
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller)
}

export function isControlledBy(object: KubeObject, uid: string | undefined): boolean {
  return uid !== undefined && controllerOf(object)?.uid === uid
}
