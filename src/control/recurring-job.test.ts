import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTime } from '../base/time.ts'
import type { RecurringJob } from '../kinds/longhorn/recurring-job.ts'
import type { Snapshot } from '../kinds/longhorn/snapshot.ts'
import type { Volume } from '../kinds/longhorn/volume.ts'
import { belongsTo, decideJob, type JobVolume, type SeenJob } from './recurring-job.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 11, 1, 0, 30)
const ONE = Date.UTC(2026, 11, 1, 1, 0)

function job(spec: object = {}, lastRun?: number): RecurringJob {
  return {
    metadata: {
      name: 'hourly',
      namespace: 'longhorn-system',
      creationTimestamp: formatTime(START),
      ...(lastRun === undefined ? {} : { annotations: { 'croft.io/last-run': formatTime(lastRun) } }),
    },
    spec: { task: 'snapshot', cron: '0 * * * *', retain: 2, concurrency: 5, groups: ['default'], ...spec },
  } as unknown as RecurringJob
}

const snapshot = (name: string, hour: number, made = 'hourly', more: object = {}): Snapshot =>
  ({
    metadata: { name, namespace: 'longhorn-system', uid: name },
    spec: { volume: 'v', labels: made ? { RecurringJob: made } : {} },
    status: { readyToUse: true, creationTime: formatTime(START + hour * HOUR), userCreated: true, ...more },
  }) as unknown as Snapshot

function on(name: string, more: Partial<JobVolume> = {}, state = 'attached'): JobVolume {
  const volume = { metadata: { name, namespace: 'longhorn-system' }, status: { state } } as unknown as Volume
  return { volume, snapshots: [], isUnchanged: false, ...more }
}

const seen = (
  one: RecurringJob,
  volumes: readonly JobVolume[] = [on('v')],
  more: Partial<SeenJob> = {},
): SeenJob => ({
  job: one,
  volumes,
  wakesDetached: false,
  ...more,
})
const words = (input: SeenJob, now: number): readonly string[] =>
  decideJob(input, now).actions.map((action) =>
    action.do === 'create'
      ? `create ${action.object.metadata.name?.slice(0, 6)}`
      : action.do === 'delete'
        ? `delete ${action.target.name}`
        : action.do,
  )

test('before its time nothing is done, and it wakes at its time', () => {
  const answer = decideJob(seen(job()), START + 60_000)
  assert.deepEqual(answer.actions, [])
  assert.equal(answer.wakeAt, ONE)
})

test('at its time each volume gets one snapshot, the run is noted, and the same time makes nothing twice', () => {
  assert.deepEqual(words(seen(job(), [on('v'), on('w')]), ONE), ['create hourly', 'create hourly', 'patch'])
  const first = decideJob(seen(job()), ONE).actions[0]
  const name = first?.do === 'create' ? first.object.metadata.name! : ''
  const made = on('v', { snapshots: [snapshot(name, 1)] })
  assert.deepEqual(words(seen(job(), [made]), ONE + 1_000), ['patch'])
  assert.deepEqual(words(seen(job({}, ONE), [made]), ONE + 1_000), [])
})

test('runs that were missed are made up for once, with the latest time', () => {
  const late = decideJob(seen(job()), ONE + 5 * HOUR + 60_000)
  const patch = late.actions.at(-1)
  assert.match(JSON.stringify(patch?.do === 'patch' && patch.patch), /2026-12-01T06:00:00Z/)
  assert.equal(late.actions.length, 2)
})

test('only as many volumes at a time as it may, and the rest afterwards', () => {
  const three = [on('u'), on('v'), on('w')]
  assert.deepEqual(words(seen(job({ concurrency: 1 }), three), ONE), ['create hourly'])
  const busy = on('u', { snapshots: [snapshot('hourly-x', 1, 'hourly', { readyToUse: false })] })
  assert.deepEqual(words(seen(job({ concurrency: 1 }), [busy, on('v')]), ONE), [])
})

test('of its own snapshots the newest stay; those of others are not touched', () => {
  const snapshots = [snapshot('a', 1), snapshot('b', 2), snapshot('c', 3), snapshot('mine', 0, '')]
  assert.deepEqual(words(seen(job({}, ONE), [on('v', { snapshots })]), ONE + 1_000), ['delete a'])
})

test('a detached volume is passed over unless that is wanted, a faulted one always; an unchanged one by `snapshot`', () => {
  const detached = on('v', {}, 'detached')
  assert.deepEqual(words(seen(job(), [detached]), ONE), ['patch'])
  assert.deepEqual(words(seen(job(), [detached], { wakesDetached: true }), ONE), ['create hourly', 'patch'])
  const unchanged = on('v', { isUnchanged: true, snapshots: [snapshot('a', 0)] })
  assert.deepEqual(words(seen(job(), [unchanged]), ONE), ['patch'])
  assert.deepEqual(words(seen(job({ task: 'snapshot-force-create' }), [unchanged]), ONE), [
    'create hourly',
    'patch',
  ])
})

test('deletion keeps the newest of all, and with 0 none; clean-up takes only those that nobody asked for', () => {
  const snapshots = [
    snapshot('a', 1, ''),
    snapshot('b', 2, ''),
    snapshot('sys', 3, '', { userCreated: false }),
  ]
  const all = [on('v', { snapshots })]
  const task = (name: string, retain: number): RecurringJob => job({ task: name, retain })
  assert.deepEqual(words(seen(task('snapshot-delete', 1), all), ONE), ['delete b', 'delete a', 'patch'])
  assert.equal(words(seen(task('snapshot-delete', 0), all), ONE).length, 4)
  assert.deepEqual(words(seen(task('snapshot-delete', 0), all), START + 1_000), [])
  assert.deepEqual(words(seen(task('snapshot-cleanup', 0), all), ONE), ['delete sys', 'patch'])
})

test('a volume belongs to a job by name, by group, or to `default` when it names none', () => {
  const volume = (labels: Record<string, string>): Volume =>
    ({ metadata: { name: 'v', labels } }) as unknown as Volume
  assert.ok(belongsTo(volume({}), job()))
  assert.ok(!belongsTo(volume({ 'recurring-job.longhorn.io/other': 'enabled' }), job()))
  assert.ok(belongsTo(volume({ 'recurring-job.longhorn.io/hourly': 'enabled' }), job({ groups: [] })))
  assert.ok(
    belongsTo(volume({ 'recurring-job-group.longhorn.io/gold': 'enabled' }), job({ groups: ['gold'] })),
  )
  assert.ok(!belongsTo(volume({}), job({ groups: ['gold'] })))
})
