// Longhorn's settings: names, defaults, what values they take, and whether they do anything here. Defaults are
// Longhorn's, where Harvester ships another it is Harvester's.
import type { KubeObject } from '../../base/object.ts'

export type SettingForm =
  | { readonly form: 'text' }
  | { readonly form: 'flag' }
  | { readonly form: 'whole'; readonly least: number; readonly most: number }
  | { readonly form: 'word'; readonly words: readonly string[] }

export type SettingDefinition = SettingForm & {
  readonly name: string
  readonly value: string
  /** `kept` works as in Longhorn, `stored` is accepted and shown and does nothing, `fixed` cannot be changed. */
  readonly effect: 'kept' | 'stored' | 'fixed'
}

type Effect = SettingDefinition['effect']

const flag = (name: string, value: boolean, effect: Effect = 'stored'): SettingDefinition => ({
  name,
  value: String(value),
  form: 'flag',
  effect,
})
const text = (name: string, value: string, effect: Effect = 'stored'): SettingDefinition => ({
  name,
  value,
  form: 'text',
  effect,
})
function whole(
  name: string,
  value: number,
  range: readonly [number, number],
  effect: Effect = 'stored',
): SettingDefinition {
  return { name, value: String(value), form: 'whole', least: range[0], most: range[1], effect }
}
const word = (
  name: string,
  value: string,
  words: readonly string[],
  effect: Effect = 'stored',
): SettingDefinition => ({ name, value, form: 'word', words, effect })

const MANY = 1_000_000
export const CROFT_ENGINE_IMAGE = 'croft/engine'

export const storageSettingDefinitions: readonly SettingDefinition[] = [
  flag('allow-recurring-job-while-volume-detached', false, 'kept'),
  flag('create-default-disk-labeled-nodes', false),
  text('default-data-path', '/var/lib/croft/disks/default'),
  word('default-data-locality', 'disabled', ['disabled', 'best-effort', 'strict-local']),
  whole('default-replica-count', 3, [1, 20]),
  whole('default-min-number-of-backing-image-copies', 1, [1, 20], 'kept'),
  text('default-longhorn-static-storage-class', 'longhorn-static'),
  flag('replica-soft-anti-affinity', false, 'kept'),
  flag('replica-zone-soft-anti-affinity', true, 'kept'),
  flag('replica-disk-soft-anti-affinity', true, 'kept'),
  word('replica-auto-balance', 'disabled', ['disabled', 'least-effort', 'best-effort'], 'kept'),
  whole('replica-auto-balance-disk-pressure-percentage', 90, [0, 99], 'kept'),
  whole('storage-over-provisioning-percentage', 100, [0, MANY], 'kept'),
  whole('storage-minimal-available-percentage', 25, [0, 100], 'kept'),
  whole('storage-reserved-percentage-for-default-disk', 30, [0, 100]),
  flag('allow-volume-creation-with-degraded-availability', true),
  flag('allow-empty-node-selector-volume', true, 'kept'),
  flag('allow-empty-disk-selector-volume', true, 'kept'),
  flag('disable-scheduling-on-cordoned-node', true, 'kept'),
  flag('auto-salvage', true, 'kept'),
  flag('auto-delete-pod-when-volume-detached-unexpectedly', true),
  word('node-down-pod-deletion-policy', 'do-nothing', [
    'do-nothing',
    'delete-statefulset-pod',
    'delete-deployment-pod',
    'delete-both-statefulset-and-deployment-pod',
  ]),
  word('node-drain-policy', 'block-if-contains-last-replica', [
    'block-if-contains-last-replica',
    'allow-if-replica-is-stopped',
    'always-allow',
    'block-for-eviction',
    'block-for-eviction-if-contains-last-replica',
  ]),
  flag('detach-manually-attached-volumes-when-cordoned', false),
  whole('replica-replenishment-wait-interval', 600, [0, MANY], 'kept'),
  whole('concurrent-replica-rebuild-per-node-limit', 5, [0, 1000], 'kept'),
  whole('replica-rebuild-concurrent-sync-limit', 1, [1, 5]),
  flag('offline-replica-rebuilding', false, 'kept'),
  flag('fast-replica-rebuild-enabled', true),
  whole('replica-file-sync-http-client-timeout', 30, [5, 120]),
  whole('long-grpc-timeout', 86_400, [1, 604_800]),
  whole('engine-replica-timeout', 8, [8, 30]),
  flag('disable-revision-counter', true),
  word('snapshot-data-integrity', 'fast-check', ['disabled', 'enabled', 'fast-check']),
  flag('snapshot-data-integrity-immediate-check-after-snapshot-creation', false),
  text('snapshot-data-integrity-cronjob', '0 0 */7 * *'),
  whole('snapshot-max-count', 250, [2, 250]),
  whole('snapshot-count-warning-threshold', 100, [1, 250], 'kept'),
  whole('snapshot-heavy-task-concurrent-limit', 5, [1, 100]),
  flag('disable-snapshot-purge', false),
  flag('auto-cleanup-system-generated-snapshot', true, 'kept'),
  flag('auto-cleanup-recurring-job-backup-snapshot', true),
  flag('auto-cleanup-snapshot-when-delete-backup', true),
  flag('auto-cleanup-snapshot-after-on-demand-backup-completed', false),
  flag('remove-snapshots-during-filesystem-trim', false),
  flag('freeze-filesystem-for-snapshot', false),
  word('backup-compression-method', 'lz4', ['none', 'lz4', 'gzip']),
  word('default-backup-block-size', '2', ['2', '16']),
  whole('backup-concurrent-limit', 2, [1, 100]),
  whole('restore-concurrent-limit', 2, [1, 100]),
  whole('concurrent-volume-backup-restore-per-node-limit', 5, [0, 1000]),
  whole('backup-execution-timeout', 1, [1, MANY]),
  whole('failed-backup-ttl', 1440, [0, MANY]),
  flag('restore-volume-recurring-jobs', false),
  whole('recurring-successful-jobs-history-limit', 1, [0, 1000]),
  whole('recurring-failed-jobs-history-limit', 1, [0, 1000]),
  whole('recurring-job-max-retention', 100, [1, 250], 'kept'),
  whole('backing-image-cleanup-wait-interval', 60, [0, MANY]),
  whole('backing-image-recovery-wait-interval', 300, [0, MANY]),
  whole('concurrent-backing-image-replenish-per-node-limit', 5, [0, 1000]),
  whole('concurrent-automatic-engine-upgrade-per-node-limit', 3, [0, 1000]),
  text('orphan-resource-auto-deletion', 'instance'),
  whole('orphan-resource-auto-deletion-grace-period', 300, [0, MANY]),
  whole('guaranteed-instance-manager-cpu', 12, [0, 40]),
  text('priority-class', 'system-cluster-critical'),
  text('taint-toleration', ''),
  text('system-managed-components-node-selector', ''),
  word('system-managed-pods-image-pull-policy', 'if-not-present', ['always', 'if-not-present', 'never']),
  flag('kubernetes-cluster-autoscaler-enabled', false),
  text('storage-network', ''),
  flag('rwx-volume-fast-failover', false),
  flag('node-disk-health-monitoring', true),
  whole('support-bundle-failed-history-limit', 1, [0, 1000]),
  whole('support-bundle-node-collection-timeout', 30, [1, MANY]),
  flag('deleting-confirmation-flag', false),
  flag('allow-collecting-longhorn-usage-metrics', false),
  flag('upgrade-checker', false),
  word('log-level', 'Info', ['Panic', 'Fatal', 'Error', 'Warn', 'Info', 'Debug', 'Trace']),
  flag('v1-data-engine', true, 'fixed'),
  flag('v2-data-engine', false, 'fixed'),
  text('current-longhorn-version', 'v1.12.1', 'fixed'),
  text('default-engine-image', CROFT_ENGINE_IMAGE, 'fixed'),
]

