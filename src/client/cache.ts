// The objects of one kind as a watch has told them, with the lookup tables that deciders ask for. No I/O.
// Promise: never goes back in time for an object, whichever of a watch event and the answer to a write comes first.
import type { KubeObject } from '../base/object.ts'
import { compareVersions } from './version.ts'

export type CacheChange =
  | { readonly type: 'ADDED'; readonly object: KubeObject }
  | { readonly type: 'MODIFIED'; readonly object: KubeObject; readonly previous: KubeObject }
  | { readonly type: 'DELETED'; readonly object: KubeObject }

interface Entry {
  readonly object: KubeObject
  /** Monotonic milliseconds at which this version arrived. */
  readonly arrivedMs: number
}

type IndexValues = (object: KubeObject) => readonly string[]

interface IndexTable {
  readonly values: IndexValues
  readonly rows: Map<string, Set<KubeObject>>
}

const OWNER = 'owner'
const ownerUids: IndexValues = (object) => object.metadata.ownerReferences?.map((owner) => owner.uid) ?? NONE
const NONE: readonly never[] = Object.freeze([])

export class KindCache {
  /** Namespace, empty for cluster-scoped kinds, then name. */
  readonly #spaces = new Map<string, Map<string, Entry>>()
  readonly #indexes = new Map<string, IndexTable>([[OWNER, { values: ownerUids, rows: new Map() }]])
  /** Versions taken from answers to our own writes that the watch has not reached yet, by key. */
  readonly #ahead = new Map<string, KubeObject>()
  /** Lists as handed out; dropped when something in them changes. */
  readonly #lists = new Map<string | undefined, readonly KubeObject[]>()
  #position = ''
  #count = 0

  /** Version up to which the watch has told everything. */
  get position(): string {
    return this.#position
  }

  get count(): number {
    return this.#count
  }

  get(namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#spaces.get(namespace ?? '')?.get(name)?.object
  }

  arrivedMs(namespace: string | undefined, name: string): number | undefined {
    return this.#spaces.get(namespace ?? '')?.get(name)?.arrivedMs
  }

