// Finalizers: set whole, and only on the version of the object that was seen, so that nobody else's word is lost.
import type { KubeObject } from '../base/object.ts'
import type { Action } from '../kinds/decide.ts'
import type { AnyKind } from '../kinds/kind.ts'

export function setFinalizers(kind: AnyKind, object: KubeObject, finalizers: readonly string[]): Action {
  const { namespace, name, resourceVersion } = object.metadata
  return {
    do: 'patch',
    target: { kind, namespace: namespace!, name: name! },
    patch: { metadata: { finalizers } },
    ...(resourceVersion ? { resourceVersion } : {}),
  }
}
