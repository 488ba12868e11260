// The form of a decider: what it sees and what it answers. Deciders are pure: no I/O, no clock, no chance; the same
// input gives the same answer. The loop carries the answer out.
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { AnyKind, Kind, KindOf } from './kind.ts'

/** Read access to the loop's caches. Objects are frozen and possibly stale. */
export interface Look {
  get<K extends Kind>(kind: K, namespace: string | undefined, name: string): KindOf<K> | undefined
  list<K extends Kind>(kind: K, namespace?: string): readonly KindOf<K>[]
  /** Objects of `kind` that name `uid` as an owner. Indexed. */
  ownedBy<K extends Kind>(kind: K, uid: string): readonly KindOf<K>[]
  /** Objects of `kind` under an index declared by a watch (see Watch.index). */
  byIndex<K extends Kind>(kind: K, index: string, value: string): readonly KindOf<K>[]
  /**
   * How long this version of the object has been in the cache, in milliseconds of our own monotonic clock: what to
   * judge a heartbeat by, because the times written in objects come from other hosts' clocks.
   */
  ageMs(kind: AnyKind, namespace: string | undefined, name: string): number | undefined
}

export interface ObjectRef {
  readonly kind: AnyKind
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

/** What the loop asks the API itself before it acts, where a cache that lags behind could do harm. */
export interface OnlyIf {
  /** None of these exists, judged by uid where one is given. */
  readonly absent?: readonly ObjectRef[]
  /** No object of these kinds is left in the namespace. */
  readonly empty?: { readonly namespace: string; readonly kinds: readonly AnyKind[] }
}

export type Action =
  /** Deterministic name, so that doing it twice is an AlreadyExists, which the loop takes as done. */
  | {
      readonly do: 'create'
      readonly kind: AnyKind
      readonly object: KubeObject
      readonly onlyIf?: OnlyIf
      /** Makes no sense without what is made before it in the same decision, which must have been taken. */
      readonly afterOthers?: boolean
    }
  /** Merge patch. With `resourceVersion` it is a compare-and-swap; a conflict only means: decide again. */
  | {
      readonly do: 'patch'
      readonly target: ObjectRef
      readonly patch: JsonObject
      readonly subresource?: string
      readonly resourceVersion?: string
      readonly onlyIf?: OnlyIf
    }
  /** Replaces the whole object, with its resourceVersion, or one of its subresources that only knows PUT. */
  | {
      readonly do: 'update'
      readonly kind: AnyKind
      readonly object: KubeObject
      readonly subresource?: string
      readonly onlyIf?: OnlyIf
    }
  | {
      readonly do: 'delete'
      readonly target: ObjectRef
      readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
      readonly graceSeconds?: number
      readonly onlyIf?: OnlyIf
    }
  /** A create on a subresource, for instance pods/binding. */
  | {
      readonly do: 'post'
      readonly target: ObjectRef
      readonly subresource: string
      readonly object: KubeObject
    }
  /** An Event; the loop folds repeats. */
  | {
      readonly do: 'note'
      readonly about: ObjectRef
      readonly type: 'Normal' | 'Warning'
      readonly reason: string
      readonly message: string
    }

export interface Decision {
  readonly actions: readonly Action[]
  /** The whole status, computed; written through the status subresource only where it differs. */
  readonly status?: JsonObject
  /** Somebody waits for this status: it is not held back by the decider's `statusSettleMs`. */
  readonly urgent?: boolean
  /** Look again at this time (milliseconds since 1970) even if nothing changes. */
  readonly wakeAt?: number
}

/** Which other objects make a decider look again, and at which of its own. */
export interface Watch {
  readonly kind: AnyKind
  /** Keys (`namespace/name`) of the decider's objects that this one concerns. */
  readonly keys: (object: KubeObject, look: Look) => readonly string[]
}

/** A lookup table that the loop keeps over a cache, declared once by whoever needs it. */
export interface Index {
  readonly kind: AnyKind
  readonly name: string
  readonly values: (object: KubeObject) => readonly string[]
}

export interface Decider<K extends Kind = Kind, Seen = unknown> {
  /** Word for logs, metrics and the field manager, for instance `virtual-machine`. */
  readonly name: string
  readonly kind: K
  readonly watches: readonly Watch[]
  readonly indexes?: readonly Index[]
  /** One key at a time, because each decision depends on the ones before (the scheduler). */
  readonly serial?: boolean
  /**
   * How far on the way of a new object it stands (0 by default). Keys of later steps are taken first: what is nearly
   * done is finished before more is begun, so that of many objects the first is ready early.
   */
  readonly step?: number
  /** Decide only after nothing happened to the key for this long (counts that lag behind their charges). */
  readonly settleMs?: number
  /** A status that comes alone is written this long after it began to differ; for statuses that others only read. */
  readonly statusSettleMs?: number
  /** Everything the decision may depend on, taken from the caches. */
  readonly gather: (object: KindOf<K>, look: Look) => Seen
  readonly decide: (seen: Seen, now: number) => Decision
}

/** A decider among deciders of other kinds. Only the decider itself needs to know its types. */
export type AnyDecider = Decider<Kind, unknown>

/** Forgets the types, so that deciders of different kinds can stand in one list. */
export function decider<K extends Kind, Seen>(one: Decider<K, Seen>): AnyDecider {
  return one as unknown as AnyDecider
}
