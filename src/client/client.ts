// The Kubernetes API as controllers and agents use it: typed by kind, the same in-process and over HTTPS.
// Refusals are thrown as ApiError (base/errors.ts); a lost connection is an ApiError 503.
import type { PatchType, WatchEventType } from '../base/call.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Kind, KindOf } from '../kinds/kind.ts'

export interface Where {
  readonly namespace?: string
  readonly signal?: AbortSignal
}

export interface ListOptions extends Where {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly limit?: number
  readonly continueToken?: string
  readonly resourceVersion?: string
}

export interface ListAnswer<T> {
  readonly items: readonly T[]
  readonly resourceVersion: string
  readonly continueToken?: string
}

export interface WatchOptions extends Where {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Events after this version. Absent: the present objects as ADDED first. */
  readonly resourceVersion?: string
  readonly allowWatchBookmarks?: boolean
  readonly sendInitialEvents?: boolean
}

export interface WriteOptions extends Where {
  readonly subresource?: string
  readonly dryRun?: boolean
  readonly fieldManager?: string
}

export interface PatchOptions extends WriteOptions {
  readonly type?: PatchType
  readonly force?: boolean
}

export interface DeleteOptions extends Where {
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  readonly graceSeconds?: number
  readonly uid?: string
  readonly resourceVersion?: string
}

export interface TypedWatchEvent<T> {
  readonly type: WatchEventType
  readonly object: T
}

export interface Client {
  get<K extends Kind>(kind: K, name: string, where?: Where): Promise<KindOf<K>>
  list<K extends Kind>(kind: K, options?: ListOptions): Promise<ListAnswer<KindOf<K>>>
  watch<K extends Kind>(kind: K, options?: WatchOptions): AsyncIterable<TypedWatchEvent<KindOf<K>>>
  create<K extends Kind>(kind: K, object: KindOf<K>, options?: WriteOptions): Promise<KindOf<K>>
  /** Create on a subresource of a named object, for instance pods/binding or serviceaccounts/token. */
  post(kind: Kind, name: string, subresource: string, object: KubeObject, where?: Where): Promise<KubeObject>
  update<K extends Kind>(kind: K, object: KindOf<K>, options?: WriteOptions): Promise<KindOf<K>>
  /** Merge patch unless `type` says otherwise. */
  patch<K extends Kind>(
    kind: K,
    name: string,
    patch: JsonObject | readonly unknown[],
    options?: PatchOptions,
  ): Promise<KindOf<K>>
  delete(kind: Kind, name: string, options?: DeleteOptions): Promise<void>
}
