// Who owns which field, and how a write changes that: the rules of server-side apply over bare values, without
// objects, entries or times. Managers may speak in different API versions; their sets are compared in their own.
import { deepEqual } from '../equality.ts'
import type { Json } from '../json.ts'
import type { Schema } from '../schema.ts'
import {
  equalSets,
  type FieldSet,
  intersectSets,
  isEmptySet,
  subtractSet,
  subtractTree,
  unionSets,
} from './fieldset.ts'
import { collapseAtomic, withNamedFields } from './reconcile.ts'
import { type Comparison, compareTyped, fieldsOf, mergeTyped, removeFields } from './typed.ts'

/** The fields of one manager. */
export interface Owner {
  readonly set: FieldSet
  readonly apiVersion: string
  readonly applied: boolean
}
export type Owners = ReadonlyMap<string, Owner>

/** One version of a kind: its schema, and objects turned into it. */
export interface KindVersion {
  readonly schema: Schema | undefined
  readonly convert: (value: Json) => Json
}
/** The version of that name; undefined when it is no longer known. */
export type Versions = (apiVersion: string) => KindVersion | undefined

/** One write, seen from ownership. */
export interface Write {
  readonly versions: Versions
  readonly apiVersion: string
  readonly owners: Owners
  /** Identity of the writer among the owners. */
  readonly self: string
  /** Fields whose changes nobody owns, for instance status on the main resource. */
  readonly ignored?: FieldSet
  /** Paths that are nobody's, though what is below them may be somebody's. */
  readonly unowned?: FieldSet
}

/** Owners after somebody changed the value by other means than apply. */
export function ownersAfterUpdate(write: Write, before: Json, after: Json): Owners {
  const owners = reconciled(write)
  const { next, comparison } = withoutChanged(write, owners, before, after)
  const mine = owners.get(write.self)?.set
  const kept = mine ? subtractSet(mine, comparison.removed) : undefined
  claim(write, next, kept ? unionSets(kept, comparison.changed) : comparison.changed, false)
  return next
}

function claim(write: Write, owners: Map<string, Owner>, fields: FieldSet, applied: boolean): void {
  const { self, apiVersion, unowned } = write
  const set = unowned ? subtractSet(fields, unowned) : fields
  if (isEmptySet(set)) owners.delete(self)
  else owners.set(self, { set, apiVersion, applied })
}

export type Applied =
  | { readonly ok: true; readonly value: Json; readonly owners: Owners }
  | { readonly ok: false; readonly conflicts: ReadonlyMap<string, FieldSet> }

/** The value with an applied configuration in it, or the fields on which other managers disagree. */
export function applyConfiguration(write: Write, live: Json, configuration: Json, force: boolean): Applied {
  const owners = reconciled(write)
  const version = write.versions(write.apiVersion)
  const fields = fieldsOf(version?.schema, configuration)
  const mine = write.ignored ? subtractTree(fields, write.ignored) : fields
  const last = owners.get(write.self)
  const claimed = new Map(owners)
  claimed.set(write.self, { set: mine, apiVersion: write.apiVersion, applied: true })
  const merged = mergeTyped(version?.schema, live, configuration)
  const pruned = last ? prune(write, merged, claimed, last) : merged
  // An empty list is nobody's, so it can go with what it held; but it was asked for.
  const value = pruned === merged ? merged : mergeTyped(version?.schema, pruned, configuration)
  const { next, conflicts } = withoutChanged(write, claimed, live, value)
  if (!force && conflicts.size > 0) return { ok: false, conflicts }
  // Only now: while fields are taken out, what is nobody's counts as claimed by whoever names it.
  claim(write, next, mine, true)
  const same = deepEqual(live, value) && equalOwners(owners, next)
  return { ok: true, value: same ? live : value, owners: same ? owners : next }
}

export function equalOwners(a: Owners, b: Owners): boolean {
  if (a.size !== b.size) return false
  for (const [name, owner] of a) {
    const other = b.get(name)
    if (!other || other.apiVersion !== owner.apiVersion || other.applied !== owner.applied) return false
    if (!equalSets(owner.set, other.set)) return false
  }
  return true
}

/** Sets from before a list or map became one leaf name its parts; from now on they name the leaf. */
function reconciled({ owners, versions }: Write): Owners {
  let changed: Map<string, Owner> | undefined
  for (const [name, owner] of owners) {
    const set = collapseAtomic(owner.set, versions(owner.apiVersion)?.schema)
    if (set === owner.set) continue
    changed ??= new Map(owners)
    changed.set(name, { ...owner, set })
  }
  return changed ?? owners
}

