// The list metadata.managedFields: read into owners and written back, with its times, its order and its bound.
import { type Cause, cause } from '../errors.ts'
import type { ManagedFieldsEntry } from '../object.ts'
import { parseTime } from '../time.ts'
import { encodeFieldsV1, type FieldSet, parseFieldsV1, setOfFields, unionSets } from './fieldset.ts'
import type { Owner, Owners } from './owners.ts'

/** More Update entries than this are folded into one, as kube-apiserver does: clients that name themselves anew
 * with every run would otherwise grow the object for ever. */
export const UPDATE_ENTRIES_MAX = 10
/** Who the folded entries belong to. */
const ANCIENT = 'ancient-changes'
const MANAGER_NAME_MAX = 128
const SUBRESOURCE_NAME_MAX = 256

/** Fields that the server sets or that name the object: nobody owns them. */
export const unownedFields = setOfFields([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['metadata', field]),
])

/** Who makes a write. Entries with the same identity are one entry. */
export interface Writer {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  /** Group and version of the request. */
  readonly apiVersion: string
  readonly subresource?: string
}

/** Entries by identity, and what is known of each beyond its fields. */
export interface Managed {
  readonly owners: Owners
  readonly entries: ReadonlyMap<string, ManagedFieldsEntry>
}

export const noneManaged: Managed = { owners: new Map(), entries: new Map() }

/** An applier is the same in whatever version it applies; an updater is not. */
export function identityOf({ manager, operation, apiVersion, subresource }: Writer): string {
  return JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource ?? ''])
}

/** Reads the list. Undefined when an entry is malformed. */
export function readManagedFields(list: readonly ManagedFieldsEntry[] | undefined): Managed | undefined {
  const owners = new Map<string, Owner>()
  const entries = new Map<string, ManagedFieldsEntry>()
  for (const entry of list ?? []) {
    const { manager = '', operation, apiVersion, fieldsType, fieldsV1, subresource } = entry
    if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || fieldsType !== 'FieldsV1')
      return undefined
    const set = fieldsV1 ? parseFieldsV1(fieldsV1) : undefined
    if (!set) return undefined
    const identity = identityOf({ manager, operation, apiVersion, ...(subresource ? { subresource } : {}) })
    owners.set(identity, { set, apiVersion, applied: operation === 'Apply' })
    entries.set(identity, entry)
  }
  return { owners, entries }
}

/** Whether a client asks that the list be emptied: `[]`, or one entry without content. */
export function isReset(list: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (!list || list.length > 1) return false
  return list[0] === undefined || Object.keys(list[0]).length === 0
}

/**
 * Writes the list: bounded and sorted. An entry whose fields and time are as before is
 * the same value as before. `touched` names the writer whose time is `now` (RFC 3339).
 */
export function writeManagedFields(
  owners: Owners,
  entries: ReadonlyMap<string, ManagedFieldsEntry>,
  touched: { readonly writer: Writer; readonly now: string } | undefined,
): readonly ManagedFieldsEntry[] {
  const self = touched && identityOf(touched.writer)
  const list: ManagedFieldsEntry[] = []
  for (const [identity, owner] of owners) {
    const known = entries.get(identity)
    const { set } = owner
    if (touched && identity === self) list.push(entryOf(touched.writer, set, touched.now))
    else if (known)
      list.push(
        isUnchanged(known, set, owner)
          ? known
          : { ...known, apiVersion: owner.apiVersion, fieldsV1: encodeFieldsV1(set) },
      )
  }
  return folded(list).sort(byOrder)
}

function isUnchanged(entry: ManagedFieldsEntry, set: FieldSet, owner: Owner): boolean {
  return (
    entry.apiVersion === owner.apiVersion &&
    entry.fieldsV1 !== undefined &&
    parseFieldsV1(entry.fieldsV1) === set
  )
}

