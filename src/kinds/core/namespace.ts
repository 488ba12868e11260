// Namespaces: the boundaries between tenants.
import type { KubeObject } from '../../base/object.ts'
import { type Infer, s } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf, Mutator } from '../kind.ts'
import { namespaceSpec, namespaceStatus } from './namespace-body.ts'

const body = s.object({ spec: s.write(namespaceSpec), status: s.write(namespaceStatus) })
type NamespaceObject = KubeObject & Infer<typeof body>

const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Every namespace carries its name as a label; a new one is Active and held by the server's own finalizer. */
const complete: Mutator = (next, previous) => {
  const { name } = next.metadata
  const named = name === undefined || next.metadata.labels?.[NAME_LABEL] === name
  const labelled = named
    ? next
    : { ...next, metadata: { ...next.metadata, labels: { ...next.metadata.labels, [NAME_LABEL]: name } } }
  if (previous) return labelled
  const finalizers = (labelled as NamespaceObject).spec?.finalizers ?? []
  const own = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes']
  return { ...labelled, spec: { finalizers: own }, status: { phase: 'Active' } }
}

export const Namespace = defineKind({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  doc: 'A boundary: names, rights and quotas end here.',
  body: () => body,
  status: true,
  subresources: { finalize: { verbs: ['update'] } },
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  nameRule: 'dns-label',
  selectableFields: ['status.phase'],
  mutators: [complete],
  columns: [
    nameColumn,
    column<NamespaceObject>('Status', 'Active or Terminating.', (one) => one.status?.phase ?? ''),
    ageColumn,
  ],
})
export type Namespace = KindOf<typeof Namespace>
