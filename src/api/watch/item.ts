// One event for one watcher. The object is parsed only when somebody looks at it; its text is the stored bytes.
import type { WatchEventType } from '../../base/call.ts'
import { statusOf } from '../../base/errors.ts'
import { printJson } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import type { StoredEntry } from '../../store/store.ts'
import type { Core } from '../core.ts'
import { plainText } from '../resource/stored.ts'
import type { Served } from '../served.ts'
import type { SharedEvent } from './shared-event.ts'

export interface WatchItem {
  readonly type: WatchEventType
  readonly sizeBytes: number
  object(): KubeObject
  /** JSON of the object. */
  text(): string
  /** Set when other watchers get the same event: bytes made for one serve all. */
  readonly shared?: SharedEvent
}

export function itemOfEntry(core: Core, served: Served, entry: StoredEntry): WatchItem {
  return {
    type: 'ADDED',
    sizeBytes: entry.value.length,
    object: () => core.parsed.get(served, entry),
    text: () => plainText(served, entry) ?? printJson(core.parsed.get(served, entry)),
  }
}

/** An event whose object is shown in its state after the event (for a deletion: its last). */
export function itemOfEvent(type: WatchEventType, shared: SharedEvent): WatchItem {
  const { event, served } = shared
  const value = event.value ?? event.previous?.value ?? new Uint8Array()
  const entry = { key: event.key, value, revision: event.revision, createRevision: 0 }
  return {
    type,
    sizeBytes: value.length,
    object: () => shared.object(),
    text: () => plainText(served, entry) ?? printJson(shared.object()),
    shared,
  }
}

/** An object that left the selection: its last selected state, with the revision of the change. */
export function itemOfLeaving(shared: SharedEvent): WatchItem {
  const object = () => shared.previous() ?? shared.object()
  return {
    type: 'DELETED',
    sizeBytes: shared.event.value?.length ?? 0,
    object,
    text: () => printJson(object()),
  }
}

export function itemOfBookmark(served: Served, revision: number, initialEnd: boolean): WatchItem {
  const object: KubeObject = {
    kind: served.kind.kind,
    apiVersion: served.apiVersion,
    metadata: {
      resourceVersion: String(revision),
      ...(initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  }
  return { type: 'BOOKMARK', sizeBytes: 200, object: () => object, text: () => printJson(object) }
}

export function itemOfError(error: unknown): WatchItem {
  const status = statusOf(error) as unknown as KubeObject
  return { type: 'ERROR', sizeBytes: 500, object: () => status, text: () => printJson(status) }
}
