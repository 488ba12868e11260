// DataVolume: a claim together with what fills it; CDI's cdi.kubevirt.io/v1beta1.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { dataVolumeSpec, dataVolumeStatus } from './data-volume-body.ts'
import { dataVolumeRule } from './rules/data-volume.ts'

export const DataVolume = defineKind({
  group: 'cdi.kubevirt.io',
  version: 'v1beta1',
  kind: 'DataVolume',
  plural: 'datavolumes',
  shortNames: ['dv', 'dvs'],
  categories: ['all'],
  scope: 'Namespaced',
  doc: 'A volume together with the source it is filled from.',
  body: () => s.object({ spec: dataVolumeSpec, status: dataVolumeStatus }, undefined, { required: ['spec'] }),
  status: true,
  rules: [dataVolumeRule],
  columns: [
    { name: 'Phase', type: 'string', description: 'How far filling has come.', value: '.status.phase' },
    { name: 'Progress', type: 'string', description: 'Share done, in percent.', value: '.status.progress' },
    {
      name: 'Restarts',
      type: 'integer',
      description: 'How often the transfer began again.',
      value: '.status.restartCount',
    },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type DataVolume = KindOf<typeof DataVolume>
