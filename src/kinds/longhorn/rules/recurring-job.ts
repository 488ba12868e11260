// Recurring jobs: a time that can be understood, a task that is served, and numbers within Longhorn's bounds.

import { nextCronTime, parseCron } from '../../../base/cron.ts'
import type { Cause } from '../../../base/errors.ts'
import { storageSettingRef } from '../../foreign.ts'
import type { Mutator, Rule } from '../../kind.ts'
import { invalid, required } from '../../kubevirt/rules/causes.ts'

/** Longhorn's setting recurring-job-max-retention. */
const RETAIN_MAX_DEFAULT = 100
const NAME_MAX = 40
const LATER: Readonly<Record<string, string>> = {
  backup: 'backups',
  'backup-force-create': 'backups',
  'system-backup': 'backups of the cluster',
  'filesystem-trim': 'trimming by the cluster; guests trim their own disks',
}

interface JobSpec {
  readonly name?: string
  readonly cron?: string
  readonly task?: string
  readonly retain?: number
  readonly concurrency?: number
  readonly groups?: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
}

export const recurringJobMutator: Mutator = (next) => {
  const spec = (next['spec'] ?? {}) as JobSpec
  const { name } = next.metadata
  const filled = {
    ...spec,
    name: spec.name || name || '',
    groups: spec.groups ?? [],
    labels: spec.labels ?? {},
    concurrency: spec.concurrency || 1,
  }
  return { ...next, spec: filled }
}

export const recurringJobRule: Rule = (next, previous, look) => {
  if (!next) return {}
  const spec = (next['spec'] ?? {}) as JobSpec
  const old = previous?.['spec'] as JobSpec | undefined
  const causes: Cause[] = []
  const name = next.metadata.name ?? ''
  if (!old && name.length > NAME_MAX)
    causes.push(invalid('metadata.name', `the name of a recurring job has at most ${NAME_MAX} characters`))
  if (!spec.task) causes.push(required('spec.task', 'Required value: say what is to be done'))
  else if (LATER[spec.task])
    causes.push(
      invalid('spec.task', `task ${spec.task} is not served yet: there are no ${LATER[spec.task]} yet`),
    )
  if (old && old.task !== spec.task)
    causes.push(invalid('spec.task', 'spec.task cannot be changed: make another job'))
  causes.push(...cronCauses(spec.cron, look.now))
  const text = look.get(storageSettingRef, 'longhorn-system', 'recurring-job-max-retention')?.['value']
  const most = typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : RETAIN_MAX_DEFAULT
  const retain = spec.retain ?? 0
  const least = spec.task === 'snapshot-cleanup' || spec.task === 'snapshot-delete' ? 0 : 1
  if (retain < least || retain > most)
    causes.push(invalid('spec.retain', `spec.retain must be from ${least} to ${most}, not ${retain}`))
  if ((spec.concurrency ?? 1) < 1)
    causes.push(invalid('spec.concurrency', 'spec.concurrency must be at least 1'))
  return { causes }
}

function cronCauses(cron: string | undefined, now: number): readonly Cause[] {
  if (!cron) return [required('spec.cron', 'Required value: say when, for instance "0 3 * * *"')]
  const parsed = parseCron(cron)
  if (!parsed) return [invalid('spec.cron', `${JSON.stringify(cron)} is no time of five fields`)]
  return nextCronTime(parsed, now) === undefined
    ? [invalid('spec.cron', `${JSON.stringify(cron)} never comes`)]
    : []
}
