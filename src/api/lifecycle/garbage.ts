// Garbage collection: what belongs to nothing that exists is deleted; an owner that is deleted in the foreground waits
// for what belongs to it; one that is orphaned lets go first.
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject, OwnerReference } from '../../base/object.ts'
import type { StoreEvent } from '../../store/store.ts'
import type { Core } from '../core.ts'
import { callFor, callSelf, isRaced } from '../internal.ts'
import { keyFor, type Served } from '../served.ts'
import { FOREGROUND, factsOf, ORPHAN, OwnerIndex, uidIn } from './owners.ts'
import { startWorker, type Worker } from './worker.ts'

const REGISTRY = '/registry/'

interface Place {
  readonly served: Served
  readonly key: string
  readonly object: KubeObject
}

export function collectGarbage(core: Core): Worker {
  const index = new OwnerIndex()
  const worker = startWorker(core, 'garbage collection', (key) => collect(core, index, key))
  const page = core.store.range(REGISTRY)
  for (const { key, value } of page.entries) {
    const { owners, mayBeGoing } = factsOf(value)
    index.set(key, owners)
    if (mayBeGoing) worker.add(key)
  }
  for (const key of index.keys()) worker.add(key)
  const stop = core.store.watch(REGISTRY, page.revision, (event) => onEvent(core, index, worker, event))
  return {
    add: worker.add,
    close: () => {
      stop()
      worker.close()
    },
  }
}

function onEvent(core: Core, index: OwnerIndex, worker: Worker, event: StoreEvent): void {
  const { key, value, previous, revision } = event
  const before = index.ownersOf(key)
  if (value) {
    const { owners, mayBeGoing } = factsOf(value, core.parsed.metadataOf(key, revision))
    const concerned = owners.length > 0 || before.length > 0
    if (concerned) index.set(key, owners)
    if (concerned || mayBeGoing) worker.add(key)
  } else if (!index.isEmpty) {
    index.remove(key)
    const uid = previous ? uidIn(previous.value) : undefined
    for (const dependent of uid === undefined ? [] : index.dependentsOf(uid)) worker.add(dependent)
  }
  // An owner that waits for this object looks again.
  for (const owner of before) worker.add(`uid ${JSON.stringify([owner, key])}`)
}

async function collect(core: Core, index: OwnerIndex, key: string): Promise<undefined> {
  const place = key.startsWith('uid ') ? ownerPlace(core, key) : placeOf(core, key)
  if (!place) return undefined
  const { finalizers = [], deletionTimestamp } = place.object.metadata
  try {
    if (deletionTimestamp && finalizers.includes(ORPHAN)) await orphan(core, index, place)
    else if (deletionTimestamp && finalizers.includes(FOREGROUND)) await foreground(core, index, place)
    else if (!deletionTimestamp) await collectDependent(core, index, place)
  } catch (error) {
    if (!isRaced(error)) throw error
  }
  return undefined
}

function ownerPlace(core: Core, key: string): Place | undefined {
  const [owner, dependent] = JSON.parse(key.slice(4)) as [OwnerReference, string]
  return findOwner(core, owner, namespaceOfKey(core, dependent)).place
}

function placeOf(core: Core, key: string): Place | undefined {
  const served = servedOfKey(core, key)
  const entry = core.store.get(key)
  return served && entry ? { served, key, object: core.parsed.get(served, entry) } : undefined
}

function servedOfKey(core: Core, key: string): Served | undefined {
  const [, , group = '', resource = ''] = key.split('/')
  const prefix = `${REGISTRY}${group}/${resource}/`
  return core.served.stored().find((served) => served.prefix === prefix)
}

function namespaceOfKey(core: Core, key: string): string | undefined {
  const served = servedOfKey(core, key)
  return served?.namespaced ? key.slice(served.prefix.length).split('/')[0] : undefined
}

interface FoundOwner {
  /** `unknown`: its kind is not served now, so nothing can be said. */
  readonly state: 'solid' | 'waiting' | 'absent' | 'unknown'
  readonly place?: Place
}

