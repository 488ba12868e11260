// Secrets: values that not everybody may read.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { secretBody } from './data-bodies.ts'

type SecretObject = KubeObject & Infer<typeof secretBody>

export const Secret = defineKind({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  doc: 'Values that not everybody may read.',
  body: () => secretBody,
  selectableFields: ['type'],
  columns: [
    nameColumn,
    column<SecretObject>('Type', 'Kind of secret.', (secret) => secret.type ?? ''),
    column<SecretObject>('Data', 'Number of values.', (secret) => Object.keys(secret.data ?? {}).length),
    ageColumn,
  ],
})
export type Secret = KindOf<typeof Secret>
