// Owner garbage collection, by uid. One decider a kind, because an object of any kind may own one of any other:
// a dependent whose owners are all gone is deleted; an owner that is deleted in the foreground waits for its
// dependents; one that is deleted with Orphan lets them go. What a cache says is missing is asked of the API first.
import type { KubeObject, OwnerReference } from '../base/object.ts'
import type { Action, Decider, Decision, Look, ObjectRef, Watch } from '../kinds/decide.ts'
import type { AnyKind, Kind } from '../kinds/kind.ts'

export const FOREGROUND = 'foregroundDeletion'
export const ORPHAN = 'orphan'

export interface Owner {
  readonly reference: OwnerReference
  /** `solid`: exists. `waiting`: exists and waits in the foreground for its dependents. `absent`: not in the cache. */
  readonly state: 'solid' | 'waiting' | 'absent'
  /** What to ask the API for; absent where the kind is unknown or the place impossible. */
  readonly target: ObjectRef | undefined
}

export interface Dependent {
  readonly kind: AnyKind
  readonly object: KubeObject
}

export interface SeenGarbage {
  readonly kind: AnyKind
  readonly object: KubeObject
  readonly owners: readonly Owner[]
  /** Only looked up while the object waits for them. */
  readonly dependents: readonly Dependent[]
}

const NOTHING: Decision = { actions: [] }

export function decideGarbage(seen: SeenGarbage, _now: number): Decision {
  const { metadata } = seen.object
  const finalizers = metadata.finalizers ?? []
  if (metadata.deletionTimestamp !== undefined) {
    if (finalizers.includes(ORPHAN)) return letGo(seen, finalizers)
    if (finalizers.includes(FOREGROUND)) return deleteDependents(seen, finalizers)
    return NOTHING
  }
  return seen.owners.length === 0 ? NOTHING : judgeOwners(seen)
}

function judgeOwners({ kind, object, owners }: SeenGarbage): Decision {
  // An owner of a kind that we do not know may well exist.
  if (owners.some((owner) => owner.state === 'absent' && owner.target === undefined)) return NOTHING
  const solid = owners.filter((owner) => owner.state === 'solid')
  const absent = owners.filter((owner) => owner.state === 'absent')
  const asked = { absent: absent.flatMap((owner) => (owner.target === undefined ? [] : [owner.target])) }
  if (solid.length > 0) {
    // An owner that waits in the foreground is let go of too: this dependent stays for the other's sake.
    const leaving = owners.filter((owner) => owner.state !== 'solid')
    if (leaving.length === 0) return NOTHING
    const gone = new Set(leaving.map((owner) => owner.reference.uid))
    const rest = (object.metadata.ownerReferences ?? []).filter((owner) => !gone.has(owner.uid))
    return { actions: [withOwners(kind, object, rest, asked)] }
  }
  const waiting = owners.some((owner) => owner.state === 'waiting')
  const finalizers = object.metadata.finalizers ?? []
  const propagation = finalizers.includes(ORPHAN)
    ? 'Orphan'
    : finalizers.includes(FOREGROUND) || waiting
      ? 'Foreground'
      : 'Background'
  return { actions: [{ do: 'delete', target: refOf(kind, object), propagation, onlyIf: asked }] }
}

/** Dependents that block the owner hold it; the others are only told to go. */
function deleteDependents(seen: SeenGarbage, finalizers: readonly string[]): Decision {
  const uid = seen.object.metadata.uid
  const blocking = seen.dependents.filter(({ object }) =>
    (object.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
  )
  const actions: Action[] = seen.dependents
    .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    // A dependent with another owner that stays is let go of by its own decision.
    .filter(({ object }) => (object.metadata.ownerReferences ?? []).length === 1)
    .map(({ kind, object }) => ({
      do: 'delete',
      target: refOf(kind, object),
      propagation: 'Foreground',
    }))
  if (blocking.length === 0) actions.push(withFinalizers(seen, finalizers, FOREGROUND))
  return { actions }
}

function letGo(seen: SeenGarbage, finalizers: readonly string[]): Decision {
  const uid = seen.object.metadata.uid
  const actions: Action[] = seen.dependents.map(({ kind, object }) => {
    const rest = (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid)
    return withOwners(kind, object, rest)
  })
  return { actions: [...actions, withFinalizers(seen, finalizers, ORPHAN)] }
}

function withOwners(
  kind: AnyKind,
  object: KubeObject,
  owners: readonly OwnerReference[],
  onlyIf?: { readonly absent: readonly ObjectRef[] },
): Action {
  const { resourceVersion } = object.metadata
  return {
    do: 'patch',
    target: refOf(kind, object),
    patch: { metadata: { ownerReferences: owners.length === 0 ? null : (owners as never) } },
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(onlyIf === undefined ? {} : { onlyIf }),
  }
}

function withFinalizers({ kind, object }: SeenGarbage, finalizers: readonly string[], done: string): Action {
  const { resourceVersion } = object.metadata
  return {
    do: 'patch',
    target: refOf(kind, object),
    patch: { metadata: { finalizers: finalizers.filter((word) => word !== done) } },
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}

function refOf(kind: AnyKind, { metadata }: KubeObject): ObjectRef {
  const { namespace, name = '', uid = '' } = metadata
  return { kind, ...(namespace === undefined ? {} : { namespace }), name, uid }
}

/** Events own nothing, are owned by nothing and are many. Virtual kinds are not stored. */
function isCollected(kind: AnyKind): boolean {
  return (
    kind.kind !== 'Event' &&
    !kind.virtual &&
    ['delete', 'list', 'watch'].every((verb) => kind.verbs.includes(verb))
  )
}

/** The kinds by what owner references say about them: group and kind, whatever the version. */
function kindTable(kinds: readonly AnyKind[]): (reference: OwnerReference) => AnyKind | undefined {
  const table = new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]))
  return ({ apiVersion, kind }) => {
    const slash = apiVersion.indexOf('/')
    return table.get(`${slash < 0 ? '' : apiVersion.slice(0, slash)}/${kind}`)
  }
}

