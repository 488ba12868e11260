// A schema made ready for walking: lookups instead of searches, built on first use and kept as long as the schema
// lives. Children are compiled when a value first reaches them, so recursive schemas are fine.
import type { Json } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { QUANTITY_PATTERN } from './build.ts'

export interface Children {
  /** Every named field. */
  readonly fields: ReadonlyMap<string, Compiled>
  /** Fields that appear when absent: those with a default, and the ever-written ones of built-in kinds. */
  readonly filled: readonly (readonly [name: string, field: Compiled])[]
  readonly required: readonly string[]
  readonly items: Compiled | undefined
  /** Schema of the values of a map. */
  readonly values: Compiled | undefined
}

export interface Compiled {
  readonly schema: Schema
  readonly type: Schema['type']
  /** Unknown fields stay. */
  readonly open: boolean
  readonly nullable: boolean
  readonly intOrString: boolean
  readonly quantity: boolean
  readonly default: Json | undefined
  readonly zero: 'keep' | 'write' | undefined
  /** Constraints beyond the type that a value must be checked against. */
  readonly checked: boolean
  /** True where a default may appear in or below this value. */
  hasDefaults: boolean | undefined
  children: Children | undefined
}

const compiled = new WeakMap<Schema, Compiled>()
/** The fields that an embedded object keeps whether or not its schema names them. */
export const EMBEDDED_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

export function compile(schema: Schema): Compiled {
  let node = compiled.get(schema)
  if (!node) {
    node = {
      schema,
      type: schema.type,
      open: schema['x-kubernetes-preserve-unknown-fields'] === true,
      nullable: schema.nullable === true,
      intOrString: schema['x-kubernetes-int-or-string'] === true,
      quantity: schema.pattern === QUANTITY_PATTERN && schema['x-kubernetes-int-or-string'] === true,
      default: schema.default,
      zero: schema['x-croft-zero'],
      checked: hasChecks(schema),
      hasDefaults: undefined,
      children: undefined,
    }
    compiled.set(schema, node)
  }
  return node
}

export function childrenOf(node: Compiled): Children {
  node.children ??= buildChildren(node.schema)
  return node.children
}

function buildChildren(schema: Schema): Children {
  const fields = new Map<string, Compiled>()
  const filled: [string, Compiled][] = []
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const field = compile(child)
    fields.set(name, field)
    if (field.default !== undefined || field.zero === 'write') filled.push([name, field])
  }
  const { additionalProperties: extra } = schema
  return {
    fields,
    filled,
    required: schema.required ?? [],
    items: schema.items && compile(schema.items),
    values: typeof extra === 'object' ? compile(extra) : undefined,
  }
}

/** Whether defaulting may change anything at or below a node. Recursive schemas count as having none of their own. */
export function reachesDefaults(node: Compiled): boolean {
  if (node.hasDefaults !== undefined) return node.hasDefaults
  node.hasDefaults = false
  const { fields, filled, items, values } = childrenOf(node)
  let found = filled.length > 0
  for (const field of fields.values()) found = reachesDefaults(field) || found
  if (items) found = items.default !== undefined || reachesDefaults(items) || found
  if (values) found = values.default !== undefined || reachesDefaults(values) || found
  node.hasDefaults = found
  return found
}

const CHECKS = [
  'format',
  'enum',
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
] as const

function hasChecks(schema: Schema): boolean {
  return CHECKS.some((name) => schema[name] !== undefined)
}
