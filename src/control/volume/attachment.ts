// The attach and detach machine of one volume, as Longhorn's clients know it: replicas start before the engine,
// the engine stops before the replicas, and a volume changes its node only through `detached`.
import { deepEqual } from '../../base/equality.ts'
import type { Action } from '../../kinds/decide.ts'
import { Engine } from '../../kinds/longhorn/engine.ts'
import { Replica } from '../../kinds/longhorn/replica.ts'
import { Volume } from '../../kinds/longhorn/volume.ts'

export type VolumeState = 'creating' | 'attaching' | 'attached' | 'detaching' | 'detached' | 'deleting'

export interface AttachmentSeen {
  readonly volume: Volume
  readonly engine: Engine
  /** Replicas that may serve: not failed, not being deleted. */
  readonly replicas: readonly Replica[]
  /** Node whose workload needs the volume; undefined when none does. */
  readonly wantedNode: string | undefined
}

export interface AttachmentAnswer {
  readonly actions: readonly Action[]
  readonly state: VolumeState
}

const isRunning = (object: Engine | Replica): boolean => object.status?.currentState === 'running'
/** An instance that was never started has no state yet. */
const isStopped = (object: Engine | Replica): boolean =>
  ['stopped', 'error', '', undefined].includes(object.status?.currentState)

/** It lost what it stood on; it starts anew only after a stop. */
const isBroken = (engine: Engine): boolean => engine.status?.currentState === 'error'

function want(
  kind: typeof Engine | typeof Replica,
  object: Engine | Replica,
  spec: Readonly<Record<string, unknown>>,
): readonly Action[] {
  const present = (object.spec ?? {}) as Readonly<Record<string, unknown>>
  // By meaning, not by text: replicas are listed in another order after a restart.
  const differs = Object.entries(spec).some(([key, value]) => !deepEqual(present[key], value))
  if (!differs) return []
  const { name, namespace } = object.metadata
  // A replica that left the address map must be removed from it by name, as merge patches want it.
  const addresses = spec['replicaAddressMap'] as Record<string, string> | undefined
  const stale = Object.keys((present['replicaAddressMap'] ?? {}) as object).filter(
    (key) => !(key in (addresses ?? {})),
  )
  const patch = addresses
    ? { ...spec, replicaAddressMap: { ...addresses, ...Object.fromEntries(stale.map((key) => [key, null])) } }
    : spec
  return [
    { do: 'patch', target: { kind, namespace: namespace!, name: name! }, patch: { spec: patch as never } },
  ]
}

function setNode(volume: Volume, nodeID: string): Action {
  const { name, namespace } = volume.metadata
  return {
    do: 'patch',
    target: { kind: Volume, namespace: namespace!, name: name! },
    patch: { spec: { nodeID } },
  }
}

function stop({ volume, engine, replicas }: AttachmentSeen): AttachmentAnswer {
  const stopEngine = want(Engine, engine, { desireState: 'stopped' })
  // One in error has not let go yet: its agent must hear of the stop before it hears of a new start.
  if (!isStopped(engine) || isBroken(engine)) return { actions: stopEngine, state: 'detaching' }
  const stopReplicas = replicas.flatMap((replica) => want(Replica, replica, { desireState: 'stopped' }))
  if (!replicas.every(isStopped)) return { actions: [...stopEngine, ...stopReplicas], state: 'detaching' }
  const release = volume.spec?.nodeID ? [setNode(volume, ''), ...want(Engine, engine, { nodeID: '' })] : []
  return { actions: [...stopEngine, ...stopReplicas, ...release], state: 'detached' }
}

function start(seen: AttachmentSeen, nodeID: string): AttachmentAnswer {
  const { engine, replicas } = seen
  const startReplicas = replicas.flatMap((replica) => want(Replica, replica, { desireState: 'running' }))
  const ready = replicas.length > 0 && replicas.every(isRunning)
  if (!ready) return { actions: startReplicas, state: 'attaching' }
  const replicaAddressMap = Object.fromEntries(
    replicas.map((replica) => [
      replica.metadata.name!,
      `${replica.status?.storageIP ?? ''}:${replica.status?.port ?? 0}`,
    ]),
  )
  const startEngine = want(Engine, engine, { nodeID, desireState: 'running', replicaAddressMap })
  const attached = isRunning(engine) && Boolean(engine.status?.endpoint) && startEngine.length === 0
  return { actions: [...startReplicas, ...startEngine], state: attached ? 'attached' : 'attaching' }
}

/** What to do next so that the volume is where it is wanted, and how that is called meanwhile. */
export function decideAttachment(seen: AttachmentSeen): AttachmentAnswer {
  const current = seen.volume.spec?.nodeID || undefined
  const { wantedNode } = seen
  if (current === undefined) {
    if (wantedNode === undefined) return stop(seen)
    const started = start(seen, wantedNode)
    return { actions: [setNode(seen.volume, wantedNode), ...started.actions], state: 'attaching' }
  }
  return current === wantedNode && !isBroken(seen.engine) ? start(seen, current) : stop(seen)
}