function findOwner(core: Core, owner: OwnerReference, namespace: string | undefined): FoundOwner {
  const served = core.served.findByKind(owner.apiVersion, owner.kind)
  if (!served) return { state: 'unknown' }
  // A cluster-wide object cannot belong to a namespaced one.
  if (served.namespaced && namespace === undefined) return { state: 'absent' }
  const key = keyFor(served, namespace, owner.name)
  const entry = core.store.get(key)
  const object = entry && core.parsed.get(served, entry)
  if (object?.metadata.uid !== owner.uid || !object) return { state: 'absent' }
  const waiting =
    object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers?.includes(FOREGROUND)
  return { state: waiting ? 'waiting' : 'solid', place: { served, key, object } }
}

async function collectDependent(core: Core, index: OwnerIndex, place: Place): Promise<void> {
  const owners = place.object.metadata.ownerReferences ?? []
  if (owners.length === 0) return
  const states = owners.map((owner) => ({
    owner,
    state: findOwner(core, owner, place.object.metadata.namespace).state,
  }))
  const solid = states.some(({ state }) => state === 'solid' || state === 'unknown')
  const absent = states.filter(({ state }) => state === 'absent')
  if (solid) {
    if (absent.length > 0) await dropOwners(core, place, new Set(absent.map(({ owner }) => owner.uid)))
    return
  }
  const waiting = states.some(({ state }) => state === 'waiting')
  const hasOwn = index.dependentsOf(place.object.metadata.uid ?? '').length > 0
  await remove(core, place, waiting && hasOwn ? 'Foreground' : undefined)
}

async function dropOwners(core: Core, { served, object }: Place, uids: ReadonlySet<string>): Promise<void> {
  const { namespace, name, resourceVersion } = object.metadata
  const kept = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid))
  const patch = { metadata: { resourceVersion, ownerReferences: kept } } as unknown as JsonObject
  await callSelf(core, { ...callFor('patch', { served, namespace, name }, patch), patchType: 'merge' })
}

async function remove(
  core: Core,
  { served, object }: Place,
  propagation: 'Foreground' | undefined,
): Promise<void> {
  const { namespace, name, uid } = object.metadata
  await callSelf(
    core,
    callFor(
      'delete',
      { served, namespace, name },
      {
        preconditions: { uid },
        ...(propagation === undefined ? {} : { propagationPolicy: propagation }),
      },
    ),
  )
}

async function foreground(core: Core, index: OwnerIndex, owner: Place): Promise<void> {
  const uid = owner.object.metadata.uid ?? ''
  let blocked = false
  for (const key of index.dependentsOf(uid)) {
    const dependent = placeOf(core, key)
    if (!dependent) continue
    const { ownerReferences = [], deletionTimestamp } = dependent.object.metadata
    if (ownerReferences.some((reference) => reference.uid === uid && reference.blockOwnerDeletion))
      blocked = true
    if (!deletionTimestamp) await collectDependent(core, index, dependent).catch(ignoreRace)
  }
  if (!blocked) await removeFinalizer(core, owner, FOREGROUND)
}

async function orphan(core: Core, index: OwnerIndex, owner: Place): Promise<void> {
  const uid = owner.object.metadata.uid ?? ''
  for (const key of index.dependentsOf(uid)) {
    const dependent = placeOf(core, key)
    if (dependent) await dropOwners(core, dependent, new Set([uid])).catch(ignoreRace)
  }
  await removeFinalizer(core, owner, ORPHAN)
}

function ignoreRace(error: unknown): void {
  if (!isRaced(error)) throw error
}

async function removeFinalizer(core: Core, { served, object }: Place, finalizer: string): Promise<void> {
  const { namespace, name, resourceVersion, finalizers = [] } = object.metadata
  const patch = {
    metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== finalizer) },
  } as unknown as JsonObject
  await callSelf(core, { ...callFor('patch', { served, namespace, name }, patch), patchType: 'merge' })
}
