// Setting: one setting of the cluster; Harvester's harvesterhci.io/v1beta1. Its fields lie at the top, without spec.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { settingRule } from './rules/setting.ts'
import { harvesterCondition } from './schema/condition.ts'

export const Setting = defineKind({
  group: 'harvesterhci.io',
  version: 'v1beta1',
  kind: 'Setting',
  plural: 'settings',
  scope: 'Cluster',
  doc: 'One setting of the cluster; which there are is fixed, their values are text.',
  body: () =>
    s.object({
      value: s.string('The value; empty means that the default is in force.'),
      default: s.string('In force while value is empty.'),
      customized: s.boolean('True once somebody has set a value.'),
      source: s.string('Where the value comes from, when it is not from this object.'),
      status: s.object(
        { conditions: s.list(harvesterCondition, 'Configured says whether the value is in force.') },
        'Whether the value is in force.',
      ),
    }),
  status: true,
  columns: [{ name: 'VALUE', type: 'string', description: 'The value.', value: '.value' }],
  rules: [settingRule],
})
export type Setting = KindOf<typeof Setting>
