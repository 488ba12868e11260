// Admission: what the server adds to or refuses of a write because of other objects or of what stood there before.
// The plugins are pure steps in Kubernetes' order; what can be charged (quota) comes last, with the write itself.
import type { KubeObject } from '../../base/object.ts'
import type { Work } from '../core.ts'
import { addDefaultStorageClass } from './default-storage-class.ts'
import { checkDefinition } from './definition-lifecycle.ts'
import { checkEscalation } from './escalation.ts'
import { checkImmutable } from './immutable.ts'
import { limitRanges } from './limit-ranges.ts'
import { checkNamespace } from './namespace-lifecycle.ts'
import { restrictNode } from './node-restriction.ts'
import { addPriority } from './priority.ts'
import { addServiceAccount } from './service-account.ts'
import { addServiceAddress } from './service-address.ts'
import { addTolerations } from './tolerations.ts'

export type Plugin = (work: Work, next: KubeObject, previous: KubeObject | undefined) => KubeObject

const EVERY_KIND: readonly Plugin[] = [checkNamespace, checkDefinition, checkImmutable]
/** By `<plural>.<group>`. */
const BY_KIND: Readonly<Record<string, readonly Plugin[]>> = {
  'pods.': [limitRanges, addServiceAccount, addPriority, addTolerations],
  'persistentvolumeclaims.': [limitRanges, addDefaultStorageClass],
  'services.': [addServiceAddress],
  'roles.rbac.authorization.k8s.io': [checkEscalation],
  'clusterroles.rbac.authorization.k8s.io': [checkEscalation],
  'rolebindings.rbac.authorization.k8s.io': [checkEscalation],
  'clusterrolebindings.rbac.authorization.k8s.io': [checkEscalation],
}

export function admit(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  const { plural, group } = work.served.kind
  restrictNode(work, next, previous)
  let object = next
  // A status tells what is; it is nothing to admit.
  if (work.call.subresource === 'status') return object
  for (const plugin of EVERY_KIND) object = plugin(work, object, previous)
  for (const plugin of BY_KIND[`${plural}.${group}`] ?? []) object = plugin(work, object, previous)
  return object
}
