// Checking a value against a schema, with the causes and words that Kubernetes answers for custom resources.
// On update, a part that is wrong but unchanged does not stand in the way (ratcheting).

import { deepEqual } from '../base/equality.ts'
import { type Cause, cause } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { checkValue, typeName } from './checks.ts'
import { type Compiled, childrenOf, compile } from './compiled.ts'

export interface ValidateOptions {
  /** The stored value on update: what is unchanged in it is not refused. */
  readonly previous?: Json | undefined
  /** Path of `value` inside the object; empty for the object itself. */
  readonly path?: string
  /** Built-in kinds: empty text and empty lists count as missing, nulls as absent. */
  readonly core?: boolean
}

/** Everything wrong with a value; empty when it is right. */
export function validate(value: Json, schema: Schema, options: ValidateOptions = {}): readonly Cause[] {
  const causes: Cause[] = []
  const walk: Walk = { causes, core: options.core === true }
  check(value, compile(schema), { path: options.path ?? '', old: options.previous }, walk)
  return causes
}

interface Walk {
  readonly causes: Cause[]
  readonly core: boolean
}

/** Where the walk is: the path for causes, and the stored value of the same place. */
interface Place {
  readonly path: string
  readonly old: Json | undefined
}

function check(value: Json, node: Compiled, place: Place, walk: Walk): void {
  const { causes } = walk
  const before = causes.length
  if (value === null) {
    if (!node.nullable && !walk.core && (node.type !== undefined || node.intOrString)) {
      causes.push(wrongType(place.path, 'null', node))
    }
  } else if (!typeFits(value, node)) {
    causes.push(wrongType(place.path, typeName(value), node))
    if (node.checked) checkValue(value, node.schema, place.path, causes)
  } else {
    if (node.checked) checkValue(value, node.schema, place.path, causes)
    if (Array.isArray(value)) checkItems(value, node, place, walk)
    else if (typeof value === 'object') checkFields(value as JsonObject, node, place, walk)
  }
  if (causes.length > before && place.old !== undefined && deepEqual(place.old, value)) causes.length = before
}

function checkItems(value: readonly Json[], node: Compiled, { path, old }: Place, walk: Walk): void {
  const { items } = childrenOf(node)
  if (!items) return
  const keys = node.schema['x-kubernetes-list-map-keys']
  for (let index = 0; index < value.length; index += 1) {
    const item = value[index] as Json
    check(item, items, { path: `${path}[${index}]`, old: oldItem(old, item, keys) }, walk)
  }
}

function oldItem(old: Json | undefined, item: Json, keys: readonly string[] | undefined): Json | undefined {
  if (!keys || !Array.isArray(old) || typeof item !== 'object' || item === null) return undefined
  const wanted = item as JsonObject
  return (old as readonly Json[]).find(
    (candidate) =>
      typeof candidate === 'object' &&
      candidate !== null &&
      keys.every((key) => deepEqual((candidate as JsonObject)[key], wanted[key])),
  )
}

function checkFields(value: JsonObject, node: Compiled, { path, old }: Place, walk: Walk): void {
  const { fields, values, required } = childrenOf(node)
  for (const name of required) {
    if (isMissing(value, name, walk.core)) walk.causes.push(cause.required(join(path, name)))
  }
  const before =
    typeof old === 'object' && old !== null && !Array.isArray(old) ? (old as JsonObject) : undefined
  for (const name of Object.keys(value)) {
    const field = fields.get(name) ?? values
    if (!field) continue
    const inner = value[name]
    if (inner === undefined) continue
    check(inner, field, { path: join(path, name), old: before?.[name] }, walk)
  }
}

function isMissing(value: JsonObject, name: string, core: boolean): boolean {
  if (!Object.hasOwn(value, name)) return true
  const inner = value[name]
  if (!core) return inner === undefined
  return inner === undefined || inner === null || inner === '' || (Array.isArray(inner) && inner.length === 0)
}

export function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function typeFits(value: Json, node: Compiled): boolean {
  if (node.intOrString) return typeof value === 'string' || isInteger(value)
  switch (node.type) {
    case undefined:
      return true
    case 'string':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return isInteger(value)
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint'
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
  }
}

export function isInteger(value: Json): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
}

function wrongType(path: string, actual: string, node: Compiled): Cause {
  const wanted = node.intOrString ? 'integer,string' : (node.type ?? 'object')
  return cause.typeInvalid(
    path === '' ? '<nil>' : path,
    actual,
    `${path} in body must be of type ${wanted}: "${actual}"`,
  )
}