  list(namespace?: string): readonly KubeObject[] {
    const known = this.#lists.get(namespace)
    if (known !== undefined) return known
    const spaces = namespace === undefined ? [...this.#spaces.values()] : [this.#spaces.get(namespace)]
    const made: KubeObject[] = []
    for (const space of spaces) for (const entry of space?.values() ?? NONE) made.push(entry.object)
    Object.freeze(made)
    this.#lists.set(namespace, made)
    return made
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return this.byIndex(OWNER, uid) ?? NONE
  }

  /** Undefined when no index of that name was declared. */
  byIndex(name: string, value: string): readonly KubeObject[] | undefined {
    const table = this.#indexes.get(name)
    if (table === undefined) return undefined
    const row = table.rows.get(value)
    return row === undefined ? NONE : [...row]
  }

  /** Declaring a name twice keeps the first: the same index may be wanted by several deciders. */
  addIndex(name: string, values: IndexValues): void {
    if (this.#indexes.has(name)) return
    const table: IndexTable = { values, rows: new Map() }
    this.#indexes.set(name, table)
    for (const object of this.list()) addRows(table, object)
  }

  /** ADDED or MODIFIED as the watch tells it. Undefined when it is no news. */
  put(object: KubeObject, arrivedMs: number): CacheChange | undefined {
    this.advance(object.metadata.resourceVersion ?? '')
    const previous = this.#entryOf(object)?.object
    if (previous !== undefined && !isNewer(object, previous)) return undefined
    return this.#store(object, arrivedMs)
  }

  /** DELETED as the watch tells it; the object carries the version of its deletion. */
  remove(object: KubeObject): CacheChange | undefined {
    this.advance(object.metadata.resourceVersion ?? '')
    const present = this.#entryOf(object)?.object
    if (present === undefined || isNewer(present, object)) return undefined
    return this.#drop(present, object)
  }

  /** The answer to a write of ours, which may be ahead of the watch. */
  absorb(object: KubeObject, arrivedMs: number): CacheChange | undefined {
    const version = object.metadata.resourceVersion
    if (version === undefined || compareVersions(version, this.#position) <= 0) return undefined
    if (isEnded(object)) return undefined
    const previous = this.#entryOf(object)?.object
    if (previous !== undefined && !isNewer(object, previous)) return undefined
    this.#ahead.set(cacheKey(object), object)
    return this.#store(object, arrivedMs)
  }

  /** A bookmark, or the version of any event: everything up to it has been told. */
  advance(version: string): void {
    if (compareVersions(version, this.#position) <= 0) return
    this.#position = version
    if (this.#ahead.size === 0) return
    for (const [key, object] of this.#ahead) {
      if (compareVersions(object.metadata.resourceVersion, version) <= 0) this.#ahead.delete(key)
    }
  }

  /** A fresh list takes the place of everything; answers the differences, deletions first. */
  replace(objects: readonly KubeObject[], version: string, arrivedMs: number): readonly CacheChange[] {
    const wentBack = compareVersions(version, this.#position) < 0
    // A store that was put back to an older state must win over whatever was learned since.
    if (wentBack) {
      this.#ahead.clear()
      this.#position = version
    } else {
      this.advance(version)
    }
    const fresh = new Set(objects.map(cacheKey))
    const changes: CacheChange[] = []
    for (const old of this.list()) {
      if (!fresh.has(cacheKey(old)) && !this.#ahead.has(cacheKey(old))) changes.push(this.#drop(old, old))
    }
    for (const object of objects) {
      const previous = this.#entryOf(object)?.object
      if (previous !== undefined && isSame(previous, object)) continue
      if (!wentBack && previous !== undefined && !isNewer(object, previous)) continue
      changes.push(...this.#swap(object, previous, arrivedMs))
    }
    return changes
  }

  /** An object that was deleted and made again between two lists is told as both. */
  #swap(object: KubeObject, previous: KubeObject | undefined, arrivedMs: number): readonly CacheChange[] {
    if (previous === undefined || previous.metadata.uid === object.metadata.uid) {
      return [this.#store(object, arrivedMs)]
    }
    return [this.#drop(previous, previous), this.#store(object, arrivedMs)]
  }

  #entryOf(object: KubeObject): Entry | undefined {
    return this.#spaces.get(object.metadata.namespace ?? '')?.get(object.metadata.name ?? '')
  }

  #store(object: KubeObject, arrivedMs: number): CacheChange {
    const spaceName = object.metadata.namespace ?? ''
    let space = this.#spaces.get(spaceName)
    if (space === undefined) {
      space = new Map()
      this.#spaces.set(spaceName, space)
    }
    const name = object.metadata.name ?? ''
    const previous = space.get(name)?.object
    space.set(name, { object, arrivedMs })
    this.#forgetLists(spaceName)
    for (const table of this.#indexes.values()) {
      if (previous !== undefined) removeRows(table, previous)
      addRows(table, object)
    }
    if (previous === undefined) {
      this.#count += 1
      return { type: 'ADDED', object }
    }
    return { type: 'MODIFIED', object, previous }
  }

  #drop(present: KubeObject, last: KubeObject): CacheChange {
    const spaceName = present.metadata.namespace ?? ''
    const space = this.#spaces.get(spaceName)
    if (space?.delete(present.metadata.name ?? '')) this.#count -= 1
    if (space?.size === 0) this.#spaces.delete(spaceName)
    this.#ahead.delete(cacheKey(present))
    this.#forgetLists(spaceName)
    for (const table of this.#indexes.values()) removeRows(table, present)
    return { type: 'DELETED', object: last }
  }

  #forgetLists(spaceName: string): void {
    this.#lists.delete(undefined)
    this.#lists.delete(spaceName)
  }
}

/** Unambiguous, because neither part may contain a slash. */
function cacheKey(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  return compareVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) > 0
}

function isSame(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid
}

/** The answer to a write that removed the last finalizer shows an object that is gone by now. */
function isEnded(object: KubeObject): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata
  return deletionTimestamp !== undefined && (finalizers ?? NONE).length === 0 && !deletionGracePeriodSeconds
}

function addRows(table: IndexTable, object: KubeObject): void {
  for (const value of table.values(object)) {
    const row = table.rows.get(value)
    if (row === undefined) table.rows.set(value, new Set([object]))
    else row.add(object)
  }
}

function removeRows(table: IndexTable, object: KubeObject): void {
  for (const value of table.values(object)) {
    const row = table.rows.get(value)
    row?.delete(object)
    if (row?.size === 0) table.rows.delete(value)
  }
}
