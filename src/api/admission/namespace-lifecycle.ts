// Nothing is created in a namespace that is missing or going away, and the namespaces that the cluster itself lives
// in are never deleted.
import { refuse } from '../../base/errors.ts'
import type { KubeObject } from '../../base/object.ts'
import { SYSTEM_NAMESPACES } from '../bootstrap/objects.ts'
import { resourceOf, type Work } from '../core.ts'
import { findObject } from '../resource/read.ts'

/** Without one of them a server could not even start: it makes objects in them that it lives by. */
const IMMORTAL = new Set<string>(SYSTEM_NAMESPACES)

export function checkNamespace(work: Work, next: KubeObject, previous: KubeObject | undefined): KubeObject {
  if (previous || !work.served.namespaced) return next
  const namespaces = work.core.served.find('', 'v1', 'namespaces')
  if (!namespaces) return next
  const name = next.metadata.namespace ?? ''
  const namespace = findObject(work.core, namespaces, undefined, name)
  if (!namespace) throw refuse.notFound({ group: '', resource: 'namespaces' }, name)
  if (namespace.metadata.deletionTimestamp)
    throw refuse.forbidden(
      resourceOf(work.served),
      next.metadata.name ?? '',
      `unable to create new content in namespace ${name} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${name} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    )
  return next
}

/** Throws 403 for a namespace that must stay. */
export function checkNamespaceDeletion(work: Work, name: string): void {
  const { group, plural } = work.served.kind
  if (group === '' && plural === 'namespaces' && IMMORTAL.has(name))
    throw refuse.forbidden(resourceOf(work.served), name, 'this namespace may not be deleted')
}
