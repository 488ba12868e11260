// The constraints of one schema node beside its type: sizes, ranges, patterns, formats, enums and combinations.

import { deepEqual } from '../base/equality.ts'
import { type Cause, cause } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json.ts'
import type { Schema } from '../base/schema.ts'
import { canonicalText } from './canonical-text.ts'
import { matchesFormat } from './formats.ts'
import { compilePattern } from './pattern.ts'
import { isInteger, validate } from './validate.ts'

/** Name of a value's type as it stands in messages. */
export function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** Adds what is wrong with one value beside its type. */
export function checkValue(value: Json, schema: Schema, path: string, causes: Cause[]): void {
  if (schema.enum && !schema.enum.some((allowed) => deepEqual(allowed, value))) {
    const supported = schema.enum.map((allowed) =>
      typeof allowed === 'string' ? allowed : canonicalText(allowed),
    )
    causes.push(cause.notSupported(path, value, supported))
  }
  if (typeof value === 'string') checkText(value, schema, path, causes)
  else if (typeof value === 'number' || typeof value === 'bigint') checkNumber(value, schema, path, causes)
  else if (Array.isArray(value)) checkList(value, schema, path, causes)
  else if (typeof value === 'object' && value !== null) checkMap(value as JsonObject, schema, path, causes)
  if (schema.allOf ?? schema.anyOf ?? schema.oneOf ?? schema.not) {
    if (!isPlainIntOrString(value, schema)) checkCombined(value, schema, path, causes)
  }
}

/** Amounts carry an anyOf that their mark says already; it need not be asked for values of the right type. */
function isPlainIntOrString(value: Json, schema: Schema): boolean {
  return (
    schema['x-kubernetes-int-or-string'] === true &&
    (typeof value === 'string' || isInteger(value)) &&
    schema.anyOf?.length === 2 &&
    schema.anyOf[0]?.type === 'integer' &&
    schema.anyOf[1]?.type === 'string' &&
    !(schema.allOf ?? schema.oneOf ?? schema.not)
  )
}

function checkText(value: string, schema: Schema, path: string, causes: Cause[]): void {
  const { minLength, maxLength, pattern, format } = schema
  if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength) {
    causes.push(cause.tooLong(path, maxLength))
  }
  if (minLength !== undefined && [...value].length < minLength) {
    causes.push(cause.invalid(path, value, `${path} in body should be at least ${minLength} chars long`))
  }
  if (pattern !== undefined) {
    const expression = compilePattern(pattern)
    if (typeof expression === 'string') {
      const why = `${path} in body should match '${pattern}, but pattern is invalid: ${expression}'`
      causes.push(cause.invalid(path, value, why))
    } else if (!expression.test(value)) {
      causes.push(cause.invalid(path, value, `${path} in body should match '${pattern}'`))
    }
  }
  if (format !== undefined && !matchesFormat(value, format)) {
    causes.push(
      cause.typeInvalid(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`),
    )
  }
}

const FLOAT_MAX = 3.4028234663852886e38
const RANGES: Readonly<Record<string, readonly [number | bigint, number | bigint]>> = {
  int32: [-2147483648, 2147483647],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  float: [-FLOAT_MAX, FLOAT_MAX],
}

function checkNumber(value: number | bigint, schema: Schema, path: string, causes: Cause[]): void {
  const { minimum, maximum, multipleOf, format } = schema
  const range = format === undefined ? undefined : RANGES[format]
  // A double stands for int64's limits only roughly, so the very ends are let through as Kubernetes does.
  const beyond = range && (value < range[0] || (value > range[1] && Number(value) > Number(range[1])))
  if (beyond) {
    const text = `Checked value must be of type ${schema.type ?? 'number'} with format ${format ?? ''} in ${path}`
    if (format === 'int64') {
      causes.push(cause.typeInvalid(path, 'float64', `${path} in body must be of type int64: "float64"`))
    }
    causes.push({ reason: 'FieldValueInvalid', field: '<nil>', message: `Invalid value: "": ${text}` })
  }
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum)) {
    const words = schema.exclusiveMaximum ? 'should be less than' : 'should be less than or equal to'
    causes.push(cause.invalid(path, value, `${path} in body ${words} ${maximum}`))
  }
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum)) {
    const words = schema.exclusiveMinimum ? 'should be greater than' : 'should be greater than or equal to'
    causes.push(cause.invalid(path, value, `${path} in body ${words} ${minimum}`))
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    causes.push(cause.invalid(path, value, `${path} in body should be a multiple of ${multipleOf}`))
  }
}

function isMultiple(value: number | bigint, of: number): boolean {
  if (isInteger(value) && Number.isInteger(of)) return BigInt(value) % BigInt(of) === 0n
  const times = Number(value) / of
  return Math.abs(times - Math.round(times)) < 1e-9
}

function checkList(value: readonly Json[], schema: Schema, path: string, causes: Cause[]): void {
  const { minItems, maxItems, uniqueItems } = schema
  if (maxItems !== undefined && value.length > maxItems) {
    causes.push(cause.tooMany(path, value.length, maxItems))
  }
  if (minItems !== undefined && value.length < minItems) {
    causes.push(cause.invalid(path, value.length, `${path} in body should have at least ${minItems} items`))
  }
  if (uniqueItems && new Set(value.map((item) => canonicalText(item))).size < value.length) {
    causes.push(cause.invalid(path, '', `${path} in body shouldn't contain duplicates`))
  }
}

function checkMap(value: JsonObject, schema: Schema, path: string, causes: Cause[]): void {
  const { minProperties, maxProperties } = schema
  if (minProperties === undefined && maxProperties === undefined) return
  const count = Object.keys(value).length
  if (maxProperties !== undefined && count > maxProperties)
    causes.push(cause.tooMany(path, count, maxProperties))
  if (minProperties !== undefined && count < minProperties) {
    causes.push(
      cause.invalid(path, count, `${path} in body should have at least ${minProperties} properties`),
    )
  }
}

function checkCombined(value: Json, schema: Schema, path: string, causes: Cause[]): void {
  const failuresOf = (part: Schema): readonly Cause[] => validate(value, part, { path })
  const tell = (text: string): void => {
    causes.push({
      reason: 'FieldValueInvalid',
      field: '<nil>',
      message: `Invalid value: "": "${path}" ${text}`,
    })
  }
  if (schema.anyOf) {
    const failures = schema.anyOf.map(failuresOf)
    if (failures.every((one) => one.length > 0)) {
      tell('must validate at least one schema (anyOf)')
      causes.push(...(failures[0] ?? []))
    }
  }
  if (schema.oneOf) {
    const failures = schema.oneOf.map(failuresOf)
    const valid = failures.filter((one) => one.length === 0).length
    if (valid !== 1) {
      tell(
        `must validate one and only one schema (oneOf). ${valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`}`,
      )
      if (valid === 0) causes.push(...(failures[0] ?? []))
    }
  }
  if (schema.allOf) {
    const failures = schema.allOf.map(failuresOf)
    const wrong = failures.filter((one) => one.length > 0)
    causes.push(...wrong.flat())
    if (wrong.length > 0) {
      tell(
        `must validate all the schemas (allOf)${wrong.length === failures.length ? '. None validated' : ''}`,
      )
    }
  }
  if (schema.not && failuresOf(schema.not).length === 0) tell('must not validate the schema (not)')
}
