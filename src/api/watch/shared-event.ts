// One store event as all its watchers see it: parsed once, encoded once for each form.
import { assert } from '../../base/assert.ts'
import { deepFreeze } from '../../base/freeze.ts'
import type { KubeObject } from '../../base/object.ts'
import type { StoredEntry, StoreEvent } from '../../store/store.ts'
import { type ParsedCache, parseStored, withRevision } from '../resource/stored.ts'
import type { Served } from '../served.ts'

/** Events that stay shared; watchers of one event are told in the same turn, so few are enough. */
const SHARED_EVENTS = 256

export class SharedEvent {
  readonly event: StoreEvent
  readonly served: Served
  readonly #share: EventShare
  #object: KubeObject | undefined
  #previous: KubeObject | undefined
  #frames: Map<string, Uint8Array> | undefined

  constructor(share: EventShare, served: Served, event: StoreEvent) {
    this.#share = share
    this.served = served
    this.event = event
  }

  /** The object after the event; for a deletion its last state. */
  object(): KubeObject {
    this.#object ??= this.#parsed() ?? this.previous()
    assert(this.#object !== undefined, 'an event of nothing')
    return this.#object
  }

  previous(): KubeObject | undefined {
    const entry = this.event.previous
    if (!entry) return undefined
    // With the revision of this event, as a watcher that loses the object from its selection must see it.
    this.#previous ??= this.#earlier(entry) ?? parseStored(this.served, entry.value, this.event.revision)
    return this.#previous
  }

  /** The object when somebody parsed it for this event, or wrote it a moment ago. */
  get atHand(): KubeObject | undefined {
    return this.#object
  }

  #parsed(): KubeObject | undefined {
    const { key, revision, value } = this.event
    if (!value) return undefined
    return this.#share.parsed.peek(this.served, key, revision) ?? parseStored(this.served, value, revision)
  }

  #earlier({ key, revision }: StoredEntry): KubeObject | undefined {
    const known =
      this.#share.known(this.served, revision)?.atHand ?? this.#share.parsed.peek(this.served, key, revision)
    return known && deepFreeze(withRevision(known, this.event.revision))
  }

  /** Bytes of this event in one form, made on first use. */
  frame(form: string, make: () => Uint8Array): Uint8Array {
    this.#frames ??= new Map()
    const known = this.#frames.get(form)
    if (known) return known
    const made = make()
    this.#frames.set(form, made)
    return made
  }
}

export class EventShare {
  readonly parsed: ParsedCache
  readonly #byRevision = new Map<string, SharedEvent>()

  /** `parsed` holds what was written a moment ago. */
  constructor(parsed: ParsedCache) {
    this.parsed = parsed
  }

  of(served: Served, event: StoreEvent): SharedEvent {
    const known = this.known(served, event.revision)
    if (known) return known
    const shared = new SharedEvent(this, served, event)
    this.#byRevision.set(keyOf(served, event.revision), shared)
    if (this.#byRevision.size > SHARED_EVENTS) {
      const [oldest] = this.#byRevision.keys()
      if (oldest !== undefined) this.#byRevision.delete(oldest)
    }
    return shared
  }

  clear(): void {
    this.#byRevision.clear()
  }

  known(served: Served, revision: number): SharedEvent | undefined {
    return this.#byRevision.get(keyOf(served, revision))
  }
}

function keyOf(served: Served, revision: number): string {
  return `${revision} ${served.apiVersion}`
}
