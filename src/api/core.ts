// What every step of the pipeline works with: the ports, the indexes and caches, gathered once by createApi.
import type { ApiCall, UserInfo } from '../base/call.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Clock, Log, Meter, Random } from '../host/host.ts'
import type { Revision, Store, StoredEntry } from '../store/store.ts'
import type { Tokens } from './authn/tokens.ts'
import type { Rbac } from './authz/rbac.ts'
import type { Definitions } from './crd/definitions.ts'
import type { ApiDeps } from './deps.ts'
import type { Discovery } from './discovery/documents.ts'
import type { OpenApiDocuments } from './openapi/openapi.ts'
import type { ParsedCache } from './resource/stored.ts'
import type { Served, ServedKinds } from './served.ts'
import type { EventShare } from './watch/shared-event.ts'

export interface Core {
  readonly deps: ApiDeps
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly meter: Meter
  readonly served: ServedKinds
  readonly parsed: ParsedCache
  readonly rbac: Rbac
  readonly share: EventShare
  readonly discovery: Discovery
  readonly openApi: OpenApiDocuments
  readonly definitions: Definitions
  readonly tokens: Tokens
}

/** One call on its way: the kind is found, the user is allowed. Warnings are gathered as the steps find them. */
export interface Work {
  readonly core: Core
  readonly call: ApiCall
  readonly served: Served
  readonly user: UserInfo
  readonly warnings: string[]
  /** Milliseconds since 1970; one call has one time. */
  readonly now: number
}

export interface ListPage {
  readonly entries: readonly StoredEntry[]
  readonly revision: Revision
  readonly continueToken?: string
  readonly remaining?: number
}

/** What a call comes to. Entries stay bytes until somebody needs the object. */
export type Outcome =
  | { readonly is: 'entry'; readonly code: number; readonly served: Served; readonly entry: StoredEntry }
  | { readonly is: 'object'; readonly code: number; readonly object: KubeObject | JsonObject }
  | { readonly is: 'page'; readonly code: number; readonly served: Served; readonly page: ListPage }

export function resourceOf(served: Served): { readonly group: string; readonly resource: string } {
  return { group: served.kind.group, resource: served.kind.plural }
}
