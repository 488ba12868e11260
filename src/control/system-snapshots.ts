// Decides the snapshots that an engine tells of and that nobody asked for: those of rebuilds get an object, so that
// people see what takes room, and go again once no rebuild needs them.
import type { JsonObject } from '../base/json.ts'
import { formatTime } from '../base/time.ts'
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { apiVersionOf } from '../kinds/kind.ts'
import { Engine } from '../kinds/longhorn/engine.ts'
import { Setting } from '../kinds/longhorn/setting.ts'
import { Snapshot } from '../kinds/longhorn/snapshot.ts'
import { SNAPSHOTS_BY_VOLUME } from './snapshot.ts'
import { LONGHORN_FINALIZER } from './volume/children.ts'
import { engineRuns } from './volume/replicas.ts'
import { storageSettings } from './volume/settings.ts'

/** Longhorn's name for what is written to. */
const HEAD = 'volume-head'
/** A rebuild makes a snapshot and uses it at once; it is looked at when that is over. */
const SETTLE_MS = 2_000

type Told = NonNullable<NonNullable<Engine['status']>['snapshots']>[string]

export interface SeenEngineSnapshots {
  readonly engine: Engine
  readonly snapshots: readonly Snapshot[]
  readonly cleansUp: boolean
}

export function decideEngineSnapshots(seen: SeenEngineSnapshots, now: number): Decision {
  const { engine, snapshots } = seen
  if (!engineRuns(engine) || engine.metadata.deletionTimestamp) return { actions: [] }
  const told = engine.status?.snapshots ?? {}
  const present = new Map(snapshots.map((snapshot) => [snapshot.metadata.name!, snapshot]))
  const actions = Object.entries(told).flatMap(([name, one]): readonly Action[] => {
    if (name === HEAD || one.removed) return []
    const snapshot = present.get(name)
    if (!snapshot) return [creation(engine, name, one)]
    if (snapshot.spec?.createSnapshot || snapshot.metadata.deletionTimestamp) return []
    return [...projection(snapshot, one, engine, now), ...cleanUp(seen, snapshot, one)]
  })
  return { actions }
}

function creation({ metadata, spec }: Engine, name: string, told: Told): Action {
  const object: Snapshot = {
    apiVersion: apiVersionOf(Snapshot),
    kind: Snapshot.kind,
    metadata: { name, namespace: metadata.namespace!, finalizers: [LONGHORN_FINALIZER] },
    spec: { volume: spec?.volumeName ?? '', createSnapshot: false, labels: told.labels ?? {} },
  }
  return { do: 'create', kind: Snapshot, object }
}

/** What the engine says of a snapshot that no agent writes for. */
function projection(snapshot: Snapshot, told: Told, engine: Engine, now: number): readonly Action[] {
  const status = {
    readyToUse: true,
    userCreated: told.usercreated ?? false,
    creationTime: told.created || formatTime(now),
    parent: told.parent ?? '',
    size: Number(told.size ?? 0),
    restoreSize: Number(engine.status?.currentSize ?? 0),
  }
  const before = snapshot.status as JsonObject | undefined
  const fixed = before?.['creationTime'] ? { ...status, creationTime: before['creationTime'] } : status
  const changed = Object.entries(fixed).filter(([key, value]) => before?.[key] !== value)
  if (changed.length === 0) return []
  const { namespace, name } = snapshot.metadata
  return [
    {
      do: 'patch',
      target: { kind: Snapshot, namespace: namespace!, name: name! },
      subresource: 'status',
      patch: { status: Object.fromEntries(changed) as never },
    },
  ]
}

function cleanUp(
  { engine, cleansUp }: SeenEngineSnapshots,
  snapshot: Snapshot,
  told: Told,
): readonly Action[] {
  const modes = engine.status?.replicaModeMap ?? {}
  const wanted = Object.keys(engine.spec?.replicaAddressMap ?? {})
  const rebuilds = wanted.some((name) => modes[name] !== 'RW')
  if (!cleansUp || rebuilds || told.usercreated) return []
  const { namespace, name, uid } = snapshot.metadata
  return [{ do: 'delete', target: { kind: Snapshot, namespace: namespace!, name: name!, uid: uid! } }]
}

export const systemSnapshotsDecider: Decider<typeof Engine, SeenEngineSnapshots> = {
  name: 'system-snapshots',
  kind: Engine,
  settleMs: SETTLE_MS,
  watches: [
    { kind: Snapshot, keys: () => [] },
    { kind: Setting, keys: () => [] },
  ],
  gather: (engine, look) => ({
    engine,
    snapshots: look.byIndex(Snapshot, SNAPSHOTS_BY_VOLUME, engine.spec?.volumeName ?? ''),
    cleansUp: storageSettings(look, engine.metadata.namespace).cleansSystemSnapshots,
  }),
  decide: decideEngineSnapshots,
}
