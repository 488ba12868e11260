// Decides one RecurringJob: which of its times has come, and what that means for each of its volumes. Names of
// snapshots follow from job, time and volume, so that a run that is interrupted is finished, never made twice.
import { type Cron, nextCronTime, parseCron } from '../base/cron.ts'
import { shortHash } from '../base/derived-name.ts'
import { formatTime, parseTime } from '../base/time.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { Engine } from '../kinds/longhorn/engine.ts'
import { RecurringJob } from '../kinds/longhorn/recurring-job.ts'
import { Setting } from '../kinds/longhorn/setting.ts'
import { Snapshot } from '../kinds/longhorn/snapshot.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { SNAPSHOTS_BY_VOLUME } from './snapshot.ts'
import { engineName } from './volume/children.ts'

const LAST_RUN = 'croft.io/last-run'
/** Longhorn's labels: of a volume, and of what a job makes. */
const JOB_LABEL = 'recurring-job.longhorn.io/'
const GROUP_LABEL = 'recurring-job-group.longhorn.io/'
const MADE_BY = 'RecurringJob'
/** Snapshots under way are looked at again after this long. */
const LOOK_AGAIN_MS = 5_000
/** Runs that were missed while nothing ran here: looked for at most this many times ahead. */
const MISSED_MAX = 10_000

export interface JobVolume {
  readonly volume: Volume
  readonly snapshots: readonly Snapshot[]
  /** Nothing was written since its last snapshot, as far as the engine knows. */
  readonly isUnchanged: boolean
}

export interface SeenJob {
  readonly job: RecurringJob
  readonly volumes: readonly JobVolume[]
  readonly wakesDetached: boolean
}

export function decideJob({ job, volumes, wakesDetached }: SeenJob, now: number): Decision {
  const cron = parseCron(job.spec?.cron ?? '')
  if (!cron || job.metadata.deletionTimestamp) return { actions: [] }
  const due = dueTime(job, cron, now)
  const trim = volumes.flatMap((one) => surplus(job, one, due !== undefined))
  if (due === undefined) {
    const next = nextCronTime(cron, now)
    return { actions: trim, ...(next === undefined ? {} : { wakeAt: next }) }
  }
  const able = volumes.filter(({ volume }) => canRun(volume, wakesDetached))
  const work = able.flatMap((one) => workOn(job, one, due))
  const moving = able.filter(({ snapshots }) => snapshots.some((one) => isMoving(job, one))).length
  const room = Math.max(0, (job.spec?.concurrency ?? 1) - moving)
  if (work.length > room) return { actions: [...work.slice(0, room), ...trim], wakeAt: now + LOOK_AGAIN_MS }
  return {
    actions: [...work, ...trim, finished(job, due)],
    status: counted(job) as never,
    wakeAt: now + 1_000,
  }
}

/** The latest time that has come since the last run; one that was missed is made up for once. */
function dueTime(job: RecurringJob, cron: Cron, now: number): number | undefined {
  const { annotations, creationTimestamp } = job.metadata
  const last = parseTime(annotations?.[LAST_RUN] ?? '') ?? parseTime(creationTimestamp ?? '') ?? now
  let due: number | undefined
  let time = nextCronTime(cron, last)
  for (let count = 0; time !== undefined && time <= now && count < MISSED_MAX; count += 1) {
    due = time
    time = nextCronTime(cron, time)
  }
  return due
}

function finished({ metadata }: RecurringJob, due: number): Action {
  return {
    do: 'patch',
    target: { kind: RecurringJob, namespace: metadata.namespace!, name: metadata.name! },
    patch: { metadata: { annotations: { [LAST_RUN]: formatTime(due) } } },
  }
}

function counted(job: RecurringJob): object {
  return { ...job.status, executionCount: (job.status?.executionCount ?? 0) + 1 }
}

function canRun({ status, metadata }: Volume, wakesDetached: boolean): boolean {
  if (metadata.deletionTimestamp || status?.robustness === 'faulted') return false
  return status?.state === 'attached' || (status?.state === 'detached' && wakesDetached)
}

const isOf = (job: RecurringJob, snapshot: Snapshot): boolean =>
  snapshot.spec?.labels?.[MADE_BY] === job.metadata.name

function isMoving(job: RecurringJob, snapshot: Snapshot): boolean {
  return isOf(job, snapshot) && snapshot.status?.readyToUse !== true && !snapshot.status?.error
}

