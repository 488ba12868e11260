// JSON as Croft holds it in memory. Integers that a double cannot hold exactly are bigint, so that an object
// survives a round trip unchanged. Parsing and printing live here too, because every other room relies on them.

/** A JSON value. `bigint` stands only for integers outside the safe range of a double. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

interface ReviverContext {
  readonly source?: string
}

const RawJson = JSON as unknown as { rawJSON(text: string): unknown }

/** Parses JSON text. Integers beyond 2^53 become bigint. Throws SyntaxError on malformed text. */
export function parseJson(text: string): Json {
  // The reviver costs about three times a plain parse, so it runs only where a long run of digits exists.
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json
  return JSON.parse(text, function revive(_key: string, value: unknown, context?: ReviverContext): unknown {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
    const source = context?.source
    return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
  } as (key: string, value: unknown) => unknown) as Json
}

/** Prints a JSON value; bigint is printed as a plain integer. Keys keep their order, undefined is left out. */
export function printJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, replaceBigInt, indent)
}

function replaceBigInt(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? RawJson.rawJSON(value.toString()) : value
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