function entryOf(
  { manager, operation, apiVersion, subresource }: Writer,
  set: FieldSet,
  time: string,
): ManagedFieldsEntry {
  return {
    manager,
    operation,
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: encodeFieldsV1(set),
    ...(subresource ? { subresource } : {}),
  }
}

function seconds(entry: ManagedFieldsEntry): number {
  return Math.floor((parseTime(entry.time ?? '') ?? 0) / 1000)
}

function byOrder(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compare(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compare(a.manager, b.manager) ||
    compare(a.apiVersion, b.apiVersion) ||
    compare(a.subresource, b.subresource)
  )
}

function compare(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Folds the oldest Update entries together, by version, until no more than the bound are left. */
function folded(list: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const updates = list.filter((entry) => entry.operation === 'Update')
  if (updates.length <= UPDATE_ENTRIES_MAX) return [...list]
  updates.sort((a, b) => seconds(a) - seconds(b) || compare(a.manager, b.manager))
  const left = new Set(list)
  const buckets = new Map<string, ManagedFieldsEntry>()
  let count = updates.length
  for (const entry of updates) {
    if (count <= UPDATE_ENTRIES_MAX) break
    const version = entry.apiVersion ?? ''
    const bucket = buckets.get(version)
    if (bucket) {
      left.delete(entry)
      count--
    }
    left.delete(bucket ?? entry)
    const next = bucket ? foldInto(bucket, entry, version) : entry
    buckets.set(version, next)
    left.add(next)
  }
  return [...left]
}

function foldInto(
  bucket: ManagedFieldsEntry,
  entry: ManagedFieldsEntry,
  version: string,
): ManagedFieldsEntry {
  const set = unionSets(parseFieldsV1(bucket.fieldsV1 ?? {})!, parseFieldsV1(entry.fieldsV1 ?? {})!)
  // The time of the younger one: the fields changed no later than that.
  const writer: Writer = { manager: ANCIENT, operation: 'Update', apiVersion: version }
  return entryOf(writer, set, entry.time ?? bucket.time ?? '')
}

/** What is wrong with a list that a client sent, as causes for 422. */
export function checkManagedFields(
  list: readonly ManagedFieldsEntry[] | undefined,
  path = 'metadata.managedFields',
): readonly Cause[] {
  const causes: Cause[] = []
  for (const [index, entry] of (list ?? []).entries()) {
    const place = `${path}[${index}]`
    const { operation, fieldsType, manager = '', subresource = '' } = entry
    if (operation !== 'Apply' && operation !== 'Update')
      causes.push(cause.invalid(`${place}.operation`, operation ?? '', 'must be `Apply` or `Update`'))
    if (fieldsType !== undefined && (fieldsType as string) !== '' && fieldsType !== 'FieldsV1')
      causes.push(cause.invalid(`${place}.fieldsType`, fieldsType, 'must be `FieldsV1`'))
    causes.push(...checkFieldManager(manager, `${place}.manager`))
    if (subresource.length > SUBRESOURCE_NAME_MAX)
      causes.push(cause.tooLong(`${place}.subresource`, SUBRESOURCE_NAME_MAX))
  }
  return causes
}

/** What is wrong with the name of a field manager. The empty name is good: it means "not given". */
export function checkFieldManager(name: string, path = 'fieldManager'): readonly Cause[] {
  const causes: Cause[] = []
  if (name.length > MANAGER_NAME_MAX) causes.push(cause.tooLong(path, MANAGER_NAME_MAX))
  const at = name.search(UNPRINTABLE)
  if (at >= 0) {
    const code = (name.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    causes.push(cause.invalid(path, name, `invalid character U+${code} (at position ${at})`))
  }
  return causes
}

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/** The manager of a write: the one asked for, else what the client calls itself (`kubectl/v1.36 (…)` → `kubectl`). */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager
  const name = (userAgent ?? '').split('/')[0] ?? ''
  return [...name]
    .filter((sign) => !UNPRINTABLE.test(sign))
    .join('')
    .slice(0, MANAGER_NAME_MAX)
}
