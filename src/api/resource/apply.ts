// Server-side apply: the fields that one manager wants, merged into what is there, with everybody's ownership kept.
import { applyPatch, unlessOnlyTimes } from '../../base/apply/track.ts'
import { cause, refuse } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import type { Outcome, Work } from '../core.ts'
import { resourceOf } from '../core.ts'
import { readBody } from './body.ts'
import { type Before, type Committed, commitUpdate } from './commit.ts'
import { createApplied, namespaceOf } from './create.ts'
import { trackedOf } from './ownership.ts'
import { check, complete } from './prepare.ts'
import { conflict, countGeneration, mergeStates, readBefore } from './update.ts'

const APPLY_ATTEMPTS = 6

export async function applyOne(work: Work): Promise<Outcome> {
  const { call, served } = work
  const applied = readApplied(work)
  for (let attempt = 0; attempt < APPLY_ATTEMPTS; attempt += 1) {
    const before = readBefore(work)
    if (!before && call.subresource !== undefined) throw refuse.notFound(resourceOf(served), call.name ?? '')
    const result = applyPatch({
      ...trackedOf(work),
      live: before?.object,
      applied,
      force: call.options.force === true,
    })
    const committed = before ? await writeApplied(work, before, result) : await createApplied(work, result)
    if (committed) return committed
  }
  throw conflict(work)
}

function readApplied(work: Work): KubeObject {
  const { call, served } = work
  if (!call.options.fieldManager)
    throw refuse.invalid('meta.k8s.io', 'PatchOptions', '', [
      cause.required('fieldManager', 'is required for apply patch'),
    ])
  const body = call.body
  if (!isObject(body) || !body['apiVersion'] || !body['kind'])
    throw refuse.badRequest('an apply patch must name its apiVersion and kind')
  const applied = readBody(work)
  const { name } = applied.metadata
  if (!name) throw refuse.badRequest('name must be provided')
  if (name !== call.name)
    throw refuse.badRequest(
      `the name of the object (${name}) does not match the name on the URL (${call.name ?? ''})`,
    )
  const namespace = namespaceOf(work, applied)
  return served.namespaced && namespace !== undefined
    ? { ...applied, metadata: { ...applied.metadata, namespace } }
    : applied
}

async function writeApplied(work: Work, before: Before, result: KubeObject): Promise<Committed> {
  const { object } = before
  const wanted = result.metadata.resourceVersion
  if (wanted !== undefined && wanted !== object.metadata.resourceVersion) throw conflict(work)
  const merged = mergeStates(work, object, result)
  const completed = countGeneration(work.served, complete(work, merged, object), object)
  check(work, completed, object)
  return commitUpdate(work, before, unlessOnlyTimes(object, completed))
}
