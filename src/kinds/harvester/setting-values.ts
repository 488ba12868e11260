// Readers of setting values. Each takes the text of a value and says in one sentence what is wrong with it.
import { isObject, type JsonObject, parseJson } from '../../base/json.ts'
import { checkDns1123Label } from '../../base/names.ts'

/** Undefined when the value is good. An empty value is never asked about: it means "use the default". */
export type ValueCheck = (value: string) => string | undefined

/** Anything goes. */
export const anyText: ValueCheck = () => undefined

export function integerBetween(minimum: number, maximum: number): ValueCheck {
  return (value) =>
    /^-?\d{1,15}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
      ? undefined
      : `must be a whole number from ${minimum} to ${maximum}`
}

export function oneOfTexts(allowed: readonly string[]): ValueCheck {
  return (value) => (allowed.includes(value) ? undefined : `must be one of ${allowed.join(', ')}`)
}

export const booleanText = oneOfTexts(['true', 'false'])

/** `0`, or 1.0 to 10.0. */
export const overheadRatio: ValueCheck = (value) => {
  const ratio = /^\d{1,3}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN
  return ratio === 0 || (ratio >= 1 && ratio <= 10) ? undefined : 'must be 0, or a number from 1.0 to 10.0'
}

export const urlText: ValueCheck = (value) =>
  /^https?:\/\/[^\s/?#]+([/?#]\S*)?$/.test(value) ? undefined : 'must be an http or https URL'

export const pemText: ValueCheck = (value) =>
  /^\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/.test(value)
    ? undefined
    : 'must be one or more certificates in PEM form'

export const labelText: ValueCheck = (value) => checkDns1123Label(value)[0]

/** Fields of a JSON object and what each must be. */
export type JsonFields = Readonly<Record<string, (value: unknown) => string | undefined>>

/** A JSON object; fields that are not listed are refused, so that a misspelt one is told. */
export function jsonObject(
  fields: JsonFields,
  whole?: (object: JsonObject) => string | undefined,
): ValueCheck {
  return (value) => {
    const object = readJson(value)
    if (!isObject(object)) return 'must be a JSON object'
    for (const [name, inner] of Object.entries(object)) {
      const check = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (!check)
        return `has the unknown field ${JSON.stringify(name)}; known are ${Object.keys(fields).join(', ')}`
      const wrong = inner === undefined || inner === null ? undefined : check(inner)
      if (wrong) return `field ${JSON.stringify(name)} ${wrong}`
    }
    return whole?.(object)
  }
}

/** A JSON object whose values are all checked alike. */
export function jsonMap(check: (value: unknown) => string | undefined): ValueCheck {
  return (value) => {
    const object = readJson(value)
    if (!isObject(object)) return 'must be a JSON object'
    for (const [name, inner] of Object.entries(object)) {
      const wrong = check(inner)
      if (wrong) return `field ${JSON.stringify(name)} ${wrong}`
    }
    return undefined
  }
}

export function readJson(value: string): unknown {
  try {
    return parseJson(value)
  } catch {
    return undefined
  }
}

export const isBoolean = (value: unknown): string | undefined =>
  typeof value === 'boolean' ? undefined : 'must be true or false'
export const isText = (value: unknown): string | undefined =>
  typeof value === 'string' ? undefined : 'must be a text'
export const isAnything = (): string | undefined => undefined
export function isInteger(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return (value: unknown): string | undefined =>
    typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum
      ? undefined
      : `must be a whole number of at least ${minimum}`
}
export const isTexts = (value: unknown): string | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? undefined
    : 'must be a list of texts'