const byName = new Map(storageSettingDefinitions.map((one) => [one.name, one]))

export function settingDefinition(name: string): SettingDefinition | undefined {
  return byName.get(name)
}

/** Why the value cannot be taken; undefined when it can. */
export function settingProblem(definition: SettingDefinition, value: string): string | undefined {
  const { name } = definition
  if (definition.effect === 'fixed' && value !== definition.value)
    return name === 'v2-data-engine'
      ? 'the second data engine of Longhorn is not served; volumes are of data engine v1'
      : `setting ${name} is read-only`
  if (definition.form === 'flag')
    return value === 'true' || value === 'false' ? undefined : `${name} must be true or false`
  if (definition.form === 'word')
    return definition.words.includes(value)
      ? undefined
      : `${name} must be one of ${definition.words.join(', ')}`
  if (definition.form === 'whole') {
    const { least, most } = definition
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN
    return number >= least && number <= most
      ? undefined
      : `${name} must be a whole number from ${least} to ${most}`
  }
  return undefined
}

/** Every setting with its default, as objects. */
export function storageSettingObjects(): readonly KubeObject[] {
  return storageSettingDefinitions.map(({ name, value }) => ({
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Setting',
    metadata: { name, namespace: 'longhorn-system' },
    value,
    status: { applied: true },
  }))
}

/** What clients of Longhorn look for before they believe that it is there. */
export function storageObjects(): readonly KubeObject[] {
  const snapshotClass = (name: string, type: string, isDefault: boolean): KubeObject => ({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: {
      name,
      ...(isDefault ? { annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } } : {}),
    },
    driver: 'driver.longhorn.io',
    deletionPolicy: 'Delete',
    parameters: { type },
  })
  return [
    ...storageSettingObjects(),
    snapshotClass('longhorn-snapshot', 'snap', true),
    snapshotClass('longhorn', 'bak', false),
    {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'EngineImage',
      metadata: { name: 'ei-croft', namespace: 'longhorn-system' },
      spec: { image: CROFT_ENGINE_IMAGE },
      status: { state: 'deployed', refCount: 0, noRefSince: '', incompatible: false },
    },
  ]
}
