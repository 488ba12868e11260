// One store event as all its watchers see it: parsed once, encoded once for each form.
import type { KubeObject } from '../../base/object.ts'
import type { StoreEvent } from '../../store/store.ts'
import { parseStored } from '../resource/stored.ts'
import type { Served } from '../served.ts'

/** Events that stay shared; watchers of one event are told in the same turn, so few are enough. */
const SHARED_EVENTS = 256

export class SharedEvent {
  readonly event: StoreEvent
  readonly served: Served
  #object: KubeObject | undefined
  #previous: KubeObject | undefined
  #frames: Map<string, Uint8Array> | undefined

  constructor(served: Served, event: StoreEvent) {
    this.served = served
    this.event = event
  }

  /** The object after the event; for a deletion its last state. */
  object(): KubeObject {
    this.#object ??= parseStored(
      this.served,
      this.event.value ?? this.event.previous?.value ?? new Uint8Array(),
      this.event.revision,
    )
    return this.#object
  }

  previous(): KubeObject | undefined {
    const entry = this.event.previous
    if (!entry) return undefined
    // With the revision of this event, as a watcher that loses the object from its selection must see it.
    this.#previous ??= parseStored(this.served, entry.value, this.event.revision)
    return this.#previous
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
  readonly #byRevision = new Map<string, SharedEvent>()

  of(served: Served, event: StoreEvent): SharedEvent {
    const key = `${event.revision} ${served.apiVersion}`
    const known = this.#byRevision.get(key)
    if (known) return known
    const shared = new SharedEvent(served, event)
    this.#byRevision.set(key, shared)
    if (this.#byRevision.size > SHARED_EVENTS) {
      const [oldest] = this.#byRevision.keys()
      if (oldest !== undefined) this.#byRevision.delete(oldest)
    }
    return shared
  }
}
