// The body of a request: read within the limit, and decoded by its Content-Type.
import type { PatchType } from '../../base/call.ts'
import { refuse } from '../../base/errors.ts'
import { type Json, parseJson } from '../../base/json.ts'
import { REQUEST_BODY_MAX_BYTES } from '../../base/limits.ts'
import type { HttpRequest } from '../../host/host.ts'
import { decodeProtobufBody } from '../protobuf/body.ts'
import { duplicateKeys } from './duplicates.ts'
import { readYaml } from './yaml.ts'

export interface DecodedBody {
  readonly value: Json | undefined
  readonly duplicates: readonly string[]
  readonly patchType?: PatchType
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

export async function readBytes(
  request: HttpRequest,
  maxBytes = REQUEST_BODY_MAX_BYTES,
): Promise<Uint8Array> {
  const tooLarge = () => refuse.tooLarge(`Request entity too large: limit is ${maxBytes}`)
  if (Number(request.headers['content-length'] ?? '0') > maxBytes) throw tooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  const [only] = chunks
  if (chunks.length === 1 && only) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

export async function readDecoded(request: HttpRequest, verb: string): Promise<DecodedBody> {
  const type = mediaType(request.headers['content-type'])
  const patchType = verb === 'patch' ? PATCH_TYPES[type] : undefined
  if (verb === 'patch' && patchType === undefined) throw unsupported(type, Object.keys(PATCH_TYPES))
  const bytes = await readBytes(request)
  if (bytes.length === 0) return { value: undefined, duplicates: [], ...(patchType ? { patchType } : {}) }
  const decoded = await decode(bytes, type)
  return { ...decoded, ...(patchType ? { patchType } : {}) }
}

async function decode(bytes: Uint8Array, type: string): Promise<DecodedBody> {
  switch (type) {
    case '':
    case 'application/json':
    case 'application/json-patch+json':
    case 'application/merge-patch+json':
    case 'application/strategic-merge-patch+json':
      return decodeJson(textOf(bytes))
    case 'application/yaml':
    case 'application/x-yaml':
    case 'text/yaml':
      return decodeYaml(textOf(bytes))
    case 'application/apply-patch+yaml': {
      const text = textOf(bytes)
      return /^\s*\{/.test(text) ? decodeJson(text) : decodeYaml(text)
    }
    case 'application/vnd.kubernetes.protobuf':
      return { value: await decodeProtobufBody(bytes), duplicates: [] }
    default:
      throw unsupported(type, ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'])
  }
}

function decodeJson(text: string): DecodedBody {
  try {
    const value = parseJson(text)
    return { value, duplicates: duplicateKeys(text) }
  } catch (error) {
    throw refuse.badRequest(
      `the body of the request is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function decodeYaml(text: string): DecodedBody {
  const { value, duplicates } = readYaml(text)
  return { value, duplicates }
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw refuse.badRequest('the body of the request is not valid UTF-8')
  }
}

function mediaType(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

function unsupported(type: string, accepted: readonly string[]) {
  return refuse.unsupportedMediaType(
    `the body of the request was in an unknown format (${type}) - accepted media types include: ${accepted.join(', ')}`,
  )
}
