// PriorityClasses: which Pods matter more.
import type { KubeObject } from '../../base/object.ts'
import type { Infer } from '../build.ts'
import { ageColumn, column, nameColumn } from '../cells.ts'
import { defineKind } from '../define.ts'
import { priorityClassBody } from './priority-class-body.ts'
import { checkPriorityClass } from './small-rules.ts'

type ClassObject = KubeObject & Infer<typeof priorityClassBody>

export const PriorityClass = defineKind({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  scope: 'Cluster',
  doc: 'Which Pods matter more than others.',
  body: () => priorityClassBody,
  rules: [checkPriorityClass],
  columns: [
    nameColumn,
    column<ClassObject>('Value', 'The priority.', (one) => one.value ?? 0, { type: 'integer' }),
    column<ClassObject>('Global-Default', 'For Pods without a class.', (one) => one.globalDefault ?? false, {
      type: 'boolean',
    }),
    ageColumn,
    column<ClassObject>(
      'PreemptionPolicy',
      'Whether others are displaced.',
      (one) => one.preemptionPolicy ?? '',
      {
        wide: true,
      },
    ),
  ],
})
