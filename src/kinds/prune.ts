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
  return pruned(value, compile(schema), atRoot, undefined, '') as T
}

/** Paths of the fields that prune would drop, for instance `spec.template.nope` or `spec.disks[0].x`. */
export function unknownFields(value: Json, schema: Schema, atRoot = true): readonly string[] {
  const paths: string[] = []
  pruned(value, compile(schema), atRoot, paths, '')
  return paths
}

/** Both answers of one walk. */
export function pruneAndTell<T extends Json>(value: T, schema: Schema): { value: T; unknown: string[] } {
  const unknown: string[] = []
  const result = pruned(value, compile(schema), true, unknown, '') as T
  return { value: result, unknown }
}

function pruned(
  value: Json,
  node: Compiled,
  root: boolean,
  dropped: string[] | undefined,
  path: string,
): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return prunedList(value, node, dropped, path)
  return prunedObject(value as JsonObject, node, root, dropped, path)
}

function prunedList(
  value: readonly Json[],
  node: Compiled,
  dropped: string[] | undefined,
  path: string,
): readonly Json[] {
  const { items } = childrenOf(node)
  if (!items && node.open) return value
  const schema = items ?? NOTHING
  let copy: Json[] | undefined
  for (let index = 0; index < value.length; index += 1) {
    const before = value[index] as Json
    if (typeof before !== 'object' || before === null) continue
    const after = pruned(before, schema, false, dropped, dropped ? `${path}[${index}]` : '')
    if (after !== before) {
      copy ??= [...value]
      copy[index] = after
    }
  }
  return copy ?? value
}

const NOTHING = compile({})

function prunedObject(
  value: JsonObject,
  node: Compiled,
  root: boolean,
  dropped: string[] | undefined,
  path: string,
): JsonObject {
  const { fields, values } = childrenOf(node)
  const extra = node.schema.additionalProperties
  const embedded = root || node.schema['x-kubernetes-embedded-resource'] === true
  let changed: Map<string, Json | undefined> | undefined
  for (const name of Object.keys(value)) {
    const before = value[name] as Json
    const field = fields.get(name)
    if (embedded && EMBEDDED_FIELDS.has(name)) continue
    if (field === undefined && extra === undefined && !node.open) {
      changed ??= new Map()
      changed.set(name, undefined)
      dropped?.push(path === '' ? name : `${path}.${name}`)
      continue
    }
    if (typeof before !== 'object' || before === null) continue
    const schema = field ?? values ?? (extra !== undefined ? NOTHING : undefined)
    if (!schema) continue
    const after = pruned(
      before,
      schema,
      false,
      dropped,
      dropped ? (path === '' ? name : `${path}.${name}`) : '',
    )
    if (after !== before) {
      changed ??= new Map()
      changed.set(name, after)
    }
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
