// Keeps metadata.managedFields of objects: after every plain write, and through server-side apply.

import { deepEqual } from '../equality.ts'
import { type Cause, refuse } from '../errors.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { KubeObject, ManagedFieldsEntry } from '../object.ts'
import { setOwn } from '../patch/own.ts'
import type { Schema } from '../schema.ts'
import { checkApplied } from './check-applied.ts'
import { eachPath, equalSets, type FieldSet, pathText, setOfFields, unionSets } from './fieldset.ts'
import {
  identityOf,
  isReset,
  type Managed,
  noneManaged,
  readManagedFields,
  unownedFields,
  type Writer,
  writeManagedFields,
} from './managed-fields.ts'
import { applyConfiguration, ownersAfterUpdate, type Versions } from './owners.ts'
import { declares } from './shape.ts'

/** Who owned the fields of an object that was there before anybody kept a list. */
const BEFORE_FIRST_APPLY = 'before-first-apply'

/** What every tracked write has in common. */
export interface Tracked {
  /** Schema of the kind in the version of the request, metadata included; undefined merges by the values alone. */
  readonly schema: Schema | undefined
  readonly manager: string
  /** Group and version of the request, for instance `kubevirt.io/v1`. */
  readonly apiVersion: string
  readonly subresource?: string
  /** RFC 3339, seconds. */
  readonly now: string
  /** Fields that this door never changes, as paths of field names: `[['status']]` on the main resource. */
  readonly ignored?: readonly (readonly string[])[]
  /** Other versions in which managers may have written. Without it every version reads as this schema. */
  readonly versions?: Versions
}

export interface Update extends Tracked {
  /** The stored object; undefined when it is being created. Frozen, and shared with the result where possible. */
  readonly before: KubeObject | undefined
  /** The object as it is to be stored, with the managedFields that the client sent, if any. */
  readonly after: KubeObject
}

export interface Apply extends Tracked {
  /** The stored object; undefined when there is none yet. */
  readonly live: KubeObject | undefined
  /** The configuration as the client sent it. */
  readonly applied: KubeObject
  readonly force: boolean
}

/** The object `after` with its managedFields kept. A write that changes nothing keeps the times as they were. */
export function trackUpdate(update: Update): KubeObject {
  const { before, after } = update
  const managed = chosen(update)
  // An object whose list was emptied is tracked again from its next apply on.
  if (managed.owners.size === 0 && before) return withManagedFields(after, undefined)
  const writer: Writer = writerOf(update, 'Update')
  return withManagedFields(after, tracked(update, writer, managed, before?.metadata.managedFields))
}

/** The list that counts: the one the client sent, unless it sent none or one that cannot be read. */
function chosen({ before, after, subresource }: Update): Managed {
  const live = () => readManagedFields(before?.metadata.managedFields) ?? noneManaged
  const sent = after.metadata.managedFields
  if (subresource || sent === undefined || sent === before?.metadata.managedFields) return live()
  if (isReset(sent)) return noneManaged
  const read = readManagedFields(sent)
  return read && read.owners.size > 0 ? read : live()
}

function writerOf({ manager, apiVersion, subresource }: Tracked, operation: 'Apply' | 'Update'): Writer {
  return { manager, operation, apiVersion, ...(subresource ? { subresource } : {}) }
}

function tracked(
  update: Update,
  writer: Writer,
  managed: Managed,
  previous: readonly ManagedFieldsEntry[] | undefined,
): readonly ManagedFieldsEntry[] {
  const self = identityOf(writer)
  const former = managed.owners.get(self)
  // The write is weighed as a stranger's first, so that it takes changed fields from everybody, then given its name.
  const stranger = ' '
  const write = { ...writeOf(update), owners: managed.owners, self: stranger }
  const owners = new Map(ownersAfterUpdate(write, bareObject(update.before), update.after as unknown as Json))
  const changed = owners.get(stranger)
  owners.delete(stranger)
  if (changed) {
    const kept = owners.get(self)
    owners.set(self, { ...changed, set: kept ? unionSets(kept.set, changed.set) : changed.set })
  }
  const mine = owners.get(self)
  const same = former !== undefined && mine !== undefined && equalSets(former.set, mine.set)
  if (same) owners.set(self, former)
  const entries = writeManagedFields(
    owners,
    managed.entries,
    same || !mine ? undefined : { writer, now: update.now },
  )
  return sameList(previous, entries) ? previous : entries
}