interface Changes {
  readonly next: Map<string, Owner>
  /** What the other managers owned of what was changed or added. */
  readonly conflicts: ReadonlyMap<string, FieldSet>
  readonly comparison: Comparison
}

/** The owners, everybody but the writer without what the write changed, added or removed. */
function withoutChanged(write: Write, owners: Owners, before: Json, after: Json): Changes {
  const comparisons = new Map<string, Comparison | undefined>()
  const comparisonIn = (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion)) comparisons.set(apiVersion, compareIn(write, apiVersion, before, after))
    return comparisons.get(apiVersion)
  }
  const next = new Map<string, Owner>()
  const conflicts = new Map<string, FieldSet>()
  for (const [name, owner] of owners) {
    if (name === write.self) {
      if (!isEmptySet(owner.set)) next.set(name, owner)
      continue
    }
    const comparison = comparisonIn(owner.apiVersion)
    // A version that is gone takes its claims along: nobody can say any more what they mean.
    if (!comparison) continue
    const overlap = intersectSets(owner.set, comparison.changed)
    if (!isEmptySet(overlap)) conflicts.set(name, overlap)
    const set = subtractSet(subtractSet(owner.set, comparison.changed), comparison.removed)
    if (!isEmptySet(set)) next.set(name, set === owner.set ? owner : { ...owner, set })
  }
  return {
    next,
    conflicts,
    comparison: comparisonIn(write.apiVersion) ?? compareTyped(undefined, before, after),
  }
}

/** What changed, in the words of a version; undefined when the version is not known. */
function compareIn(write: Write, apiVersion: string, before: Json, after: Json): Comparison | undefined {
  const version = write.versions(apiVersion)
  if (!version) return undefined
  const { schema, convert } = version
  const { changed, removed } =
    apiVersion === write.apiVersion
      ? compareTyped(schema, before, after)
      : compareTyped(schema, convert(before), convert(after))
  const { ignored } = write
  if (!ignored) return { changed, removed }
  return { changed: subtractTree(changed, ignored), removed: subtractTree(removed, ignored) }
}

/** Takes out what the applier owned before, applies no more, and nobody else owns. */
function prune(write: Write, merged: Json, owners: Owners, last: Owner): Json {
  const request = write.versions(write.apiVersion)
  const version = write.versions(last.apiVersion)
  if (!request || !version) return merged
  const wasMine = withNamedFields(last.set, version.schema)
  const isMine = owners.get(write.self)?.set
  // Nearly every apply gives up nothing; then there is nothing to take out.
  if (
    last.apiVersion === write.apiVersion &&
    isMine &&
    isEmptySet(subtractSet(wasMine, withNamedFields(isMine, version.schema)))
  )
    return merged
  const whole = version.convert(merged)
  const bare = removeFields(version.schema, whole, wasMine)
  const kept = addBackOwned(write, whole, bare, { owners, first: last.apiVersion })
  const gone = subtractSet(named(version, whole), named(version, version.convert(kept)))
  return request.convert(removeFields(version.schema, whole, intersectSets(gone, wasMine)))
}

function named(version: KindVersion, value: Json): FieldSet {
  return withNamedFields(fieldsOf(version.schema, value), version.schema)
}

/** Restores what somebody owns, version by version, beginning with the one in which the fields were taken out. */
function addBackOwned(
  { versions }: Write,
  whole: Json,
  bare: Json,
  { owners, first }: { readonly owners: Owners; readonly first: string },
): Json {
  const claims = new Map<string, FieldSet>()
  for (const { apiVersion, set } of owners.values()) {
    const known = claims.get(apiVersion)
    claims.set(apiVersion, known ? unionSets(known, set) : set)
  }
  const order = [...claims.keys()].sort((a, b) => Number(b === first) - Number(a === first))
  let kept = bare
  for (const apiVersion of order) {
    const version = versions(apiVersion)
    const claim = claims.get(apiVersion)
    if (!version || !claim) continue
    const all = version.convert(whole)
    const stays = unionSets(named(version, version.convert(kept)), withNamedFields(claim, version.schema))
    kept = removeFields(version.schema, all, subtractSet(named(version, all), stays))
  }
  return kept
}
