// Setting: one setting of the storage system; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { settingRule } from './rules/setting.ts'

export const Setting = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'Setting',
  plural: 'settings',
  shortNames: ['lhs'],
  scope: 'Namespaced',
  doc: 'One setting of the storage system.',
  body: () =>
    s.object(
      {
        value: s.string('The value, always as text.'),
        status: s.object(
          { applied: s.boolean('True once the value is in force everywhere.') },
          'Whether the value is in force.',
          { required: ['applied'] },
        ),
      },
      undefined,
      { required: ['value'] },
    ),
  status: true,
  rules: [settingRule],
  columns: [
    { name: 'Value', type: 'string', description: 'The value.', value: '.value' },
    { name: 'Applied', type: 'boolean', description: 'Whether it is in force.', value: '.status.applied' },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
  ],
})
export type Setting = KindOf<typeof Setting>
