// From a call to what answers it: the kind is found, the user is authorized, the verb and subresource choose the step.
import type { ApiCall } from '../base/call.ts'
import { refuse } from '../base/errors.ts'
import { attributesOf, requireAllowed } from './authz/authorize.ts'
import type { Core, Outcome, Work } from './core.ts'
import { kept } from './resource/commit.ts'
import { createOne } from './resource/create.ts'
import { deleteCollection, deleteOne } from './resource/delete.ts'
import { patchOne } from './resource/patch.ts'
import { readList, readOne } from './resource/read.ts'
import { updateOne } from './resource/update.ts'
import type { Served } from './served.ts'
import { findAction } from './subresource/actions.ts'

/** Finds the kind and checks that it offers the verb. Throws 404 or 405. */
export function findServed(core: Core, call: ApiCall): Served {
  const served = core.served.find(call.group, call.version, call.resource)
  if (!served) throw refuse.noSuchResource()
  if (call.subresource === undefined) {
    if (!served.kind.verbs.includes(call.verb)) throw refuse.methodNotAllowed()
    return served
  }
  const subresource = served.kind.subresources[call.subresource]
  if (!subresource) throw refuse.noSuchResource()
  if (!subresource.verbs.includes(call.verb)) throw refuse.methodNotAllowed()
  return served
}

/** A call whose user is known to be allowed. */
export async function dispatch(core: Core, call: ApiCall, warnings: string[]): Promise<Outcome> {
  const outcome = await act(core, call, warnings)
  // Reads, and writes that change nothing, see what is still on its way to the disk. It is told only when it is there.
  const shown =
    outcome.is === 'entry' ? outcome.entry.revision : outcome.is === 'page' ? outcome.page.revision : 0
  if (shown > core.store.revision()) await kept(core.store.settled(shown))
  return outcome
}

async function act(core: Core, call: ApiCall, warnings: string[]): Promise<Outcome> {
  const work = workFor(core, call, warnings)
  checkPlace(work)
  const action = findAction(work)
  if (action) return action(work)
  refuseForeign(work)
  switch (call.verb) {
    case 'get':
      return readOne(work)
    case 'list':
      return readList(work)
    case 'create':
      return createOne(work)
    case 'update':
      return updateOne(work)
    case 'patch':
      return patchOne(work)
    case 'delete':
      return deleteOne(work)
    case 'deletecollection':
      return deleteCollection(work)
    default:
      throw refuse.methodNotAllowed()
  }
}

export function workFor(core: Core, call: ApiCall, warnings: string[]): Work {
  const served = findServed(core, call)
  if (served.deprecation !== undefined && !warnings.includes(served.deprecation))
    warnings.push(served.deprecation)
  return { core, call, served, user: call.user, warnings, now: core.clock.now() }
}

/** A subresource that speaks another kind, or is created, is no door to the object itself. */
function refuseForeign({ served, call }: Work): void {
  if (call.subresource === undefined) return
  const subresource = served.kind.subresources[call.subresource]
  if (subresource?.kind || call.verb === 'create') throw refuse.noSuchResource()
}

/** Namespaced kinds are named inside a namespace, the others outside. */
function checkPlace({ served, call }: Work): void {
  if (served.namespaced) {
    if (!call.namespace && call.verb !== 'list' && call.verb !== 'watch')
      throw call.verb === 'create' || call.verb === 'deletecollection'
        ? refuse.methodNotAllowed()
        : refuse.noSuchResource()
  } else if (call.namespace) throw refuse.noSuchResource()
}

export function authorizeCall(core: Core, call: ApiCall): void {
  requireAllowed(core.rbac, call.user, attributesOf(call))
}
