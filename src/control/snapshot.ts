// Decides one Snapshot of Longhorn: what it says while its volume is not there, and when the object may go. Taking
// and removing the data is the agent's; the volume is attached for it as long as a snapshot needs that.
import type { Action, Decider, Decision } from '../kinds/decide.ts'
import { Engine } from '../kinds/longhorn/engine.ts'
import { Snapshot } from '../kinds/longhorn/snapshot.ts'
import { Volume } from '../kinds/longhorn/volume.ts'
import { setFinalizers } from './finalizers.ts'
import { engineName, LONGHORN_FINALIZER } from './volume/children.ts'
import type { Wish } from './volume/wishes.ts'

export const SNAPSHOTS_BY_VOLUME = 'snapshot-volume'

export interface SeenSnapshot {
  readonly snapshot: Snapshot
  readonly volume: Volume | undefined
  readonly engine: Engine | undefined
}

/** Whether the replicas hold it, as far as is known: the running engine's word, else the snapshot's own. */
function isOnDisk({ snapshot, engine }: SeenSnapshot): boolean {
  const { name = '' } = snapshot.metadata
  const known = engine?.status?.currentState === 'running' ? engine.status.snapshots : undefined
  if (known) return known[name] !== undefined
  return Boolean(snapshot.status?.creationTime)
}

/** It still has to be taken. */
function isWaited(snapshot: Snapshot): boolean {
  const { status, spec } = snapshot
  return spec?.createSnapshot === true && !status?.creationTime && !status?.error
}

/** What a snapshot wants its volume attached for: to be taken, or to be removed. */
export function snapshotWishes(snapshots: readonly Snapshot[], engine: Engine | undefined): readonly Wish[] {
  return snapshots
    .filter((snapshot) =>
      snapshot.metadata.deletionTimestamp
        ? isOnDisk({ snapshot, engine, volume: undefined })
        : isWaited(snapshot),
    )
    .map((snapshot) => ({ id: `snapshot-${snapshot.metadata.name}`, type: 'snapshot-controller' }))
}

export function decideSnapshot(seen: SeenSnapshot, _now: number): Decision {
  const { snapshot, volume } = seen
  const isGone = !volume || volume.metadata.deletionTimestamp !== undefined
  if (snapshot.metadata.deletionTimestamp)
    return isGone || !isOnDisk(seen) ? { actions: release(snapshot) } : { actions: [] }
  // The volume's own deletion takes its snapshots along.
  if (volume || snapshot.status?.error) return { actions: [] }
  const error = `volume ${snapshot.spec?.volume} does not exist`
  return { actions: [], status: { ...snapshot.status, readyToUse: false, error } as never }
}

function release(snapshot: Snapshot): readonly Action[] {
  const finalizers = snapshot.metadata.finalizers ?? []
  if (!finalizers.includes(LONGHORN_FINALIZER)) return []
  const rest = finalizers.filter((word) => word !== LONGHORN_FINALIZER)
  return [setFinalizers(Snapshot, snapshot, rest)]
}

const keyOf = ({ metadata }: Snapshot): string => `${metadata.namespace}/${metadata.name}`

export const snapshotDecider: Decider<typeof Snapshot, SeenSnapshot> = {
  name: 'snapshot',
  kind: Snapshot,
  indexes: [
    {
      kind: Snapshot,
      name: SNAPSHOTS_BY_VOLUME,
      values: (object) => [(object as Snapshot).spec?.volume ?? ''],
    },
  ],
  watches: [
    {
      kind: Volume,
      keys: ({ metadata }, look) => look.byIndex(Snapshot, SNAPSHOTS_BY_VOLUME, metadata.name!).map(keyOf),
    },
    {
      kind: Engine,
      // Only those on their way out wait for the engine.
      keys: (object, look) =>
        look
          .byIndex(Snapshot, SNAPSHOTS_BY_VOLUME, (object as Engine).spec?.volumeName ?? '')
          .filter(({ metadata }) => metadata.deletionTimestamp)
          .map(keyOf),
    },
  ],
  gather: (snapshot, look) => {
    const { namespace } = snapshot.metadata
    const volume = look.get(Volume, namespace, snapshot.spec?.volume ?? '')
    return { snapshot, volume, engine: volume && look.get(Engine, namespace, engineName(volume)) }
  },
  decide: decideSnapshot,
}