function sameList(
  previous: readonly ManagedFieldsEntry[] | undefined,
  next: readonly ManagedFieldsEntry[],
): previous is readonly ManagedFieldsEntry[] {
  return previous?.length === next.length && next.every((entry, index) => entry === previous[index])
}

/** An object that does not exist yet has metadata all the same: nobody is to own that as such. */
function bareObject(object: KubeObject | undefined): Json {
  return object ? (object as unknown as Json) : { metadata: {} }
}

function writeOf({ schema, apiVersion, versions, ignored }: Tracked): {
  readonly versions: Versions
  readonly apiVersion: string
  readonly ignored?: FieldSet
  readonly unowned: FieldSet
} {
  const only = { schema, convert: (value: Json) => value }
  return {
    versions: versions ?? (() => only),
    apiVersion,
    unowned: unownedFields,
    ...(ignored && ignored.length > 0 ? { ignored: setOfFields(ignored) } : {}),
  }
}

/** The list is left out when nobody owns anything. */
function withManagedFields(object: KubeObject, list: readonly ManagedFieldsEntry[] | undefined): KubeObject {
  const { metadata } = object
  if (metadata.managedFields === list) return object
  const { managedFields: _replaced, ...rest } = metadata
  return { ...object, metadata: list && list.length > 0 ? { ...rest, managedFields: list } : rest }
}

/**
 * The live object with the configuration applied, its managedFields kept; `live` itself when nothing changes.
 * Throws ApiError: 400 when the configuration is malformed, 409 with causes when other managers own what it changes.
 */
export function applyPatch(apply: Apply): KubeObject {
  const { live, applied, now } = apply
  refuseMalformed(apply)
  const managed = managedBeforeApply(apply)
  const writer = writerOf(apply, 'Apply')
  const write = { ...writeOf(apply), owners: managed.owners, self: identityOf(writer) }
  const from = live ? withManagedFields(live, undefined) : undefined
  const result = applyConfiguration(
    write,
    (from ?? {}) as unknown as Json,
    plainConfiguration(applied),
    apply.force,
  )
  if (!result.ok) throw conflictError(result.conflicts, managed.entries)
  if (live && result.value === (from as unknown as Json) && result.owners === managed.owners) return live
  const object = withoutNewNulls(
    result.value,
    from as unknown as Json,
    applied as unknown as Json,
  ) as unknown as KubeObject
  return withManagedFields(object, writeManagedFields(result.owners, managed.entries, { writer, now }))
}

/** The configuration without what the server alone writes: clients send some of it back, often as null. */
function plainConfiguration(applied: KubeObject): Json {
  const metadata: Record<string, unknown> = { ...applied.metadata }
  for (const field of SERVER_FIELDS) delete metadata[field]
  return { ...applied, metadata } as unknown as Json
}

const SERVER_FIELDS = [
  'managedFields',
  'creationTimestamp',
  'uid',
  'resourceVersion',
  'generation',
  'selfLink',
]

function refuseMalformed({ applied, schema }: Apply): void {
  const { managedFields } = applied.metadata
  if (managedFields !== undefined && managedFields !== null)
    throw refuse.badRequest('metadata.managedFields must be nil')
  // Schemas of custom resources do not name what every object has.
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = applied
  const body = declares(schema, 'metadata') ? { ...rest, metadata } : rest
  const faults = checkApplied(schema, body as unknown as Json)
  if (faults.length === 0) return
  const { namespace, name } = applied.metadata
  const about = `${namespace ? `${namespace}/` : ''}${name ?? ''}; ${applied.apiVersion}, Kind=${applied.kind}`
  const text =
    faults.length === 1 ? faults[0] : ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n')
  throw refuse.badRequest(`failed to create typed patch object (${about}): ${text}`)
}

