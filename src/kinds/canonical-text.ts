// A text that is the same exactly for equal JSON values, to find duplicates with.
import type { Json, JsonObject } from '../base/json.ts'

export function canonicalText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item as Json)).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const object = value as JsonObject
    const parts = Object.keys(object)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalText(object[key])}`)
    return `{${parts.join(',')}}`
  }
  return typeof value === 'bigint' ? value.toString() : (JSON.stringify(value) ?? 'null')
}
