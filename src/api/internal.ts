// Calls that the server makes to itself, for what it keeps in order on its own: bootstrap objects, defaults of
// namespaces, garbage. They pass the same pipeline as everybody's.
import type { ApiCall, UserInfo, Verb } from '../base/call.ts'
import { ApiError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import type { Core } from './core.ts'
import { dispatch } from './dispatch.ts'
import { objectOf } from './port.ts'
import { keyFor, type Served } from './served.ts'

const SELF: UserInfo = { username: 'system:apiserver', groups: ['system:masters'] }
const MANAGER = 'croft-apiserver'

export interface Target {
  readonly served: Served
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  readonly subresource?: string
}

export function callFor(verb: Verb, target: Target, body?: JsonObject): ApiCall {
  const { kind } = target.served
  return {
    verb,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    ...(target.name === undefined ? {} : { name: target.name }),
    ...(target.subresource === undefined ? {} : { subresource: target.subresource }),
    options: { fieldManager: MANAGER, fieldValidation: 'Ignore' },
    user: SELF,
    ...(body === undefined ? {} : { body }),
  }
}

export async function callSelf(core: Core, call: ApiCall): Promise<JsonObject> {
  return objectOf(core, await dispatch(core, call, []))
}

/** Creates the object unless one of that name is there. True when it was made. */
export async function ensureObject(core: Core, object: JsonObject): Promise<boolean> {
  const { apiVersion, kind, metadata } = object as unknown as KubeObject
  const served = core.served.findByKind(apiVersion, kind)
  if (!served) return false
  // At start nearly all are there; that is told without taking them through the whole pipeline.
  if (core.store.get(keyFor(served, metadata.namespace, metadata.name ?? ''))) return false
  try {
    await callSelf(core, callFor('create', { served, namespace: metadata.namespace }, object))
    return true
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return false
    throw error
  }
}

/** True when the error only says that somebody else was there first. */
export function isRaced(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 404 || error.code === 409)
}
