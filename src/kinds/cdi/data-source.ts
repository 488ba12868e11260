// DataSource: a name under which machines find the newest copy of a golden disk; cdi.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { dataSourceSpec, dataSourceStatus } from './data-source-body.ts'

export const DataSource = defineKind({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataSource',
  plural: 'datasources',
  shortNames: ['das'],
  scope: 'Namespaced',
  doc: 'A name under which the newest copy of a golden disk is found.',
  body: () => s.object({ spec: dataSourceSpec, status: dataSourceStatus }, undefined, { required: ['spec'] }),
  status: true,
  columns: [
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type DataSource = KindOf<typeof DataSource>
