// Reads the small JSON bodies of actions and logins. Whatever is no JSON object is refused.
import { Buffer } from 'node:buffer'
import { refuse } from '../base/errors.ts'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'
import type { HttpRequest } from '../host/host.ts'

/** No action or login says more. Bytes. */
const BODY_MAX_BYTES = 64 * 1024

/** An empty body is an empty object. */
export async function readJsonBody({ body }: HttpRequest, mostBytes = BODY_MAX_BYTES): Promise<JsonObject> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > mostBytes) throw refuse.tooLarge(`the body may not be longer than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  if (text.trim() === '') return {}
  const value = parse(text)
  if (!isObject(value))
    throw refuse.badRequest('Can not unmarshal Request body to struct, error: the body is no JSON object')
  return value
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw refuse.badRequest(`Can not unmarshal Request body to struct, error: ${why}`)
  }
}

/** Undefined when absent; a value that is no whole number is refused. */
export function wholeNumber(body: JsonObject, field: string): number | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw refuse.badRequest(`${field} must be a whole number`)
  return value
}

export function flag(body: JsonObject, field: string): boolean {
  const value = body[field]
  if (value === undefined || value === null) return false
  if (typeof value !== 'boolean') throw refuse.badRequest(`${field} must be true or false`)
  return value
}

export function text(body: JsonObject, field: string): string {
  const value = body[field]
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw refuse.badRequest(`${field} must be a text`)
  return value
}

/** `dryRun: ["All"]` in the body or `?dryRun=All`. */
export function isDryRun(body: JsonObject, query: URLSearchParams): boolean {
  const wished = body['dryRun'] ?? []
  const all = [...(Array.isArray(wished) ? wished : [wished]), ...query.getAll('dryRun')]
  if (all.some((word) => word !== 'All'))
    throw refuse.badRequest(`dryRun may only be "All", not ${JSON.stringify(all)}`)
  return all.length > 0
}