/** The owners of the live object; where nobody kept a list, all of it belongs to one manager of old. */
function managedBeforeApply(apply: Apply): Managed {
  const { live } = apply
  const managed = readManagedFields(live?.metadata.managedFields) ?? noneManaged
  if (!live || managed.owners.size > 0) return managed
  const update: Update = { ...apply, manager: BEFORE_FIRST_APPLY, before: undefined, after: live }
  return readManagedFields(tracked(update, writerOf(update, 'Update'), noneManaged, undefined)) ?? noneManaged
}

function conflictError(
  conflicts: ReadonlyMap<string, FieldSet>,
  entries: ReadonlyMap<string, ManagedFieldsEntry>,
): Error {
  const causes: Cause[] = []
  const byManager = new Map<string, string[]>()
  for (const [identity, set] of conflicts) {
    const manager = managerText(entries.get(identity))
    const paths: string[] = byManager.get(manager) ?? []
    eachPath(set, (path) => paths.push(pathText(path)))
    byManager.set(manager, paths.sort())
  }
  const managers = [...byManager.keys()].sort()
  for (const manager of managers)
    for (const field of byManager.get(manager) ?? [])
      causes.push({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })
  const [only] = causes
  const message =
    causes.length === 1 && only
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${managers.map((manager) => listText(manager, byManager.get(manager) ?? [])).join('\n')}`
  return refuse.applyConflict(message, causes)
}

function listText(manager: string, paths: readonly string[]): string {
  return `conflicts with ${manager}:\n${paths.map((path) => `- ${path}`).join('\n')}`
}

/** `"kubectl" using v1`, `"croft" with subresource "status" using v1`; appliers are named without a version. */
function managerText(entry: ManagedFieldsEntry | undefined): string {
  const name = JSON.stringify(entry?.manager ?? '')
  const through = entry?.subresource ? `${name} with subresource "${entry.subresource}"` : name
  return entry?.operation === 'Update' ? `${through} using ${entry.apiVersion}` : through
}

/** Maps and lists that lost all they had are left out, rather than left as null where null is no value. */
function withoutNewNulls(value: Json, live: Json | undefined, applied: Json | undefined): Json {
  if (value === live || value === applied || !isObject(value)) return value
  const before = live !== undefined && isObject(live) ? live : undefined
  const wanted = applied !== undefined && isObject(applied) ? applied : undefined
  let cleaned: Record<string, Json | undefined> | undefined
  for (const key in value) {
    const item = value[key]
    if (item === undefined) continue
    const isNew = item === null && before?.[key] !== null && wanted?.[key] !== null
    // What the configuration asks for in this place can only be something empty.
    const asked = wanted?.[key]
    const next = isNew ? asked : withoutNewNulls(item, before?.[key], wanted?.[key])
    if (next === item) continue
    cleaned ??= { ...value }
    if (next === undefined) delete cleaned[key]
    else setOwn(cleaned, key, next)
  }
  return (cleaned as JsonObject | undefined) ?? value
}

/** `before` itself when `after` differs from it in the times of managedFields at most: such a write is none. */
export function unlessOnlyTimes(before: KubeObject, after: KubeObject): KubeObject {
  const { metadata: was, ...hadRest } = before
  const { metadata: is, ...hasRest } = after
  const { managedFields: hadList = [], ...hadMetadata } = was
  const { managedFields: hasList = [], ...hasMetadata } = is
  if (
    hadList.length !== hasList.length ||
    !deepEqual(hadMetadata, hasMetadata) ||
    !deepEqual(hadRest, hasRest)
  )
    return after
  const timeless = (list: readonly ManagedFieldsEntry[]) =>
    list
      .map(({ time: _any, ...entry }) => entry)
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return deepEqual(timeless(hadList), timeless(hasList)) ? before : after
}
