// A volume that is filled from another: from a snapshot, or from the volume as it is now, of which a passing snapshot
// is taken. The agents of its replicas copy; each tells how far it is on its Replica. Here the source is kept ready
// for that long, and the progress is told. Nothing of the source is needed afterwards.
import { shortHash } from '../../base/derived-name.ts'
import type { Action } from '../../kinds/decide.ts'
import { apiVersionOf } from '../../kinds/kind.ts'
import type { Replica } from '../../kinds/longhorn/replica.ts'
import { Snapshot } from '../../kinds/longhorn/snapshot.ts'
import type { Volume } from '../../kinds/longhorn/volume.ts'
import type { Wish } from './wishes.ts'

/** On a Replica that is being filled: percent, `done`, or `failed: why`. Written by its agent. */
export const CLONE_PROGRESS = 'croft.io/clone-progress'
const SNAPSHOT_SOURCE = /^snap:\/\/([^/]+)\/([^/]+)$/
const VOLUME_SOURCE = /^vol:\/\/([^/]+)$/

export interface CloneSource {
  readonly volume: string
  /** The snapshot that is copied. */
  readonly snapshot: string
  /** It was taken for the copy alone, and goes with it. */
  readonly isPassing: boolean
}

/** What a volume is filled from; undefined for one that starts empty or from an image. */
export function cloneSourceOf(volume: Volume): CloneSource | undefined {
  const text = volume.spec?.dataSource ?? ''
  const snapshot = SNAPSHOT_SOURCE.exec(text)
  if (snapshot) return { volume: snapshot[1]!, snapshot: snapshot[2]!, isPassing: false }
  const whole = VOLUME_SOURCE.exec(text)
  return whole
    ? { volume: whole[1]!, snapshot: `clone-${shortHash(volume.metadata.uid ?? '', 10)}`, isPassing: true }
    : undefined
}

export function isFilled(volume: Volume): boolean {
  return cloneSourceOf(volume) === undefined || volume.status?.cloneStatus?.state === 'completed'
}

/** What the source of a copy under way is attached for. */
export function cloneWishes(targets: readonly Volume[]): readonly Wish[] {
  return targets
    .filter((target) => !target.metadata.deletionTimestamp && !isFilled(target))
    .filter((target) => target.status?.cloneStatus?.state !== 'failed')
    .map((target) => ({ id: `clone-${target.metadata.name}`, type: 'volume-clone-controller' }))
}

export interface CloneSeen {
  readonly volume: Volume
  readonly replicas: readonly Replica[]
  readonly sourceVolume: Volume | undefined
  readonly sourceSnapshot: Snapshot | undefined
}

type CloneStatus = NonNullable<NonNullable<Volume['status']>['cloneStatus']>

export interface CloneAnswer {
  readonly actions: readonly Action[]
  readonly status?: CloneStatus
  /** What it waits for, in words. */
  readonly waits?: string
}

export function decideClone(seen: CloneSeen): CloneAnswer {
  const { volume, replicas, sourceVolume, sourceSnapshot } = seen
  const source = cloneSourceOf(volume)
  if (!source) return { actions: [] }
  const before = volume.status?.cloneStatus
  const base: CloneStatus = {
    sourceVolume: source.volume,
    snapshot: source.snapshot,
    attemptCount: before?.attemptCount ?? 1,
    nextAllowedAttemptAt: before?.nextAllowedAttemptAt ?? '',
    state: before?.state ?? '',
  }
  if (before?.state === 'completed') return { actions: cleanUp(source, sourceSnapshot), status: base }
  const progress = replicas.map((replica) => replica.metadata.annotations?.[CLONE_PROGRESS] ?? '')
  if (replicas.length > 0 && progress.every((text) => text === 'done'))
    return { actions: cleanUp(source, sourceSnapshot), status: { ...base, state: 'completed' } }
  if (!sourceVolume || sourceVolume.metadata.deletionTimestamp)
    return {
      actions: [],
      status: { ...base, state: 'failed' },
      waits: `source volume ${source.volume} does not exist any more`,
    }
  const started = { ...base, state: before?.state === 'copy-in-progress' ? 'copy-in-progress' : 'initiated' }
  if (!sourceSnapshot)
    return source.isPassing
      ? { actions: [passing(volume, source)], status: started }
      : {
          actions: [],
          status: started,
          waits: `snapshot ${source.snapshot} of ${source.volume} does not exist`,
        }
  if (sourceSnapshot.status?.readyToUse !== true)
    return { actions: [], status: started, waits: `snapshot ${source.snapshot} is not ready yet` }
  const failed = progress.find((text) => text.startsWith('failed'))
  const moving = progress.some((text) => text !== '' && !text.startsWith('failed'))
  return {
    actions: [],
    status: { ...started, state: moving ? 'copy-in-progress' : 'initiated' },
    waits: failed ? `copying failed and is tried again: ${failed}` : progressText(progress),
  }
}

function progressText(progress: readonly string[]): string {
  const numbers = progress.map((text) => (text === 'done' ? 100 : Number.parseInt(text, 10) || 0))
  const least = numbers.length === 0 ? 0 : Math.min(...numbers)
  return `its content is being copied: ${least}%`
}

function passing(volume: Volume, source: CloneSource): Action {
  const object: Snapshot = {
    apiVersion: apiVersionOf(Snapshot),
    kind: Snapshot.kind,
    metadata: {
      name: source.snapshot,
      namespace: volume.metadata.namespace!,
      annotations: { 'croft.io/clone-of': volume.metadata.name! },
    },
    spec: { volume: source.volume, createSnapshot: true, labels: {} },
  }
  return { do: 'create', kind: Snapshot, object }
}

function cleanUp(source: CloneSource, snapshot: Snapshot | undefined): readonly Action[] {
  if (!source.isPassing || !snapshot || snapshot.metadata.deletionTimestamp) return []
  const { namespace, name, uid } = snapshot.metadata
  return [{ do: 'delete', target: { kind: Snapshot, namespace: namespace!, name: name!, uid: uid! } }]
}
