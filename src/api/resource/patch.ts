// Patching: the document is applied to the latest state and written by compare-and-swap, again and again until it
// lands, unless the patch itself names a resource version.
import { refuse } from '../../base/errors.ts'
import { isObject, type Json, type JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { jsonPatch } from '../../base/patch/json-patch.ts'
import { mergePatch } from '../../base/patch/merge-patch.ts'
import { strategicPatch } from '../../base/patch/strategic.ts'
import type { Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { applyOne } from './apply.ts'
import { readState } from './body.ts'
import { conflict, readBefore, writeNext } from './update.ts'

/** Times a patch is applied anew after somebody else wrote first. */
const PATCH_ATTEMPTS = 6

export async function patchOne(work: Work): Promise<Outcome> {
  const { call, served } = work
  if (call.patchType === 'apply') return applyOne(work)
  if (call.options.force !== undefined)
    throw refuse.invalid('meta.k8s.io', 'PatchOptions', '', [
      {
        reason: 'FieldValueForbidden',
        field: 'force',
        message: 'Forbidden: may not be specified for non-apply patch',
      },
    ])
  if (call.patchType === 'strategic' && served.kind.habit === 'custom')
    throw refuse.unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`,
    )
  for (let attempt = 0; attempt < PATCH_ATTEMPTS; attempt += 1) {
    const before = readBefore(work)
    if (!before) throw refuse.notFound(resourceOf(served), call.name ?? '')
    const patched = patchedState(work, before.object)
    const wanted = patched.metadata.resourceVersion
    if (wanted !== undefined && wanted !== before.object.metadata.resourceVersion) throw conflict(work)
    checkSameObject(work, before.object, patched)
    const committed = await writeNext(work, before, patched)
    if (committed) return committed
  }
  throw conflict(work)
}

function patchedState(work: Work, previous: KubeObject): KubeObject {
  const { call, served } = work
  const document = previous as unknown as Json
  const { body } = call
  if (call.patchType === 'json') {
    if (!Array.isArray(body)) throw refuse.badRequest('a JSON patch is a list of operations')
    return asState(work, jsonPatch(document, body))
  }
  if (!isObject(body)) throw refuse.badRequest('the patch must be an object')
  return asState(
    work,
    call.patchType === 'strategic'
      ? strategicPatch(document as JsonObject, body, served.kind.schema)
      : mergePatch(document, body),
  )
}

function asState(work: Work, patched: Json): KubeObject {
  if (!isObject(patched)) throw refuse.badRequest('the patch leaves no object')
  return readState(work, work.served, patched)
}

function checkSameObject(work: Work, previous: KubeObject, patched: KubeObject): void {
  const { name = '', namespace, uid } = patched.metadata
  if (name !== previous.metadata.name)
    throw refuse.badRequest(
      `the name of the object (${name}) does not match the name on the URL (${previous.metadata.name ?? ''})`,
    )
  if (namespace !== previous.metadata.namespace)
    throw refuse.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    )
  if (uid !== undefined && uid !== previous.metadata.uid)
    throw refuse.conflict(
      resourceOf(work.served),
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${previous.metadata.uid ?? ''}`,
    )
}