function workOn(job: RecurringJob, one: JobVolume, due: number): readonly Action[] {
  const { volume, snapshots, isUnchanged } = one
  if (!job.spec?.task?.startsWith('snapshot')) return []
  if (job.spec.task === 'snapshot-cleanup' || job.spec.task === 'snapshot-delete') return []
  const name = `${job.metadata.name}-${due / 60_000}-${shortHash(volume.metadata.name!, 8)}`
  if (snapshots.some((snapshot) => snapshot.metadata.name === name)) return []
  if (job.spec.task === 'snapshot' && isUnchanged && snapshots.length > 0) return []
  const object: Snapshot = {
    apiVersion: apiVersionOf(Snapshot),
    kind: Snapshot.kind,
    metadata: { name, namespace: volume.metadata.namespace! },
    spec: {
      volume: volume.metadata.name!,
      createSnapshot: true,
      labels: { ...job.spec.labels, [MADE_BY]: job.metadata.name! },
    },
  }
  return [{ do: 'create', kind: Snapshot, object }]
}

const createdAt = (snapshot: Snapshot): string =>
  snapshot.status?.creationTime || snapshot.metadata.creationTimestamp || ''

/** What its time deletes, and what its own bound deletes at any time. */
function beyond(
  job: RecurringJob,
  standing: readonly Snapshot[],
  newest: readonly Snapshot[],
  isDue: boolean,
): readonly Snapshot[] {
  const { task, retain = 0 } = job.spec ?? {}
  if (task === 'snapshot-cleanup')
    return isDue ? standing.filter((one) => one.status?.userCreated === false) : []
  if (task === 'snapshot-delete') return isDue ? newest.slice(retain) : []
  return newest.filter((one) => isOf(job, one)).slice(retain)
}

/** What is beyond the job's bound. Snapshots of others are touched only by the task that is for that. */
function surplus(job: RecurringJob, { snapshots }: JobVolume, isDue: boolean): readonly Action[] {
  const standing = snapshots.filter(
    ({ metadata, status }) => !metadata.deletionTimestamp && status?.readyToUse,
  )
  const newest = [...standing].sort((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1))
  const gone = beyond(job, standing, newest, isDue)
  return gone.map(({ metadata }) => ({
    do: 'delete',
    target: { kind: Snapshot, namespace: metadata.namespace!, name: metadata.name!, uid: metadata.uid! },
  }))
}

/** Whether the volume belongs to the job: named by it, by one of its groups, or by nobody for `default`. */
export function belongsTo(volume: Volume, job: RecurringJob): boolean {
  const labels = volume.metadata.labels ?? {}
  const names = Object.keys(labels).filter((key) => labels[key] === 'enabled')
  if (names.includes(`${JOB_LABEL}${job.metadata.name}`)) return true
  const groups = job.spec?.groups ?? []
  if (groups.some((group) => names.includes(`${GROUP_LABEL}${group}`))) return true
  const named = names.some(
    (name) => (name.startsWith(JOB_LABEL) && name !== `${JOB_LABEL}source`) || name.startsWith(GROUP_LABEL),
  )
  return !named && groups.includes('default')
}

function isUnchanged(engine: Engine | undefined): boolean {
  const head = engine?.status?.snapshots?.['volume-head']
  return head !== undefined && (head.size ?? '') === '0'
}

export const recurringJobDecider: Decider<typeof RecurringJob, SeenJob> = {
  name: 'recurring-job',
  kind: RecurringJob,
  settleMs: 1_000,
  watches: [
    {
      kind: Snapshot,
      keys: (object) => {
        const name = (object as Snapshot).spec?.labels?.[MADE_BY]
        return name ? [`${object.metadata.namespace}/${name}`] : []
      },
    },
    { kind: Volume, keys: () => [] },
    { kind: Engine, keys: () => [] },
    { kind: Setting, keys: () => [] },
  ],
  gather: (job, look) => {
    const { namespace } = job.metadata
    const allow = look.get(Setting, namespace, 'allow-recurring-job-while-volume-detached')
    return {
      job,
      volumes: look
        .list(Volume, namespace)
        .filter((volume) => belongsTo(volume, job))
        .map((volume) => ({
          volume,
          snapshots: look.byIndex(Snapshot, SNAPSHOTS_BY_VOLUME, volume.metadata.name!),
          isUnchanged: isUnchanged(look.get(Engine, namespace, engineName(volume))),
        })),
      wakesDetached: allow?.value === 'true',
    }
  },
  decide: decideJob,
}
