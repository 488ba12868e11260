// From our schemas to the schemas of OpenAPI documents: shared ones become references, our own marks disappear, and
// version 2 loses what it cannot say.
import type { Json, JsonObject } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { QUANTITY_PATTERN } from './build.ts'
import { componentName, INT_OR_STRING, QUANTITY } from './component-names.ts'

export type OpenApiVersion = 'v2' | 'v3'

/** Collects the components that a document needs while its schemas are written. */
export interface Components {
  readonly version: OpenApiVersion
  readonly schemas: Map<string, JsonObject>
  /** Everything stands where it is used, as in CustomResourceDefinitions. */
  readonly inline?: boolean
}

const UNSAID_BY_V2: ReadonlySet<string> = new Set(['nullable', 'oneOf', 'anyOf', 'allOf', 'not'])
const CHILDREN: ReadonlySet<string> = new Set([
  'properties',
  'additionalProperties',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
])

export function refTo(components: Components, name: string): JsonObject {
  return { $ref: components.version === 'v3' ? `#/components/schemas/${name}` : `#/definitions/${name}` }
}

/** A schema as a document shows it. `core` kinds use Kubernetes' shared types for amounts. */
export function documentSchema(schema: Schema, core: boolean, components: Components): JsonObject {
  const name = components.inline ? undefined : componentName(schema)
  if (name === undefined) return writtenSchema(schema, core, components)
  if (!components.schemas.has(name)) {
    // Set before it is written: a schema may contain itself.
    components.schemas.set(name, {})
    const { description: _ofTheField, ...bare } = schema
    components.schemas.set(name, writtenSchema(bare, core, components))
  }
  return describedRef(schema, name, components)
}

function describedRef(schema: Schema, name: string, components: Components): JsonObject {
  const ref = refTo(components, name)
  const { description } = schema
  if (description === undefined) return ref
  return components.version === 'v3' ? { description, allOf: [ref] } : { description, ...ref }
}

function writtenSchema(schema: Schema, core: boolean, components: Components): JsonObject {
  if (schema['x-kubernetes-int-or-string'] && (core || components.version === 'v2')) {
    return amountSchema(schema, core, components)
  }
  const written: Record<string, Json | undefined> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-croft-') || value === undefined) continue
    if (components.version === 'v2' && UNSAID_BY_V2.has(key)) continue
    if (core && key === 'nullable') continue
    written[key] = CHILDREN.has(key) ? childValue(key, value, core, components) : (value as Json)
  }
  return written
}

function amountSchema(schema: Schema, core: boolean, components: Components): JsonObject {
  const described = schema.description === undefined ? {} : { description: schema.description }
  if (!core) return { ...described, 'x-kubernetes-int-or-string': true }
  const name = schema.pattern === QUANTITY_PATTERN ? QUANTITY : INT_OR_STRING
  components.schemas.set(name, name === QUANTITY ? quantity(components) : intOrString(components))
  return describedRef(schema, name, components)
}

function quantity({ version }: Components): JsonObject {
  const description = 'An exact amount with a unit, such as 500m, 2 or 10Gi.'
  return version === 'v2'
    ? { description, type: 'string' }
    : { description, oneOf: [{ type: 'string' }, { type: 'number' }] }
}

function intOrString({ version }: Components): JsonObject {
  const description = 'A number or a text.'
  return version === 'v2'
    ? { description, type: 'string', format: 'int-or-string' }
    : { description, format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] }
}

function childValue(key: string, value: unknown, core: boolean, components: Components): Json {
  if (key === 'properties') {
    const entries = Object.entries(value as Readonly<Record<string, Schema>>)
    return Object.fromEntries(entries.map(([name, one]) => [name, documentSchema(one, core, components)]))
  }
  if (Array.isArray(value)) return value.map((one) => documentSchema(one as Schema, core, components))
  return typeof value === 'boolean' ? value : documentSchema(value as Schema, core, components)
}
