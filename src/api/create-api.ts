// The API server whole: gathers ports, indexes and caches, and offers the API in-process and as an HTTP handler.
import type { ApiPort } from '../base/call.ts'
import type { HttpHandler } from '../host/host.ts'
import { Tokens } from './authn/tokens.ts'
import { Rbac } from './authz/rbac.ts'
import { bootstrap } from './bootstrap/bootstrap.ts'
import type { Core } from './core.ts'
import { cleanDefinitions } from './crd/cleanup.ts'
import { Definitions } from './crd/definitions.ts'
import { keepRegistrations } from './crd/registrations.ts'
import type { ApiDeps } from './deps.ts'
import { Discovery } from './discovery/documents.ts'
import { httpFront } from './http/front.ts'
import { aggregateRoles } from './lifecycle/aggregated-roles.ts'
import { expireOldEvents } from './lifecycle/expiry.ts'
import { collectGarbage } from './lifecycle/garbage.ts'
import { keepNamespaces } from './lifecycle/namespaces.ts'
import { OpenApiDocuments } from './openapi/openapi.ts'
import { portOf } from './port.ts'
import { ParsedCache } from './resource/stored.ts'
import { ServedKinds } from './served.ts'
import { EventShare } from './watch/shared-event.ts'

export interface Api extends ApiPort {
  readonly handler: HttpHandler
  /** For rooms' own tests and for main.ts; requests go through the port or the handler. */
  readonly core: Core
  /** Ends background work; open watches end with the store. */
  close(): void
}

export async function createApi(deps: ApiDeps): Promise<Api> {
  const { clock, random, log, meter } = deps.host
  const served = new ServedKinds(deps.kinds)
  const parsed = new ParsedCache()
  const parts: Omit<Core, 'definitions'> = {
    deps,
    store: deps.store,
    clock,
    random,
    log,
    meter,
    served,
    discovery: new Discovery(served),
    openApi: new OpenApiDocuments({ served, deps }),
    parsed,
    rbac: new Rbac(deps.store),
    share: new EventShare(parsed),
    tokens: new Tokens(deps.identity.issuer, deps.identity.tokenKeys),
  }
  const core = withDefinitions(parts)
  // What was parsed under other schemas is not what they say now.
  core.served.onChange(() => {
    core.parsed.clear()
    core.share.clear()
  })
  const stopDefinitions = core.definitions.start()
  await bootstrap(core)
  const workers = [
    keepNamespaces(core),
    collectGarbage(core),
    aggregateRoles(core),
    cleanDefinitions(core),
    keepRegistrations(core),
    expireOldEvents(core),
  ]
  return {
    ...portOf(core),
    handler: httpFront(core),
    core,
    close: () => {
      for (const worker of workers) worker.close()
      stopDefinitions()
      core.rbac.close()
    },
  }
}

/** Definitions need the core that they are a part of. */
function withDefinitions(parts: Omit<Core, 'definitions'>): Core {
  const core = { ...parts } as { -readonly [K in keyof Core]: Core[K] }
  core.definitions = new Definitions(core)
  return core
}