/** One decider for each kind that can be collected. Versions of one kind count once. */
export function garbageDeciders(allKinds: readonly AnyKind[]): readonly Decider<Kind, SeenGarbage>[] {
  const kinds = distinct(allKinds.filter(isCollected))
  const ownerKind = kindTable(kinds)
  return kinds.map((kind) => ({
    name: `garbage-${kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`}`,
    kind,
    watches: watchesOf(kind, kinds, ownerKind),
    gather: (object, look) => gather(kind, object, { look, kinds, ownerKind }),
    decide: decideGarbage,
  }))
}

function distinct(kinds: readonly AnyKind[]): readonly AnyKind[] {
  return [...new Map(kinds.map((kind) => [`${kind.group}/${kind.plural}`, kind])).values()]
}

/** The same function serves for every watched kind: it is called for each change of each object, so it is quick. */
function watchesOf(
  kind: AnyKind,
  kinds: readonly AnyKind[],
  ownerKind: (reference: OwnerReference) => AnyKind | undefined,
): readonly Watch[] {
  const owned = (object: KubeObject): readonly string[] => {
    const owners = object.metadata.ownerReferences
    if (owners === undefined) return NONE
    return owners
      .filter((owner) => ownerKind(owner) === kind)
      .map((owner) => keyOf(kind, object.metadata.namespace, owner.name))
  }
  return kinds.map((watched) => ({
    kind: watched,
    keys: (object, look) => {
      const { deletionTimestamp, finalizers, namespace, name = '', uid = '' } = object.metadata
      const leaves =
        (deletionTimestamp !== undefined && finalizers?.includes(FOREGROUND) === true) ||
        look.get(watched, namespace, name)?.metadata.uid !== uid
      const dependents = leaves
        ? look.ownedBy(kind, uid).map(({ metadata }) => keyOf(kind, metadata.namespace, metadata.name ?? ''))
        : NONE
      // An owner that waits for its dependents looks again when one of them goes.
      const waiting = owned(object)
      return waiting.length === 0 ? dependents : [...dependents, ...waiting]
    },
  }))
}

const NONE: readonly string[] = []

function keyOf(kind: AnyKind, namespace: string | undefined, name: string): string {
  return kind.scope === 'Cluster' ? name : `${namespace ?? ''}/${name}`
}

interface Sight {
  readonly look: Look
  readonly kinds: readonly AnyKind[]
  readonly ownerKind: (reference: OwnerReference) => AnyKind | undefined
}

function gather(kind: AnyKind, object: KubeObject, sight: Sight): SeenGarbage {
  const { deletionTimestamp, ownerReferences, finalizers, uid = '' } = object.metadata
  const ending = deletionTimestamp !== undefined
  const asks = ending && (finalizers?.includes(FOREGROUND) || finalizers?.includes(ORPHAN))
  return {
    kind,
    object,
    owners: ending ? [] : (ownerReferences ?? []).map((reference) => ownerOf(reference, object, sight)),
    dependents: asks
      ? sight.kinds.flatMap((other) =>
          sight.look.ownedBy(other, uid).map((dependent) => ({ kind: other, object: dependent })),
        )
      : [],
  }
}

function ownerOf(reference: OwnerReference, object: KubeObject, { look, ownerKind }: Sight): Owner {
  const kind = ownerKind(reference)
  if (kind === undefined) return { reference, state: 'absent', target: undefined }
  const { namespace } = object.metadata
  const target: ObjectRef = {
    kind,
    ...(kind.scope === 'Cluster' || namespace === undefined ? {} : { namespace }),
    name: reference.name,
    uid: reference.uid,
  }
  // A cluster-scoped object that names an owner inside a namespace cannot be resolved, and so not be collected.
  if (kind.scope === 'Namespaced' && namespace === undefined) {
    return { reference, state: 'absent', target: undefined }
  }
  const owner = look.get(kind, target.namespace, reference.name)
  if (owner === undefined || owner.metadata.uid !== reference.uid)
    return { reference, state: 'absent', target }
  const leaving = owner.metadata.deletionTimestamp !== undefined
  const waits = leaving && owner.metadata.finalizers?.includes(FOREGROUND) === true
  return { reference, state: waits ? 'waiting' : 'solid', target }
}
