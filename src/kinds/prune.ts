// Dropping what a schema does not know, and telling what would be dropped (strict decoding). Values are never
// edited: an unchanged part is returned as it is.
import type { Json, JsonObject } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { type Compiled, childrenOf, compile, EMBEDDED_FIELDS } from './compiled.ts'

/**
 * The value without fields that the schema does not name. At the root (and in embedded resources) apiVersion, kind
 * and metadata always stay.
 */
export function prune<T extends Json>(value: T, schema: Schema, atRoot = true): T {
  return pruned(value, compile(schema), { atRoot }, '') as T
}

/** Paths of the fields that prune would drop, for instance `spec.template.nope` or `spec.disks[0].x`. */
export function unknownFields(value: Json, schema: Schema, atRoot = true): readonly string[] {
  const unknown: string[] = []
  pruned(value, compile(schema), { atRoot, unknown }, '')
  return unknown
}

/** Prune, and drop nulls of fields that may not be null and have no default, as custom resources do. */
export function pruneAndDropNulls<T extends Json>(value: T, schema: Schema): T {
  return pruned(value, compile(schema), { atRoot: true, dropNulls: true }, '') as T
}

interface Walk {
  readonly atRoot?: boolean
  readonly dropNulls?: boolean
  /** Collects the paths of dropped fields. */
  readonly unknown?: string[]
}

function pruned(value: Json, node: Compiled, walk: Walk, path: string): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return prunedList(value, node, walk, path)
  return prunedObject(value as JsonObject, node, walk, path)
}

const inside = (walk: Walk): Walk => (walk.atRoot ? { ...walk, atRoot: false } : walk)
/** Paths cost time, so they are only made where somebody reads them. */
const join = (walk: Walk, path: string, name: string): string =>
  walk.unknown ? (path === '' ? name : `${path}.${name}`) : ''

function prunedList(value: readonly Json[], node: Compiled, walk: Walk, path: string): readonly Json[] {
  const { items } = childrenOf(node)
  if (!items && node.open) return value
  const schema = items ?? NOTHING
  const next = inside(walk)
  let copy: Json[] | undefined
  for (let index = 0; index < value.length; index += 1) {
    const before = value[index] as Json
    if (typeof before !== 'object' || before === null) continue
    const after = pruned(before, schema, next, walk.unknown ? `${path}[${index}]` : '')
    if (after !== before) {
      copy ??= [...value]
      copy[index] = after
    }
  }
  return copy ?? value
}

const NOTHING = compile({})

function prunedObject(value: JsonObject, node: Compiled, walk: Walk, path: string): JsonObject {
  const { fields, values } = childrenOf(node)
  const extra = node.schema.additionalProperties
  const embedded = walk.atRoot || node.schema['x-kubernetes-embedded-resource'] === true
  const next = inside(walk)
  let changed: Map<string, Json | undefined> | undefined
  for (const name of Object.keys(value)) {
    const before = value[name] as Json
    const field = fields.get(name)
    if (embedded && EMBEDDED_FIELDS.has(name)) continue
    let after: Json | undefined = before
    if (field === undefined && extra === undefined && !node.open) {
      after = undefined
      walk.unknown?.push(join(walk, path, name))
    } else {
      const schema = field ?? values ?? (extra === undefined ? undefined : NOTHING)
      if (!schema) continue
      if (before !== null) {
        if (typeof before === 'object') after = pruned(before, schema, next, join(walk, path, name))
      } else if (walk.dropNulls && schema !== NOTHING && !schema.nullable && schema.default === undefined) {
        after = undefined
      }
    }
    if (after === before) continue
    changed ??= new Map()
    changed.set(name, after)
  }
  return changed ? withChanges(value, changed) : value
}

/** A copy with some fields replaced or, where the change is undefined, left out. Key order is kept. */
export function withChanges(value: JsonObject, changes: ReadonlyMap<string, Json | undefined>): JsonObject {
  const copy: Record<string, Json | undefined> = {}
  for (const name of Object.keys(value)) {
    const next = changes.has(name) ? changes.get(name) : value[name]
    if (next !== undefined) setOwn(copy, name, next)
  }
  return copy
}

/** Assignment that also works for a field named `__proto__`. */
export function setOwn(target: Record<string, Json | undefined>, name: string, value: Json): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
  } else {
    target[name] = value
  }
}
