// The builder that kinds are written with. Each call returns plain schema data and carries the TypeScript type of
// the values along, so that the type of an object is never written by hand.
import type { Json } from '../base/json.ts'
import type { CelRule, Schema } from '../base/schema.ts'

declare const carried: unique symbol
/** A schema whose values have type T. The mark exists only for the compiler. */
export interface Typed<T> extends Schema {
  readonly [carried]?: T
}
export type Infer<S> = S extends Typed<infer T> ? T : never

export interface StringOptions {
  readonly format?: string
  readonly default?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly nullable?: boolean
  readonly rules?: readonly CelRule[]
}
export interface NumberOptions {
  readonly format?: string
  readonly default?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly nullable?: boolean
}
export interface ListOptions {
  readonly default?: Json
  readonly minItems?: number
  readonly maxItems?: number
  readonly nullable?: boolean
  /** Strategic merge patch metadata of built-in kinds. */
  readonly patchMergeKey?: string
  readonly patchStrategy?: string
}
type Fields = Readonly<Record<string, Typed<unknown>>>
type ObjectType<P extends Fields, R extends keyof P> = {
  readonly [K in Exclude<keyof P, R>]?: Infer<P[K]>
} & { readonly [K in R]: Infer<P[K]> }
export interface ObjectOptions<R> {
  readonly required?: readonly R[]
  readonly default?: Json
  readonly nullable?: boolean
  readonly atomic?: boolean
  /** Keep fields that the schema does not name. */
  readonly open?: boolean
  readonly patchStrategy?: string
  readonly rules?: readonly CelRule[]
}

/** Pattern that Kubernetes serves for quantities; by it the interpreter knows a quantity. */
export const QUANTITY_PATTERN =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

const described = (description: string | undefined): Schema => (description ? { description } : {})

function listExtras(options: ListOptions | undefined): Schema {
  if (!options) return {}
  const { patchMergeKey, patchStrategy, ...plain } = options
  return {
    ...plain,
    ...(patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': patchMergeKey }),
    ...(patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': patchStrategy }),
  }
}

function string(doc?: string, options?: StringOptions): Typed<string> {
  const { rules, ...plain } = options ?? {}
  return {
    type: 'string',
    ...described(doc),
    ...plain,
    ...(rules ? { 'x-kubernetes-validations': rules } : {}),
  }
}

function oneOf<const V extends string>(
  values: readonly V[],
  doc?: string,
  options?: { readonly default?: NoInfer<V> },
): Typed<V> {
  return { type: 'string', ...described(doc), enum: values, ...options }
}

/** 32-bit integer unless the format says otherwise. */
function integer(doc?: string, options?: NumberOptions): Typed<number> {
  return { type: 'integer', format: 'int32', ...described(doc), ...options }
}

/** 64-bit integer; values beyond 2^53 arrive as bigint. */
function int64(doc?: string, options?: NumberOptions): Typed<number | bigint> {
  return { type: 'integer', format: 'int64', ...described(doc), ...options }
}

function number(doc?: string, options?: NumberOptions): Typed<number> {
  return { type: 'number', ...described(doc), ...options }
}

function boolean(doc?: string, options?: { readonly default?: boolean }): Typed<boolean> {
  return { type: 'boolean', ...described(doc), ...options }
}

/** resource.Quantity: a string such as `10Gi`, or a bare number. */
function quantity(doc?: string): Typed<string | number> {
  return {
    ...described(doc),
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: QUANTITY_PATTERN,
  }
}

function intOrString(doc?: string): Typed<string | number> {
  return {
    ...described(doc),
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  }
}

/** RFC 3339 with seconds. */
function time(doc?: string): Typed<string> {
  return { type: 'string', format: 'date-time', ...described(doc), nullable: true }
}

/** RFC 3339 with six decimals, as Leases and Events have it. */
function microTime(doc?: string): Typed<string> {
  return { ...time(doc), 'x-croft-micro': true }
}

/** Base64 bytes. */
function bytes(doc?: string): Typed<string> {
  return { type: 'string', format: 'byte', ...described(doc) }
}

/** A list that merges as a whole. */
function list<T>(items: Typed<T>, doc?: string, options?: ListOptions): Typed<readonly T[]> {
  return {
    type: 'array',
    ...described(doc),
    items,
    'x-kubernetes-list-type': 'atomic',
    ...listExtras(options),
  }
}

/** A list without duplicates; apply merges it value by value. */
function set<T>(items: Typed<T>, doc?: string, options?: ListOptions): Typed<readonly T[]> {
  return { type: 'array', ...described(doc), items, 'x-kubernetes-list-type': 'set', ...listExtras(options) }
}

/** A list keyed by fields of its items; apply merges it item by item. */
function keyedList<T>(
  items: Typed<T>,
  keys: readonly string[],
  doc?: string,
  options?: ListOptions,
): Typed<readonly T[]> {
  return {
    type: 'array',
    ...described(doc),
    items,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    ...listExtras(options),
  }
}

function map<T>(
  values: Typed<T>,
  doc?: string,
  options?: { readonly atomic?: boolean; readonly nullable?: boolean },
): Typed<Readonly<Record<string, T>>> {
  return {
    type: 'object',
    ...described(doc),
    additionalProperties: values,
    ...(options?.nullable ? { nullable: true } : {}),
    ...(options?.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  }
}

function object<P extends Fields, const R extends keyof P & string = never>(
  properties: P,
  doc?: string,
  options?: ObjectOptions<R>,
): Typed<ObjectType<P, R>> {
  return {
    type: 'object',
    ...described(doc),
    properties,
    ...(options?.required ? { required: options.required } : {}),
    ...(options?.default === undefined ? {} : { default: options.default }),
    ...(options?.nullable ? { nullable: true } : {}),
    ...(options?.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(options?.open ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(options?.patchStrategy ? { 'x-kubernetes-patch-strategy': options.patchStrategy } : {}),
    ...(options?.rules ? { 'x-kubernetes-validations': options.rules } : {}),
  }
}

/** Any JSON object, kept as it is. */
function anything(doc?: string): Typed<Readonly<Record<string, unknown>>> {
  return { type: 'object', ...described(doc), 'x-kubernetes-preserve-unknown-fields': true }
}

/** The same schema with another description. */
function doc<T>(schema: Typed<T>, text: string): Typed<T> {
  return { ...schema, description: text }
}

/** For fields of built-in kinds that are pointers in Go: an explicit zero is kept. */
function keep<T>(schema: Typed<T>): Typed<T> {
  return { ...schema, 'x-croft-zero': 'keep' }
}

/** For fields of built-in kinds without omitempty: written even when nothing was given. */
function write<T>(schema: Typed<T>): Typed<T> {
  return { ...schema, 'x-croft-zero': 'write' }
}

/** An object that apply merges field by field although its type is atomic elsewhere. */
function granular<T>(schema: Typed<T>): Typed<T> {
  return { ...schema, 'x-kubernetes-map-type': 'granular' }
}

/** A field that strategic merge patches replace as a whole. */
function replaced<T>(schema: Typed<T>): Typed<T> {
  return { ...schema, 'x-kubernetes-patch-strategy': 'replace' }
}

export const s = {
  string,
  oneOf,
  integer,
  int64,
  number,
  boolean,
  quantity,
  intOrString,
  time,
  microTime,
  bytes,
  list,
  set,
  keyedList,
  map,
  object,
  anything,
  doc,
  keep,
  write,
  granular,
  replaced,
}
