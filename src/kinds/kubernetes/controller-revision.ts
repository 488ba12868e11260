// ControllerRevisions: kept states of controllers.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import { controllerRevisionBody } from './controller-revision-body.ts'

type Revision = KubeObject & Infer<typeof controllerRevisionBody>

function controllerText({ metadata }: Revision): string {
  const owner = metadata.ownerReferences?.find((one) => one.controller)
  if (!owner) return '<none>'
  const [group = ''] = owner.apiVersion.includes('/') ? owner.apiVersion.split('/') : ['']
  const kind = owner.kind.toLowerCase()
  return `${group === '' ? kind : `${kind}.${group}`}/${owner.name}`
}

export const ControllerRevision = defineKind({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  scope: 'Namespaced',
  doc: 'A kept state of a controller or of a machine.',
  body: () => controllerRevisionBody,
  columns: [
    nameColumn,
    column<Revision>('Controller', 'Whose state it is.', controllerText),
    column<Revision>('Revision', 'Number of the state.', (one) => Number(one.revision ?? 0), {
      type: 'integer',
    }),
    ageColumn,
  ],
})
