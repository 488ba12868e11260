// Puts the default objects in place at start. What is there already stays as it is, but for default roles that say
// they may be updated: they get back the rules they lack.
import { ApiError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { type PolicyRule, uncoveredRules } from '../authz/rules.ts'
import type { Core } from '../core.ts'
import { callFor, callSelf, ensureObject } from '../internal.ts'
import { findObject } from '../resource/read.ts'
import { bootstrapObjects } from './objects.ts'
import { bootstrapRbac } from './rbac.ts'

const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate'

export async function bootstrap(core: Core): Promise<void> {
  const { advertised, identity } = core.deps
  for (const object of bootstrapObjects(advertised, identity.clientCaPem)) await ensure(core, object)
  for (const object of await bootstrapRbac()) {
    const made = await ensure(core, object)
    if (!made) await addMissingRules(core, object)
  }
}

/** A default object that cannot be made must not keep the server from starting; it is logged. */
async function ensure(core: Core, object: JsonObject): Promise<boolean> {
  try {
    return await ensureObject(core, object)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { kind, metadata } = object as unknown as KubeObject
    core.log.error('a default object could not be made', {
      kind,
      name: metadata.name,
      message: error.message,
    })
    return true
  }
}

async function addMissingRules(core: Core, wanted: JsonObject): Promise<void> {
  const { apiVersion, kind, metadata } = wanted as unknown as KubeObject
  const rules = wanted['rules'] as readonly PolicyRule[] | undefined
  const served = core.served.findByKind(apiVersion, kind)
  if (!served || !rules) return
  const found = findObject(core, served, metadata.namespace, metadata.name ?? '')
  if (found?.metadata.annotations?.[AUTOUPDATE] !== 'true') return
  const had = (found['rules'] as readonly PolicyRule[] | undefined) ?? []
  const missing = uncoveredRules(had, rules)
  if (missing.length === 0) return
  const target = { served, namespace: metadata.namespace, name: metadata.name }
  await callSelf(
    core,
    callFor('update', target, { ...found, rules: [...had, ...missing] } as unknown as JsonObject),
  )
}
