// Admission: what the server adds to or refuses of a write because of other objects. The plugins are pure steps in
// Kubernetes' order; what can be charged (quota) comes last, in resource/commit.
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'
import { checkNamespace } from './namespace-lifecycle.ts'

export type Plugin = (work: Work, next: KubeObject, previous: KubeObject | undefined) => KubeObject

const PLUGINS: readonly Plugin[] = [checkNamespace]

export function admit(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  let object = next
  for (const plugin of PLUGINS) object = plugin(work, object, previous)
  return object
}
