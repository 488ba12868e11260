// What both ends of the link agree on: paths, limits, and how a Result travels.
import { isObject, type JsonObject, parseJson, printJson } from '../../base/json.ts'
import { type Failure, failed, ok, type Result } from '../../base/result.ts'

export const CALL_PATH = '/v1/call/'
export const STREAM_PATH = '/v1/stream'
export const UPLOAD_PATH = '/v1/upload'
export const IMAGE_PATH = '/v1/image'
export const SHA512_HEADER = 'x-croft-sha512'
export const STREAM_PROTOCOL = 'croft.stream'

/** Layer lists of large volumes and pictures of screens stay below. Bytes. */
export const BODY_MAX_BYTES = 16 * 1024 * 1024
/** Method names: `volume.ask` and its like. */
export const METHOD = /^[a-z][a-zA-Z0-9.-]{0,63}$/

/** What a call over the link proves itself with. */
export interface LinkTls {
  readonly caPem: string
  readonly certificatePem: string
  readonly keyPem: string
}

export function printResult(result: Result<JsonObject>): string {
  return printJson(result)
}

/** Whatever is no Result of ours becomes the failure that it is. */
export function readResult(text: string): Result<JsonObject> {
  try {
    const value: unknown = parseJson(text)
    if (isObject(value)) {
      if (value['ok'] === true && isObject(value['value'])) return ok(value['value'])
      const failure = value['ok'] === false ? failureIn(value['failure']) : undefined
      if (failure) return failed(failure)
    }
  } catch {
    // Said below.
  }
  return failed({
    reason: 'InvalidAnswer',
    message: 'the agent answered something else than a result',
    retry: 'later',
  })
}

export function failureIn(value: unknown): Failure | undefined {
  if (!isObject(value) || typeof value['reason'] !== 'string' || typeof value['message'] !== 'string')
    return undefined
  const { reason, message, retry, command, stderr } = value
  return {
    reason,
    message,
    retry: retry === 'never' ? 'never' : 'later',
    ...(typeof command === 'string' ? { command } : {}),
    ...(typeof stderr === 'string' ? { stderr } : {}),
  }
}

/** Reads a body whole, as text. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<Result<string>> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > BODY_MAX_BYTES)
      return failed({
        reason: 'BodyTooLarge',
        message: `more than ${BODY_MAX_BYTES} bytes in one call between agents`,
        retry: 'never',
      })
    text += decoder.decode(chunk, { stream: true })
  }
  return ok(text + decoder.decode())
}
