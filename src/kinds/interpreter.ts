// The one way from what somebody sent to an object of a kind: read, default, validate. Built-in kinds (`core`
// habit) and custom ones go through the same doors and differ only in Kubernetes' own habits. All functions are
// pure, never edit what they are given, and return unchanged parts as they are.
import type { Cause } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { KubeObject } from '../base/object.ts'
import { applyDefaults } from './defaults.ts'
import type { AnyKind } from './kind.ts'
import { validateListTypes } from './list-types.ts'
import { objectMetaSchema } from './meta.ts'
import { pruneAndDropNulls, unknownFields } from './prune.ts'
import { readTyped } from './typed.ts'
import { validate } from './validate.ts'

export interface ReadObject {
  readonly object: KubeObject
  /** Paths of fields that no schema names; they are no longer in `object`. */
  readonly unknown: readonly string[]
}

/**
 * Takes a decoded body (or the outcome of a patch) as an object of `kind`: unknown fields dropped and told, nulls
 * dropped as the kind's habit is, and for built-in kinds amounts and times in canonical text.
 * Throws a 400 where a field of a built-in kind, or of metadata, has the wrong type.
 */
export function readObject(kind: AnyKind, body: JsonObject): ReadObject {
  const unknown: string[] = []
  const reading = { kind: kind.kind, version: kind.version, unknown }
  if (kind.habit === 'core') {
    const object = readTyped<Json>(body, kind.schema, reading)
    return { object: object as unknown as KubeObject, unknown }
  }
  const { metadata } = body
  const typed =
    metadata === undefined || metadata === null
      ? metadata
      : readTyped<Json>(metadata, objectMetaSchema, reading, 'metadata')
  const whole = typed === metadata ? body : { ...body, metadata: typed }
  const object = pruneAndDropNulls<Json>(whole, kind.schema)
  // Most objects have no unknown fields; only those that changed are walked again for the paths.
  if (object !== whole) unknown.push(...unknownFields(whole, kind.schema))
  return { object: object as unknown as KubeObject, unknown }
}

/** The object with the defaults of its schema and, for built-in kinds, the fields that are always written. */
export function withDefaults(kind: AnyKind, object: KubeObject): KubeObject {
  return applyDefaults(object as unknown as Json, kind.schema) as unknown as KubeObject
}

/** What the schema finds wrong. `previous` is the stored object on update; unchanged wrongs in it are let through. */
export function validateObject(kind: AnyKind, object: KubeObject, previous?: KubeObject): readonly Cause[] {
  const value = object as unknown as Json
  const old = previous as unknown as Json | undefined
  const core = kind.habit === 'core'
  const causes = validate(value, kind.schema, { previous: old, core })
  return core ? causes : [...causes, ...validateListTypes(value, kind.schema)]
}
