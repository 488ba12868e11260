// Reading an object of a built-in kind as a typed decoder does: wrong types are refused, nulls and meaningless zeros
// are left out, unknown fields are dropped and told, amounts and times get their canonical text.
import { type ApiError, refuse } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import { canonicalQuantity } from '../base/quantity.ts'
import type { Schema } from '../base/schema.ts'
import { typeName } from './checks.ts'
import { type Compiled, childrenOf, compile } from './compiled.ts'
import { isBase64 } from './formats.ts'
import { setOwn, withChanges } from './prune.ts'
import { canonicalTime } from './times.ts'

/** What is being read, for messages: `Pod in version "v1" cannot be handled as a Pod: ...`. */
export interface Reading {
  readonly kind: string
  readonly version: string
  /** Collects paths of fields that the schema does not name. */
  readonly unknown: string[]
}

/** Throws a 400 that names the field when a value has the wrong type. */
export function readTyped<T extends Json>(value: T, schema: Schema, reading: Reading, path = ''): T {
  return read(value, compile(schema), path, reading) as T
}

function wrong(reading: Reading, path: string, why: string): ApiError {
  const where = path === '' ? '' : ` in field ${path}`
  return refuse.badRequest(
    `${reading.kind} in version ${JSON.stringify(reading.version)} cannot be handled as a ${reading.kind}: ${why}${where}`,
  )
}

function mismatch(reading: Reading, path: string, value: Json, wanted: string): ApiError {
  return wrong(reading, path, `json: cannot unmarshal ${goTypeName(value)} into a value of type ${wanted}`)
}

function goTypeName(value: Json): string {
  const name = typeName(value)
  return name === 'boolean' ? 'bool' : name === 'integer' ? 'number' : name
}

function read(value: Json, node: Compiled, path: string, reading: Reading): Json {
  if (node.intOrString) return readIntOrString(value, node, path, reading)
  switch (node.type) {
    case 'object':
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw mismatch(reading, path, value, 'object')
      }
      return readObject(value as JsonObject, node, path, reading)
    case 'array':
      if (!Array.isArray(value)) throw mismatch(reading, path, value, 'list')
      return readList(value as readonly Json[], node, path, reading)
    case 'string':
      if (typeof value !== 'string') throw mismatch(reading, path, value, 'string')
      return node.schema.format === undefined ? value : readFormatted(value, node.schema, path, reading)
    case 'boolean':
      if (typeof value !== 'boolean') throw mismatch(reading, path, value, 'bool')
      return value
    case 'integer':
      return readInteger(value, node, path, reading)
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint')
        throw mismatch(reading, path, value, 'number')
      return value
    default:
      // A value of no one type (a schema or a boolean): its object form is read as such.
      return node.schema.properties && typeof value === 'object' && value !== null && !Array.isArray(value)
        ? readObject(value as JsonObject, node, path, reading)
        : value
  }
}

function readIntOrString(value: Json, node: Compiled, path: string, reading: Reading): Json {
  if (node.quantity) {
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    const text = known ? canonicalQuantity(value) : undefined
    if (text === undefined) {
      const shown = typeof value === 'string' ? JSON.stringify(value) : typeName(value)
      throw wrong(reading, path, `quantities must match the form of a number and a suffix, got ${shown}`)
    }
    return text
  }
  if (typeof value === 'string') return value
  return readInteger(value, INT32, path, reading)
}

const INT32 = compile({ type: 'integer', format: 'int32' })

function readInteger(value: Json, node: Compiled, path: string, reading: Reading): Json {
  const format = node.schema.format ?? 'int64'
  const whole = typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
  if (!whole) throw mismatch(reading, path, value, format)
  const size = format === 'int32' ? 2 ** 31 : 2 ** 63
  if (Number(value) >= size || Number(value) < -size) {
    if (!(format === 'int64' && value === 2n ** 63n - 1n)) {
      throw wrong(
        reading,
        path,
        `json: cannot unmarshal number ${String(value)} into a value of type ${format}`,
      )
    }
  }
  return value
}

function readFormatted(value: string, schema: Schema, path: string, reading: Reading): Json {
  if (schema.format === 'date-time') {
    const time = canonicalTime(value, schema['x-croft-micro'] === true)
    if (time === undefined) {
      throw wrong(
        reading,
        path,
        `parsing time ${JSON.stringify(value)}: not RFC 3339 as in "2006-01-02T15:04:05Z"`,
      )
    }
    return time
  }
  if (schema.format === 'byte' && !isBase64(value)) throw wrong(reading, path, 'illegal base64 data')
  return value
}

function readList(value: readonly Json[], node: Compiled, path: string, reading: Reading): readonly Json[] {
  const { items } = childrenOf(node)
  if (!items) return value
  let copy: Json[] | undefined
  for (let index = 0; index < value.length; index += 1) {
    const before = value[index] as Json
    const after = read(before === null ? zeroItem(items) : before, items, `${path}[${index}]`, reading)
    if (after !== before) {
      copy ??= [...value]
      copy[index] = after
    }
  }
  return copy ?? value
}

function zeroItem(node: Compiled): Json {
  if (node.intOrString) return node.quantity ? '0' : 0
  switch (node.type) {
    case 'string':
      return ''
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return {}
    case undefined:
      return null
    default:
      return 0
  }
}

function readObject(value: JsonObject, node: Compiled, path: string, reading: Reading): JsonObject {
  const { fields, values } = childrenOf(node)
  if (values) return readMap(value, values, path, reading)
  if (fields.size === 0 && node.open) return value
  let changes: Map<string, Json | undefined> | undefined
  for (const name of Object.keys(value)) {
    const before = value[name] as Json
    const field = fields.get(name)
    const at = path === '' ? name : `${path}.${name}`
    let after: Json | undefined
    if (field === undefined) {
      if (node.open) continue
      reading.unknown.push(at)
    } else if (before !== null) {
      after = read(before, field, at, reading)
      if (isDroppedZero(after, field)) after = undefined
    }
    if (after === before) continue
    changes ??= new Map()
    changes.set(name, after)
  }
  return changes ? withChanges(value, changes) : value
}

function isDroppedZero(value: Json, field: Compiled): boolean {
  if (field.zero === 'keep') return false
  // Storage does not tell an empty list from none, so even an ever-written one reads as nothing.
  if (field.zero === 'write' && typeof value !== 'object') return false
  switch (typeof value) {
    case 'string':
      return value === '' && !field.intOrString
    case 'number':
      return value === 0 && !field.intOrString
    case 'boolean':
      return !value
    case 'object':
      if (value === null) return true
      if (Array.isArray(value)) return value.length === 0
      return field.schema.additionalProperties !== undefined && Object.keys(value).length === 0
    default:
      return false
  }
}

function readMap(value: JsonObject, values: Compiled, path: string, reading: Reading): JsonObject {
  let copy: Record<string, Json | undefined> | undefined
  for (const name of Object.keys(value)) {
    const before = value[name] as Json
    const after = read(before === null ? zeroItem(values) : before, values, `${path}.${name}`, reading)
    if (after === before) continue
    copy ??= withChanges(value, new Map()) as Record<string, Json | undefined>
    setOwn(copy, name, after)
  }
  return copy ?? value
}
