// The one schema form of Croft: OpenAPI v3 as Kubernetes restricts it (structural schemas), as plain data.
// The same value is served as OpenAPI and as a CRD schema, prunes, defaults and validates objects, and tells
// strategic merge and server-side apply how lists and maps merge.
import type { Json } from './json.ts'

export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly description?: string
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly default?: Json
  readonly enum?: readonly Json[]
  readonly nullable?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic'
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-validations'?: readonly CelRule[]
  /**
   * How a built-in kind writes the zero value (empty text, 0, false, nothing) of this field; never served.
   * Absent: a zero is not told from an absent field and is left out. `keep`: a zero is a value of its own.
   * `write`: the field is always there, with its zero when nothing was given.
   */
  readonly 'x-croft-zero'?: 'keep' | 'write'
  /** A time with six decimals (MicroTime) instead of whole seconds; never served. */
  readonly 'x-croft-micro'?: boolean
}

export interface CelRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}
