// From a request's body to an object of the wanted kind: identity checked, unknown and duplicate fields reported or
// refused, pruned, nulls dropped.
import type { CallOptions } from '../../base/call.ts'
import { refuse } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json.ts'
import type { KubeObject } from '../../base/object.ts'
import { readObject } from '../../kinds/interpreter.ts'
import type { Work } from '../core.ts'
import type { Served } from '../served.ts'

/** The object that a create, update or apply carries. */
export function readBody(work: Work, served: Served = work.served): KubeObject {
  const body = work.call.body
  if (!isObject(body)) throw notAnObject(served)
  return readState(work, served, body)
}

/** The same for an object that came out of a patch. */
export function readState(work: Work, served: Served, body: JsonObject): KubeObject {
  const { object, unknown } = readObject(served.kind, withIdentity(served, body))
  reportFields(work, served, unknown)
  return object
}

function notAnObject(served: Served) {
  return refuse.badRequest(
    `the body of the request must be one ${served.kind.kind} object, as JSON, YAML or protobuf`,
  )
}

function withIdentity(served: Served, body: JsonObject): JsonObject {
  const { apiVersion, kind, metadata = {} } = body
  if (!isObject(metadata)) {
    if (metadata !== null) throw refuse.badRequest('metadata of the object must be an object')
  }
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== served.apiVersion)
    throw refuse.badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${served.apiVersion})`,
    )
  if (kind !== undefined && kind !== '' && kind !== served.kind.kind)
    throw refuse.badRequest(
      `the kind in the data (${String(kind)}) does not match the expected kind (${served.kind.kind})`,
    )
  if (served.kind.habit === 'custom' && !kind)
    throw refuse.badRequest(`Object 'Kind' is missing in the ${served.kind.kind} given`)
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = body
  return { apiVersion: served.apiVersion, kind: served.kind.kind, metadata: metadata ?? {}, ...rest }
}

function reportFields(work: Work, served: Served, unknown: readonly string[]): void {
  const duplicates = (work.call.duplicateFields ?? []).map((field) =>
    field.includes(' ') ? field : `duplicate field "${field}"`,
  )
  const problems = [...duplicates, ...unknown.map((field) => `unknown field "${field}"`)]
  if (problems.length === 0) return
  const mode = fieldValidationOf(work.call.options)
  if (mode === 'Ignore') return
  if (mode === 'Warn') {
    for (const problem of problems) if (!work.warnings.includes(problem)) work.warnings.push(problem)
    return
  }
  const { kind, version } = served.kind
  throw refuse.badRequest(
    `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`,
  )
}

function fieldValidationOf(options: CallOptions): 'Ignore' | 'Warn' | 'Strict' {
  return options.fieldValidation ?? 'Warn'
}
