// namespaces/NAME/finalize: the only door through which a Namespace's own finalizers are changed.
import { refuse } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { readBody } from '../resource/body.ts'
import { commitUpdate } from '../resource/commit.ts'
import { conflict, readBefore } from '../resource/update.ts'

export async function finalizeNamespace(work: Work): Promise<Outcome> {
  const body = readBody(work)
  const before = readBefore(work)
  if (!before) throw refuse.notFound(resourceOf(work.served), work.call.name ?? '')
  const { object } = before
  const wanted = body.metadata.resourceVersion
  if (wanted !== undefined && wanted !== object.metadata.resourceVersion) throw conflict(work)
  const { finalizers: _had, ...spec } = (object['spec'] as JsonObject | undefined) ?? {}
  const finalizers = (body['spec'] as { readonly finalizers?: readonly string[] } | undefined)?.finalizers
  const next = { ...object, spec: finalizers?.length ? { ...spec, finalizers } : spec }
  const committed = await commitUpdate(work, before, next)
  if (!committed) throw conflict(work)
  return committed
}
