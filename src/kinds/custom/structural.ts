// Whether a user's schema is structural: every value has one type, and what a value may hold is said in one place.
// Words and fields are those of Kubernetes.
import { type Cause, cause } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import type { Schema } from '../../base/schema.ts'
import { compilePattern } from '../pattern.ts'
import { unknownFields } from '../prune.ts'
import { validate } from '../validate.ts'
import { checkListType } from './list-rules.ts'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'] as const
const EMPTY_TYPE = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
} as const

type Place = keyof typeof EMPTY_TYPE

/** What JSON schemas have and structural schemas do not. */
const UNSUPPORTED = [
  '$ref',
  'definitions',
  'dependencies',
  'patternProperties',
  'additionalItems',
  'id',
] as const
/** What may not stand inside allOf, anyOf, oneOf and not. */
const NOT_IN_VALIDATIONS = ['default', 'additionalProperties', 'nullable', 'description', 'title'] as const

type Loose = Schema & Readonly<Record<string, unknown>>

/** Everything that keeps `schema` from being structural. `path` is where it stands in the definition. */
export function checkStructural(schema: Schema, path: string): readonly Cause[] {
  const causes: Cause[] = []
  checkNode(schema as Loose, path, 'root', causes)
  if (schema.type !== 'object' && schema.type !== undefined) {
    causes.push(cause.invalid(`${path}.type`, schema.type, 'must be object at the root'))
  }
  checkMetaFields(schema, path, true, causes)
  return causes
}

function checkNode(schema: Loose, path: string, place: Place, causes: Cause[]): void {
  checkType(schema, path, place, causes)
  checkMarks(schema, path, causes)
  for (const name of UNSUPPORTED) {
    if (schema[name] !== undefined)
      causes.push(cause.forbidden(`${path}.${name}`, `${name} is not supported`))
  }
  if (schema.uniqueItems) {
    const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    causes.push(cause.forbidden(`${path}.uniqueItems`, why))
  }
  checkPattern(schema, path, causes)
  checkDefault(schema, path, causes)
  causes.push(...checkListType(schema, path))
  checkCombined(schema, path, causes)
  checkChildren(schema, path, causes)
}

function checkType(schema: Loose, path: string, place: Place, causes: Cause[]): void {
  const { type } = schema
  const free = schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields']
  if (type === undefined) {
    if (!free || place === 'root') causes.push(cause.required(`${path}.type`, EMPTY_TYPE[place]))
    return
  }
  if (!TYPES.includes(type)) causes.push(cause.notSupported(`${path}.type`, type, TYPES))
}

function checkMarks(schema: Loose, path: string, causes: Cause[]): void {
  const open = schema['x-kubernetes-preserve-unknown-fields']
  if (open === false) {
    causes.push(
      cause.invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'),
    )
  }
  if (schema['x-kubernetes-embedded-resource']) {
    if (schema.type !== 'object') {
      causes.push(
        cause.invalid(
          `${path}.type`,
          schema.type ?? '',
          'must be object if x-kubernetes-embedded-resource is true',
        ),
      )
    }
    if (!open && Object.keys(schema.properties ?? {}).length === 0) {
      const why =
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
      causes.push(cause.required(`${path}.properties`, why))
    }
    if (schema.additionalProperties !== undefined) {
      const why = 'must not be used if x-kubernetes-embedded-resource is set'
      causes.push(cause.forbidden(`${path}.additionalProperties`, why))
    }
    checkMetaFields(schema, path, false, causes)
  }
  for (const [index, rule] of (schema['x-kubernetes-validations'] ?? []).entries()) {
    if (!rule.rule?.trim()) {
      causes.push(cause.required(`${path}.x-kubernetes-validations[${index}].rule`, 'rule is not specified'))
    }
  }
}

