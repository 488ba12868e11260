// ConfigMaps: settings by key.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { configMapBody } from './data-bodies.ts'
import { checkConfigMap } from './data-rules.ts'

type ConfigMapObject = KubeObject & Infer<typeof configMapBody>

export const ConfigMap = defineKind({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  scope: 'Namespaced',
  doc: 'Settings by key.',
  body: () => configMapBody,
  rules: [checkConfigMap],
  columns: [
    nameColumn,
    column<ConfigMapObject>(
      'Data',
      'Number of values.',
      (map) => Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length,
    ),
    ageColumn,
  ],
})
export type ConfigMap = KindOf<typeof ConfigMap>
