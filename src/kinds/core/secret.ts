// Secrets: values that not everybody may read.
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { secretBody } from './data-bodies.ts'
import { checkSecret } from './data-rules.ts'
import { moveStringData, type SecretObject } from './secret-defaults.ts'

export const Secret = defineKind({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
  doc: 'Values that not everybody may read.',
  body: () => secretBody,
  mutators: [moveStringData],
  rules: [checkSecret],
  selectableFields: ['type'],
  columns: [
    nameColumn,
    column<SecretObject>('Type', 'Kind of secret.', (secret) => secret.type ?? ''),
    column<SecretObject>('Data', 'Number of values.', (secret) => Object.keys(secret.data ?? {}).length),
    ageColumn,
  ],
})
export type Secret = KindOf<typeof Secret>
