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
  /** It will be wanted on some node in a moment: replicas start meanwhile, for whichever node it is. */
  readonly isAwaited?: boolean
  /** Names of the replicas that a start waits for, the committed set; others come in when they run. Absent: all. */
  readonly needed?: readonly string[]
  /** Nodes that do not answer: what ran there is not waited for, because a new epoch shuts it out. */
  readonly lostNodes?: ReadonlySet<string>
}

export interface AttachmentAnswer {
  readonly actions: readonly Action[]
  readonly state: VolumeState
}

const isRunning = (object: Engine | Replica): boolean => object.status?.currentState === 'running'
/** An instance that was never started has no state yet. */
const isStopped = (object: Engine | Replica): boolean =>
  ['stopped', 'error', '', undefined].includes(object.status?.currentState)

/** What its node reported last counts for nothing once that node is lost. */
function isOut(object: Engine | Replica, lostNodes: ReadonlySet<string> | undefined): boolean {
  return isStopped(object) || (lostNodes?.has(object.spec?.nodeID ?? '') ?? false)
}

/** It lost what it stood on; it starts anew only after a stop. */
const isBroken = (engine: Engine): boolean => engine.status?.currentState === 'error'

function want(
  kind: typeof Engine | typeof Replica,
  object: Engine | Replica,
  spec: Readonly<Record<string, unknown>>,
): readonly Action[] {
  const present = (object.spec ?? {}) as Readonly<Record<string, unknown>>
  // By meaning, not by text: replicas are listed in another order after a restart.
  const differing = Object.entries(spec).filter(([key, value]) => !deepEqual(present[key], value))
  if (differing.length === 0) return []
  const changed = Object.fromEntries(differing)
  const { name, namespace } = object.metadata
  // A replica that left the address map must be removed from it by name, as merge patches want it.
  const addresses = changed['replicaAddressMap'] as Record<string, string> | undefined
  const stale = Object.keys((present['replicaAddressMap'] ?? {}) as object).filter(
    (key) => !(key in (addresses ?? {})),
  )
  const patch = addresses
    ? {
        ...changed,
        replicaAddressMap: { ...addresses, ...Object.fromEntries(stale.map((key) => [key, null])) },
      }
    : changed
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

function stop({ volume, engine, replicas, lostNodes }: AttachmentSeen): AttachmentAnswer {
  const stopEngine = want(Engine, engine, { desireState: 'stopped' })
  // One in error has not let go yet: its agent must hear of the stop before it hears of a new start.
  const isHeld = isBroken(engine) && !lostNodes?.has(engine.spec?.nodeID ?? '')
  if (!isOut(engine, lostNodes) || isHeld) return { actions: stopEngine, state: 'detaching' }
  const stopReplicas = replicas.flatMap((replica) => want(Replica, replica, { desireState: 'stopped' }))
  if (!replicas.every((replica) => isOut(replica, lostNodes)))
    return { actions: [...stopEngine, ...stopReplicas], state: 'detaching' }
  const release = volume.spec?.nodeID ? [setNode(volume, ''), ...want(Engine, engine, { nodeID: '' })] : []
  return {
    actions: [...stopEngine, ...stopReplicas, ...writeOff(engine), ...release],
    state: 'detached',
  }
}

function warmUp({ replicas }: AttachmentSeen): AttachmentAnswer {
  const actions = replicas.flatMap((replica) => want(Replica, replica, { desireState: 'running' }))
  return { actions, state: 'detached' }
}

/** A lost node cannot say that its engine is no more; when it is back, it finds that it is not asked any more. */
function writeOff(engine: Engine): readonly Action[] {
  if (isStopped(engine)) return []
  const { name, namespace } = engine.metadata
  return [
    {
      do: 'patch',
      target: { kind: Engine, namespace: namespace!, name: name! },
      subresource: 'status',
      patch: { status: { currentState: 'stopped', endpoint: '', ownerID: '', replicaModeMap: null } },
    },
  ]
}

/** A replica on a lost node said last that it runs, and cannot be reached. */
function isUp(replica: Replica, { lostNodes }: AttachmentSeen): boolean {
  return isRunning(replica) && !lostNodes?.has(replica.spec?.nodeID ?? '')
}

/** The replicas that the engine is to use: those that run, and those it uses already until they are given up. */
function addressesFor(seen: AttachmentSeen): Readonly<Record<string, string>> {
  const { engine, replicas } = seen
  const present = isRunning(engine) ? (engine.spec?.replicaAddressMap ?? {}) : {}
  return Object.fromEntries(
    replicas.flatMap((replica) => {
      const name = replica.metadata.name!
      if (isUp(replica, seen)) {
        const { storageIP = '', port = 0 } = replica.status ?? {}
        return [[name, `${storageIP}:${port}`]]
      }
      return present[name] === undefined ? [] : [[name, present[name]]]
    }),
  )
}

function start(seen: AttachmentSeen, nodeID: string): AttachmentAnswer {
  const { volume, engine, replicas, needed } = seen
  const startReplicas = replicas.flatMap((replica) => want(Replica, replica, { desireState: 'running' }))
  const awaited = needed ? replicas.filter((replica) => needed.includes(replica.metadata.name!)) : replicas
  const ready = isRunning(engine) || (awaited.length > 0 && awaited.every((replica) => isUp(replica, seen)))
  if (!ready) return { actions: startReplicas, state: 'attaching' }
  const size = volume.spec?.size
  const startEngine = want(Engine, engine, {
    nodeID,
    desireState: 'running',
    replicaAddressMap: addressesFor(seen),
    ...(size === undefined || engine.spec?.volumeSize === undefined ? {} : { volumeSize: size }),
  })
  const owner = engine.status?.ownerID
  const isThere = isRunning(engine) && Boolean(engine.status?.endpoint) && (!owner || owner === nodeID)
  // One that serves stays attached while its replicas change.
  const isOn = isThere && engine.spec?.nodeID === nodeID && engine.spec.desireState === 'running'
  return { actions: [...startReplicas, ...startEngine], state: isOn ? 'attached' : 'attaching' }
}

/** What to do next so that the volume is where it is wanted, and how that is called meanwhile. */
export function decideAttachment(seen: AttachmentSeen): AttachmentAnswer {
  const current = seen.volume.spec?.nodeID || undefined
  const { wantedNode } = seen
  if (current === undefined) {
    if (wantedNode === undefined) return seen.isAwaited && isStopped(seen.engine) ? warmUp(seen) : stop(seen)
    const started = start(seen, wantedNode)
    return { actions: [setNode(seen.volume, wantedNode), ...started.actions], state: 'attaching' }
  }
  return current === wantedNode && !isBroken(seen.engine) ? start(seen, current) : stop(seen)
}