/** apiVersion, kind and metadata of a resource have the types that they have everywhere. */
function checkMetaFields(schema: Schema, path: string, atRoot: boolean, causes: Cause[]): void {
  const wanted = { apiVersion: 'string', kind: 'string', metadata: 'object' } as const
  for (const [name, type] of Object.entries(wanted)) {
    const field = schema.properties?.[name]
    if (!field) continue
    const at = `${path}.properties[${name}]`
    if (field.type !== type) causes.push(cause.invalid(`${at}.type`, field.type ?? '', `must be ${type}`))
    if (field.default !== undefined && name === 'metadata' && atRoot) {
      causes.push(cause.forbidden(`${at}.default`, 'must not be set in top-level metadata'))
    }
    if (field['x-kubernetes-embedded-resource']) {
      causes.push(
        cause.forbidden(`${at}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'),
      )
    }
  }
}

function checkPattern({ pattern }: Loose, path: string, causes: Cause[]): void {
  if (pattern === undefined) return
  const compiled = compilePattern(pattern)
  if (typeof compiled !== 'string') return
  const why = `must be a valid regular expression, but isn't: ${compiled}`
  causes.push(cause.invalid(`${path}.pattern`, pattern, why))
}

function checkDefault(schema: Loose, path: string, causes: Cause[]): void {
  const value = schema.default as Json | undefined
  if (value === undefined) return
  if (unknownFields(value, schema).length > 0)
    causes.push(cause.invalid(`${path}.default`, value, 'must not have unknown fields'))
  for (const one of validate(value, schema)) {
    const inside = one.field === '<nil>' || one.field === '' ? '' : `.${one.field}`
    causes.push({ ...one, field: `${path}.default${inside}` })
  }
}

function checkCombined(schema: Loose, path: string, causes: Cause[]): void {
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [index, part] of (schema[name] ?? []).entries()) {
      checkValidation(part as Loose, `${path}.${name}[${index}]`, schema, causes)
    }
  }
  if (schema.not) checkValidation(schema.not as Loose, `${path}.not`, schema, causes)
}

function checkValidation(part: Loose, path: string, parent: Schema, causes: Cause[]): void {
  for (const name of NOT_IN_VALIDATIONS) {
    if (part[name] !== undefined)
      causes.push(cause.forbidden(`${path}.${name}`, 'must be undefined to be structural'))
  }
  if (part.type !== undefined && !parent['x-kubernetes-int-or-string']) {
    causes.push(cause.forbidden(`${path}.type`, 'must be empty to be structural'))
  }
  if (part['x-kubernetes-validations']?.length) {
    causes.push(cause.forbidden(`${path}.x-kubernetes-validations`, 'must be empty to be structural'))
  }
  for (const [name, child] of Object.entries(part.properties ?? {})) {
    checkValidation(child as Loose, `${path}.properties[${name}]`, {}, causes)
  }
  if (part.items) checkValidation(part.items as Loose, `${path}.items`, {}, causes)
  checkCombined(part, path, causes)
}

function checkChildren(schema: Loose, path: string, causes: Cause[]): void {
  const { properties, additionalProperties, items } = schema
  if (properties && additionalProperties !== undefined && Object.keys(properties).length > 0) {
    const why = 'additionalProperties and properties are mutual exclusive'
    causes.push(cause.forbidden(`${path}.additionalProperties`, why))
  }
  if (additionalProperties === false) {
    causes.push(
      cause.forbidden(`${path}.additionalProperties`, 'additionalProperties cannot be set to false'),
    )
  }
  for (const [name, child] of Object.entries(properties ?? {})) {
    checkNode(child as Loose, `${path}.properties[${name}]`, 'field', causes)
  }
  if (typeof additionalProperties === 'object') {
    checkNode(additionalProperties as Loose, `${path}.additionalProperties`, 'field', causes)
  }
  if (Array.isArray(items)) {
    causes.push(cause.forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  } else if (items) checkNode(items as Loose, `${path}.items`, 'item', causes)
  else if (schema.type === 'array') causes.push(cause.required(`${path}.items`, 'must be specified'))
}
