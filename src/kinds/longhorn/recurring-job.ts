// RecurringJob: work on volumes by the clock; Longhorn's longhorn.io/v1beta2.
import { s } from '../build.ts'
import { defineKind } from '../define.ts'
import type { KindOf } from '../kind.ts'
import { recurringJobMutator, recurringJobRule } from './rules/recurring-job.ts'

export const RECURRING_TASKS = [
  'snapshot',
  'snapshot-force-create',
  'snapshot-cleanup',
  'snapshot-delete',
  'backup',
  'backup-force-create',
  'filesystem-trim',
  'system-backup',
] as const

export const RecurringJob = defineKind({
  group: 'longhorn.io',
  version: 'v1beta2',
  kind: 'RecurringJob',
  plural: 'recurringjobs',
  shortNames: ['lhrj'],
  scope: 'Namespaced',
  doc: 'Work on volumes by the clock.',
  body: () =>
    s.object({
      spec: s.object(
        {
          concurrency: s.integer('Volumes that are worked on at a time.'),
          cron: s.string('When, as five fields or @daily and the like; in UTC.'),
          groups: s.list(s.string(), 'Groups of volumes; `default` is all without a job of their own.'),
          labels: s.map(s.string(), 'Labels of the snapshots that it makes.'),
          name: s.string('Its name.'),
          parameters: s.map(s.string(), 'Details of the task.'),
          retain: s.integer('Snapshots of this job that are kept of each volume.'),
          task: s.oneOf(RECURRING_TASKS, 'What is done.'),
        },
        'What is done, when, and to which volumes.',
      ),
      status: s.object(
        {
          executionCount: s.integer('Runs so far.'),
          ownerID: s.string('Node that looks after it.'),
        },
        'How the job is doing.',
      ),
    }),
  status: true,
  mutators: [recurringJobMutator],
  rules: [recurringJobRule],
  columns: [
    { name: 'Groups', type: 'string', description: 'Groups of volumes.', value: '.spec.groups' },
    { name: 'Task', type: 'string', description: 'What is done.', value: '.spec.task' },
    { name: 'Cron', type: 'string', description: 'When.', value: '.spec.cron' },
    { name: 'Retain', type: 'integer', description: 'How many are kept.', value: '.spec.retain' },
    {
      name: 'Concurrency',
      type: 'integer',
      description: 'Volumes at a time.',
      value: '.spec.concurrency',
    },
    { name: 'Age', type: 'date', description: 'Time since creation.', value: '.metadata.creationTimestamp' },
    { name: 'Labels', type: 'string', description: 'Labels of what it makes.', value: '.spec.labels' },
  ],
})
export type RecurringJob = KindOf<typeof RecurringJob>
