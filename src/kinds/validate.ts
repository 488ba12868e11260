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
  check(value, compile(schema), options.path ?? '', options.previous, walk)
  return causes
}

interface Walk {
  readonly causes: Cause[]
  readonly core: boolean
}

function check(value: Json, node: Compiled, path: string, old: Json | undefined, walk: Walk): void {
  const before = walk.causes.length
  if (value === null) {
    if (!node.nullable && !walk.core && (node.type !== undefined || node.intOrString)) {
      walk.causes.push(wrongType(path, 'null', node))
    }
  } else if (!typeFits(value, node)) {
    walk.causes.push(wrongType(path, typeName(value), node))
    if (node.checked) checkValue(value, node.schema, path, walk.causes)
  } else {
    if (node.checked) checkValue(value, node.schema, path, walk.causes)
    if (typeof value === 'object') checkInside(value, node, path, old, walk)
  }
  if (walk.causes.length > before && old !== undefined && deepEqual(old, value)) walk.causes.length = before
}

function checkInside(
  value: JsonObject | readonly Json[],
  node: Compiled,
  path: string,
  old: Json | undefined,
  walk: Walk,
): void {
  if (Array.isArray(value)) checkItems(value, node, path, old, walk)
  else checkFields(value as JsonObject, node, path, old, walk)
}

function checkItems(
  value: readonly Json[],
  node: Compiled,
  path: string,
  old: Json | undefined,
  walk: Walk,
): void {
  const { items } = childrenOf(node)
  if (!items) return
  const keys = node.schema['x-kubernetes-list-map-keys']
  for (let index = 0; index < value.length; index += 1) {
    const item = value[index] as Json
    check(item, items, `${path}[${index}]`, oldItem(old, item, keys), walk)
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

function checkFields(
  value: JsonObject,
  node: Compiled,
  path: string,
  old: Json | undefined,
  walk: Walk,
): void {
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
    check(inner, field, join(path, name), before?.[name], walk)
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
