// One request to the Kubernetes API as data, after HTTP and before JSON. The HTTP front and the in-process client
// both speak it, so that what a controller sees is what kubectl sees.
import type { JsonObject } from './json.ts'
import type { KubeObject } from './object.ts'

export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'
export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

export interface CallOptions {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: string
  readonly limit?: number
  readonly continueToken?: string
  readonly timeoutSeconds?: number
  readonly allowWatchBookmarks?: boolean
  readonly sendInitialEvents?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
  readonly force?: boolean
  readonly dryRun?: boolean
}

export interface ApiCall {
  readonly verb: Verb
  readonly group: string
  readonly version: string
  /** Plural resource, for instance `virtualmachines`. */
  readonly resource: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  readonly options: CallOptions
  readonly user: UserInfo
  /** The object, the patch document, or DeleteOptions. Never edited by the callee. */
  readonly body?: JsonObject | readonly unknown[]
  readonly patchType?: PatchType
  /** Duplicate fields found while decoding the body, as paths; they count for fieldValidation. */
  readonly duplicateFields?: readonly string[]
  readonly signal?: AbortSignal
}

export interface ApiAnswer {
  readonly code: number
  /** Frozen. An object, a list, a Status. */
  readonly object: KubeObject | JsonObject
  readonly warnings: readonly string[]
}

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
export interface WatchEvent {
  readonly type: WatchEventType
  /** Frozen and shared between watchers. For ERROR a Status. */
  readonly object: KubeObject
}

/** What the API server offers to the front and to the in-process client. Refusals are thrown as ApiError. */
export interface ApiPort {
  call(call: ApiCall): Promise<ApiAnswer>
  /** Ends when the signal aborts, the timeout passes or the watcher is too slow. */
  watch(call: ApiCall): AsyncIterable<WatchEvent>
}
