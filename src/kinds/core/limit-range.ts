// LimitRanges: bounds and defaults for single objects of a namespace.
import { s } from '../build.ts'
import { createdAtColumn, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import { limitRangeSpec } from './quota-bodies.ts'
import { checkLimitRange, completeLimitRange } from './quota-rules.ts'

export const LimitRange = defineKind({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  scope: 'Namespaced',
  doc: 'Bounds and defaults for single objects of a namespace.',
  body: () => s.object({ spec: s.write(limitRangeSpec) }),
  mutators: [completeLimitRange],
  rules: [checkLimitRange],
  columns: [nameColumn, createdAtColumn],
})
