// Protobuf bodies of built-in kinds.
import { refuse } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'

export function decodeProtobufBody(_bytes: Uint8Array): Json {
  throw refuse.unsupportedMediaType('protobuf bodies are not read')
}
